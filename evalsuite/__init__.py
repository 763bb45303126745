"""evalsuite: how well do LLMs do commonsense reasoning over Chinese dialogues?

    import evalsuite
    results = evalsuite.run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")

What the command line does can be done from here with the same names: `run`, `score`, `report`, `preview`.
Importing this loads neither torch nor transformers nor jieba.
"""

from evalsuite.report import report
from evalsuite.run import Settings, preview, run, score

__all__ = ["Settings", "preview", "report", "run", "score"]
