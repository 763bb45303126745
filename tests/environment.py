"""The environment variables of tests. Here alone, the machine's own settings are dropped."""

from __future__ import annotations

import os
import re
import sys

# Folders with labelled answers and values of metrics, without which their tests are skipped; and variables for pytest's workers.
KEPT = re.compile(r"EVALSUITE_(?:ANSWERS|METRICS|TEST_\w+)$")
DROPPED = re.compile(
    r"EVALSUITE_|LC_|LANG|HF_|HUGGINGFACE_|TRANSFORMERS_|MODELSCOPE_|OPENAI_|RAY_|WANDB_|MLFLOW_|XDG_|JIEBA"
    r"|(?:COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|TERMINAL_WIDTH"
    r"|PYTHON(?:WARNINGS|UTF8|IOENCODING|DONTWRITEBYTECODE))$"
    r"|.*_(?:KEY|TOKEN)$|.*_proxy$",
    re.IGNORECASE,
)
SET = {
    "EVALSUITE_LANG": "en",  # messages are compared in English
    "LANG": "C.UTF-8",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",  # several tests run at a time
}


def scrub() -> None:
    """Drop the machine's own settings, and keep EVALSUITE_DATA as EVALSUITE_TEST_DATA: tests evaluate the sample unless they
    ask for real data (the fixture `real_data`). A worker of pytest-xdist inherits the scrubbed environment."""
    data = os.environ.get("EVALSUITE_DATA") or os.environ.get("EVALSUITE_TEST_DATA")
    for name in [name for name in os.environ if DROPPED.match(name) and not KEPT.match(name)]:
        del os.environ[name]
    os.environ.update(SET | ({"EVALSUITE_TEST_DATA": data} if data else {}))
    sys.dont_write_bytecode = False  # the tests' many processes need not compile the same files again
    for name in ("EVALSUITE_TEST_DATA", "EVALSUITE_ANSWERS", "EVALSUITE_METRICS"):
        # A relative path is one from the folder in which the tests were started.
        if os.environ.get(name):
            os.environ[name] = os.path.abspath(os.environ[name])
