"""docs/examples/old-checkpoints/serve.py: models whose code needs an old transformers are asked through it."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of
from needs import needs

import evalsuite

needs("hf", "torch", "transformers")

FILE = Path(__file__).parents[1] / "docs" / "examples" / "old-checkpoints" / "serve.py"
TURNS = [{"role": role, "content": text} for role, text in (("user", "甲"), ("assistant", "乙"), ("user", "丙"))]


@pytest.fixture(scope="module")
def serve() -> Any:
    spec = importlib.util.spec_from_file_location("serve", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def serving(handler: Any) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Chat:
    """ChatGLM, which formats the turns itself."""

    def chat(self, tokenizer: Any, query: str, history: Any, **settings: Any) -> tuple[str, None]:
        return f"{history}{query}{sorted(settings.items())}", None


def test_turns_become_the_input_of_each_format(serve: Any) -> None:
    assert serve.prompt(TURNS, "plain") == "甲乙\n\n丙"
    moss = serve.prompt(TURNS, "moss")
    assert moss.endswith("possess.\n<|Human|>: 甲<eoh>\n<|MOSS|>: 乙<eom>\n<|Human|>: 丙<eoh>\n<|MOSS|>:")
    text, *_ = serve.reply(Chat(), lambda text: {"input_ids": []}, TURNS, "chatglm", {"max_new_tokens": 4})
    assert text == "[('甲', '乙')]丙[('max_new_tokens', 4)]"


@pytest.mark.slow
def test_a_run_asks_it(serve: Any, tiny: Path, tmp_path: Path) -> None:
    """Greedy replies are those of backend hf."""
    import torch

    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32).eval()
    path, short = tmp_path / "models.yaml", "generation: {max_new_tokens: 8}"
    with serving(serve.handler(model, tokenizer, "plain")) as address:
        path.write_text(
            f"models:\n  - {{name: served, backend: openai, path: x, chat: true, api: {{base_url: '{address}', key_env: null}}, {short}}}\n"
            f"  - {{name: here, backend: hf, path: {tiny}, dtype: float32, device: cpu, {short}}}\n"
        )
        done = evalsuite.run(path, tasks=["event_cause"], set="easy", limit=2, out=tmp_path / "out")
    assert done.problems == ()
    replies = [
        [json.loads(line)["reply"] for line in file.read_text().splitlines()]
        for file in sorted((tmp_path / "out" / "records").glob("*.jsonl"))
    ]
    assert len(replies) == 2 and replies[0] == replies[1] and all(replies[0])


def test_what_it_raises_is_a_failed_request(serve: Any, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    path = tmp_path / "models.yaml"
    with serving(serve.handler(None, None, "plain")) as address:
        path.write_text(
            f"models:\n  - {{name: m, backend: openai, path: x, chat: true, api: {{base_url: '{address}', key_env: null}}}}\n"
        )
        done = evalsuite.run(path, tasks=["event_cause"], set="easy", limit=1, out=tmp_path / "out")
    assert cells_of(done)[0]["status"] == {"failed": 1} and "TypeError" in str(cells_of(done)[0]["errors"])
