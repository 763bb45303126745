"""Tone: is the last turn of a Chinese dialogue meant as it is said?"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.kinds import CHOICE
from evalsuite.benchmarks.languages import ZH
from evalsuite.types import Benchmark, Item, Task

HERE = Path(__file__).parent
TONES = {"plain": "真心", "ironic": "反语"}


class ToneLine(BaseModel):
    """A line of a data file: {"id": 0, "dialogue": ["A: …", "B: …"], "tone": "ironic"}."""

    id: int
    dialogue: list[str] = Field(min_length=2)
    tone: Literal["plain", "ironic"]


class ToneCorpus(corpus.Corpus):
    """A folder with train.jsonl and test.jsonl, or a folder with tone/ in it."""

    expected = "{train,test}.jsonl"

    def is_root(self, folder: Path) -> bool:
        return (folder / "test.jsonl").is_file()

    def path(self, task: Task, set: str, split: str) -> Path:
        return self.root / f"{split}.jsonl"

    def load(self, task: Task, set: str, split: str) -> corpus.File:
        def item(number: int, line: ToneLine) -> Item:
            gold = list(TONES).index(line.tone)
            return Item(
                id=f"tone/{set}/{split}/{task.local}/{line.id}",  # benchmark/set/split/task/number
                task=task.name,
                set=set,
                split=split,
                dialogue=tuple(line.dialogue),
                question="最后一句话是真心的，还是反语？",
                options=tuple(TONES.values()),
                labels=("(a)", "(b)"),
                gold=gold,
                references=(TONES[line.tone],),
            )

        path = self.path(task, set, split)
        return corpus.File(path, *corpus.read_lines(path, ToneLine, item, self.skip_bad))


BENCHMARK = Benchmark(
    name="tone",
    title="Tone",
    language=ZH,
    sets=("daily",),
    splits=("train", "test"),
    sets_zh="来源",
    sets_en="source",
    tasks=(
        Task(
            name="tone_reply",  # the benchmark's name, _, and the folder of its templates
            short="Tone",
            zh="语气判断",
            en="Tone of a reply",
            kind=CHOICE,
            file="",
            folder="",
            metrics=("accuracy",),
            max_new_tokens=16,
        ),
    ),
    loader=ToneCorpus,
    no_address="its data come with the package",
    published=HERE / "published.csv",
    templates=HERE / "prompts",
    sample=HERE / "sample",
)
