"""Hook of mkdocs: a search index for each language, so that a search in Chinese pages stays among them.

The plugin for languages writes one index of all pages. Pages under zh/ go to the Chinese index, also those that have no Chinese
text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority

ZH = "zh/"


@event_priority(-200)  # after the plugins for languages and for sites without a server, which write the index
def on_post_build(config: Any) -> None:
    if config.plugins["i18n"].building:  # the pages of a language, within those of the site
        return
    site = Path(config.site_dir)
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    chinese = [entry for entry in index["docs"] if entry["location"].startswith(ZH)]
    others = [entry for entry in index["docs"] if not entry["location"].startswith(ZH)]
    _write(site, index | {"docs": others})
    _write(site / ZH, index | {"docs": [entry | {"location": entry["location"].removeprefix(ZH)} for entry in chinese]})


def _write(folder: Path, index: dict[str, Any]) -> None:
    """Write an index as JSON, for a server, and as a script, for pages opened from files."""
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (folder / "search").mkdir(exist_ok=True)
    (folder / "search/search_index.json").write_text(text, encoding="utf-8")
    (folder / "search/search_index.js").write_text(f"var __index = {text}", encoding="utf-8")
