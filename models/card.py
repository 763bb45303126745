"""Write the figures of tiny-zh's card, models/tiny-zh/README.md, between its marks: nothing there is typed by hand.

    python models/card.py FIGURES.json RUN

FIGURES.json is what train_tiny_zh.py measured; RUN a run of `evalsuite run` of tiny-zh and the baselines on the sample.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.corecode import BENCHMARK

CARD = Path(__file__).parent / "tiny-zh" / "README.md"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


def table(cells: list[dict[str, Any]]) -> str:
    """A table of the model's headline metric in percent beside chance and the baselines, a row per task and set."""
    by_place = {(c["model"], c["set"], c["task"]): c for c in cells if (c["variant"], c["shots"]) == ("paper", 0)}
    lines = [
        "| task | set | metric | items | chance | majority | lexical | tiny-zh | no answer |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for task in BENCHMARK.tasks:
        for item_set in BENCHMARK.sets:
            mine = by_place["tiny-zh", item_set, task.name]
            metric = task.metrics[0]
            values = [
                by_place[m, item_set, task.name]["metrics"][metric]["value"] for m in ("majority", "lexical", "tiny-zh")
            ]
            chance = f"{100 * mine['chance']:.1f}" if "chance" in mine else "–"
            silent = mine["items"] - mine["status"].get("parsed", 0)
            numbers = " | ".join(f"{100 * v:.1f}" for v in values)
            lines.append(f"| {task.name} | {item_set} | {metric} | {mine['items']} | {chance} | {numbers} | {silent} |")
    return "\n".join(lines)


def main() -> None:
    figures = json.loads(Path(sys.argv[1]).read_text())
    cells = json.loads((Path(sys.argv[2]) / "results.json").read_text())["cells"]
    before = figures["before_tuning"]
    text = f"""{BEGIN}
{figures["parameters"]:,} parameters. Held-out perplexity on {figures["held_out_dialogues"]} dialogues of KdConv and CrossWOZ
({figures["held_out_characters"]:,} characters): {figures["perplexity_character"]:.2f} a character, {figures["perplexity_token"]:.2f} a token
(before tuning: {before["perplexity_character"]:.2f} and {before["perplexity_token"]:.2f}).

On the bundled sample's test split, zero-shot, the paper's wording, in percent:

{table(cells)}
{END}"""
    card = CARD.read_text(encoding="utf-8")
    head, _, rest = card.partition(BEGIN)
    CARD.write_text(head + text + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
