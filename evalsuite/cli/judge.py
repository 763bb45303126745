"""`evalsuite judge`."""

from __future__ import annotations

from typing import Any

import typer

from evalsuite.cli.options import RunArgument, takes
from evalsuite.common.terminal import print_all, say
from evalsuite.review.judge.settings import JudgeSettings


@takes(JudgeSettings)
def judge(run: RunArgument, **settings: Any) -> None:
    import evalsuite
    from evalsuite.analyses.judged.sheets import sheets
    from evalsuite.cli.tables.terminal import draw

    done = evalsuite.judge(run, **settings)
    print_all(*draw(sheets(done)))
    say(f"page: {done.out / 'page' / 'index.html'}   records: {done.out / 'judged'}")
    for problem in done.problems:
        say("problem: ", problem, err=True)
    raise typer.Exit(done.exit_code)
