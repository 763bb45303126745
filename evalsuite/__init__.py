"""evalsuite: how well do LLMs do commonsense reasoning over Chinese dialogues?

    import evalsuite
    results = evalsuite.run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")

What the command line does can be done from here with the same names: `run`, `score`, `report`, `preview`;
`parse_option` and `parse_span` read an answer out of any reply; `evalsuite.compare.compare` tests one model against another.
Importing this loads neither torch nor transformers nor jieba.
"""

from evalsuite.parse import parse_option, parse_span
from evalsuite.report import report
from evalsuite.run import Settings, preview, run, score

__all__ = ["Settings", "parse_option", "parse_span", "preview", "report", "run", "score"]
