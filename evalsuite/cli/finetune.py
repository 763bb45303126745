"""`evalsuite finetune`."""

from __future__ import annotations

from typing import Any

import typer

from evalsuite.cli.options import takes
from evalsuite.common.terminal import say
from evalsuite.finetuning.settings import Sweep


@takes(Sweep)
def finetune(**settings: Any) -> None:
    import evalsuite
    from evalsuite.cli.show import print_results

    done = evalsuite.finetune(**settings)
    print_results(done)
    say(f"page: {done.out / 'page' / 'index.html'}   adapters: {done.out / 'models.yaml'}")
    raise typer.Exit(done.exit_code)
