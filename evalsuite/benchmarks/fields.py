"""Types of fields that loaders of official files share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evalsuite.common.jsonl import NOT_BLANK

NotBlank = Annotated[str, Field(pattern=NOT_BLANK)]
