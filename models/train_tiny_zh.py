"""Train tiny-zh, the embedded model, from scratch on a CPU: tokenizer, dialogues, then the tasks' prompts.

    python models/train_tiny_zh.py --dialogues FILE.jsonl… [--out models/tiny-zh] [--work build/tiny-zh] [--stage …]

`--dialogues` are lines of {"id": …, "dialogue": ["A: …", …]} (KdConv and CrossWOZ, Apache-2.0, in our case). The
bundled sample's train split is read from the package. About an hour on two cores. The model is there so that the
real code paths run on any machine, not to be good: see its card, models/tiny-zh/README.md.

1. `tokenizer`  byte-level BPE: every character comes back, known or not.
2. `pretrain`   next-token prediction on whole dialogues; one in twenty is held out for the perplexity.
3. `tune`       the tasks' prompts as `evalsuite.prompt` renders them, loss on the answer: the sample's train split, and
                tasks made from the open dialogues (models/open_items.py), so that it has seen more than 20 dialogues.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from open_items import open_items
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt
from evalsuite.types import Item, Request

VOCABULARY = 4800
CONTEXT = 2048
END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def read_dialogues(paths: list[Path]) -> list[str]:
    """Whole dialogues, a turn a line."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return ["\n".join(json.loads(line)["dialogue"]) for line in lines]


def divide(texts: list[str]) -> tuple[list[str], list[str]]:
    """One in twenty held out, the rest to train on."""
    texts = list(texts)
    random.Random("tiny-zh").shuffle(texts)
    return texts[: len(texts) // 20], texts[len(texts) // 20 :]


def train_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    # Digits one by one and punctuation apart: "(a)" and "答：" then meet the same tokens wherever they stand.
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END, START, STOP],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=STOP,
        pad_token=END,
        additional_special_tokens=[START],
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
        chat_template=CHAT_TEMPLATE,
    )


def new_model(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    """2.5 million parameters: 5 MB in bf16, so that the folder stays under 6 MB."""
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=3,
        num_key_value_heads=1,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        sliding_window=None,
    )
    return Qwen2ForCausalLM(config)


def blocks(stream: torch.Tensor, length: int, generator: torch.Generator) -> Iterator[torch.Tensor]:
    """One epoch of `length`-token blocks of the token stream, from a random offset, in random order."""
    offset = int(torch.randint(length, (1,), generator=generator))
    count = (len(stream) - offset) // length
    table = stream[offset : offset + count * length].view(count, length)
    yield from table[torch.randperm(count, generator=generator)].split(8)


@torch.no_grad()
def loss_on(model: Qwen2ForCausalLM, stream: torch.Tensor, length: int = 512) -> float:
    """Mean next-token loss in nats."""
    model.eval()
    count = len(stream) // length
    table = stream[: count * length].view(count, length)
    losses = [model(input_ids=batch, labels=batch).loss.item() * len(batch) for batch in table.split(8)]
    model.train()
    return sum(losses) / count


def optimiser(model: Qwen2ForCausalLM, rate: float) -> torch.optim.AdamW:
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95))


def pretrain(work: Path, texts: list[str], epochs: int, rate: float = 2e-3) -> None:
    """Write work/base: tokenizer and the model of the epoch with the lowest held-out loss, and work/pretrain.json."""
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    held, train = divide(texts)
    tokenizer = train_tokenizer(train)
    model = new_model(tokenizer)

    def stream(parts: list[str]) -> torch.Tensor:
        return torch.tensor([t for ids in tokenizer([p + END for p in parts])["input_ids"] for t in ids])

    tokens, held_tokens = stream(train), stream(held)
    characters = sum(map(len, held))
    steps = epochs * (len(tokens) // 512 // 8)
    optimizer = optimiser(model, rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda s: min(1.0, (s + 1) / 100) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(1.0, s / steps)))),
    )
    print(
        f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(tokens):,} tokens, {steps} steps", flush=True
    )
    best, began, step = math.inf, time.time(), 0
    for epoch in range(epochs):
        for batch in blocks(tokens, 512, generator):
            loss = model(input_ids=batch, labels=batch).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step % 50 == 0:
                print(f"step {step}/{steps} loss {loss.item():.3f} {time.time() - began:.0f} s", flush=True)
        held_loss = loss_on(model, held_tokens)
        per_character = math.exp(held_loss * len(held_tokens) / characters)
        print(
            f"epoch {epoch + 1}: held-out perplexity {math.exp(held_loss):.2f} a token, {per_character:.2f} a character",
            flush=True,
        )
        if held_loss < best:
            best = held_loss
            model.save_pretrained(work / "base")
            tokenizer.save_pretrained(work / "base")
            figures = {
                "perplexity_token": math.exp(held_loss),
                "perplexity_character": per_character,
                "epoch": epoch + 1,
            }
            (work / "pretrain.json").write_text(json.dumps(figures, indent=1))


def encode(tokenizer: PreTrainedTokenizerFast, request: Request, answer: str, chat: bool) -> tuple[list[int], int]:
    """Token ids of prompt and answer, and how many are prompt."""
    text = request.prompt
    if chat:
        turns = [{"role": m.role, "content": m.content} for m in request.messages]
        text = str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
    prompt = tokenizer(text, add_special_tokens=False)["input_ids"]
    return prompt + tokenizer(answer + STOP, add_special_tokens=False)["input_ids"], len(prompt)


def examples(tokenizer: PreTrainedTokenizerFast, items: list[Item], seed: int) -> list[tuple[list[int], int]]:
    """Each item in one of the two wordings, as chat or as plain text, by chance; too long ones are left out."""
    prompts = {(t.name, v): Prompt(bundled("prompts"), t, v) for t in BENCHMARK.tasks for v in ("paper", "plain")}
    rows = []
    for item in items:
        rng = random.Random(f"{seed}:tune:{item.id}")
        request = prompts[item.task, rng.choice(("paper", "plain"))].request(item)
        row = encode(tokenizer, request, item.target, rng.random() < 0.7)
        if len(row[0]) <= 900:
            rows.append(row)
    return rows


def tune_loss(model: Qwen2ForCausalLM, rows: list[tuple[list[int], int]], pad: int) -> torch.Tensor:
    """Cross entropy of the answers, and a tenth of the prompts', so that the Chinese is not forgotten.

    The output layer is the dearest part on a CPU: it is taken at the answers and at every eighth prompt token only.
    """
    width = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in rows])
    place = torch.arange(width)[None, :]
    ends = torch.tensor([len(ids) for ids, _ in rows])[:, None]
    starts = torch.tensor([start for _, start in rows])[:, None]
    hidden = model.model(input_ids=ids, attention_mask=(place < ends).long()).last_hidden_state[:, :-1]
    answer = ((place >= starts) & (place < ends))[:, 1:]
    prompt = ((place < starts) & (place % 8 == 0))[:, 1:]

    def entropy(chosen: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(model.lm_head(hidden[chosen]), ids[:, 1:][chosen])

    return entropy(answer) + 0.1 * entropy(prompt)


def tune(work: Path, dialogues: list[Path], steps: int, rate: float = 6e-4) -> None:
    """Write work/tuned."""
    torch.manual_seed(0)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(work / "base")
    model = Qwen2ForCausalLM.from_pretrained(work / "base", dtype=torch.float32)
    sample = CorecodeCorpus(BENCHMARK, bundled("sample"))
    own = [item for t in BENCHMARK.tasks for s in BENCHMARK.sets for item in sample.train(t.name, s)]
    dev = [item for t in BENCHMARK.tasks for s in BENCHMARK.sets for item in sample.file(t, s, "dev").items]
    opened = open_items(dialogues, work / "open")
    _, texts = divide(read_dialogues(dialogues))
    tokens = torch.tensor([t for ids in tokenizer([p + END for p in texts])["input_ids"] for t in ids])
    held = examples(tokenizer, dev, 0)
    print(f"{len(own)} items of the sample, {len(opened)} made from open dialogues", flush=True)
    optimizer = optimiser(model, rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / 50) * 0.5 * (1.02 + math.cos(math.pi * min(1.0, s / steps)))
    )
    rng = random.Random("tiny-zh:tune")
    began, step = time.time(), 0
    while step < steps:
        # A sixth of what it sees is the sample; most items made from open dialogues are seen once.
        epoch = examples(tokenizer, own + rng.sample(opened, min(len(opened), 5 * len(own))), step)
        rng.shuffle(epoch)
        pool = [sorted(epoch[i : i + 160], key=lambda row: len(row[0])) for i in range(0, len(epoch), 160)]
        batches = [part[i : i + 8] for part in pool for i in range(0, len(part), 8)]
        for batch in batches[: steps - step]:
            loss = tune_loss(model, batch, tokenizer.pad_token_id)
            # Plain dialogue beside the tasks, or it forgets how to speak: perplexity doubled without.
            plain = torch.stack([tokens[(at := rng.randrange(len(tokens) - 512)) : at + 512] for _ in range(3)])
            (loss + model(input_ids=plain, labels=plain).loss).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step % 100 == 0:
                with torch.no_grad():
                    on_dev = (
                        sum(tune_loss(model, held[i : i + 8], tokenizer.pad_token_id).item() for i in range(0, 200, 8))
                        / 25
                    )
                print(
                    f"step {step}/{steps} loss {loss.item():.3f} dev {on_dev:.3f} {time.time() - began:.0f} s",
                    flush=True,
                )
    model.save_pretrained(work / "tuned")
    tokenizer.save_pretrained(work / "tuned")


def export(work: Path, out: Path) -> None:
    """Write the finished model to `out` in bf16, as a Llama: the same network (a Llama whose projections have biases).

    transformers 5 gives every checkpoint of type "qwen2" Qwen2's own normaliser (NFC) and splitting, whatever its files
    say: some characters would not come back. For a Llama it believes tokenizer.json.
    """
    qwen = Qwen2ForCausalLM.from_pretrained(work / "tuned", dtype=torch.float32)
    kept = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
            "num_key_value_heads", "max_position_embeddings", "rms_norm_eps", "tie_word_embeddings", "rope_parameters",
            "bos_token_id", "eos_token_id", "pad_token_id")  # fmt: skip
    llama = LlamaForCausalLM(LlamaConfig(**{name: getattr(qwen.config, name) for name in kept}, attention_bias=True))
    weights = qwen.state_dict()
    for name, value in llama.state_dict().items():
        if name.endswith("o_proj.bias"):
            weights[name] = torch.zeros_like(value)
    llama.load_state_dict(weights)
    with torch.no_grad():
        ids = torch.arange(200)[None]
        torch.testing.assert_close(llama(ids).logits, qwen(ids).logits, atol=1e-4, rtol=1e-4)
    llama.generation_config = GenerationConfig(
        eos_token_id=qwen.config.eos_token_id, pad_token_id=qwen.config.pad_token_id
    )
    llama.to(torch.bfloat16).save_pretrained(out)
    PreTrainedTokenizerFast.from_pretrained(work / "tuned").save_pretrained(out)


def measure(work: Path, out: Path, texts: list[str]) -> None:
    """Write work/figures.json: the held-out perplexity of the finished model, loaded as anyone would. For its card."""
    tokenizer = AutoTokenizer.from_pretrained(out)
    model = AutoModelForCausalLM.from_pretrained(out, dtype=torch.float32)
    held, _ = divide(texts)
    tokens = torch.tensor([t for ids in tokenizer([p + END for p in held])["input_ids"] for t in ids])
    loss = loss_on(model, tokens)
    figures = {
        "held_out_dialogues": len(held),
        "held_out_characters": sum(map(len, held)),
        "perplexity_token": math.exp(loss),
        "perplexity_character": math.exp(loss * len(tokens) / sum(map(len, held))),
        "parameters": sum(p.numel() for p in model.parameters()),
        "before_tuning": json.loads((work / "pretrain.json").read_text()),
    }
    (work / "figures.json").write_text(json.dumps(figures, indent=1))
    print(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=Path, nargs="+", required=True)
    parser.add_argument("--work", type=Path, default=Path("build/tiny-zh"))
    parser.add_argument("--out", type=Path, default=Path("models/tiny-zh"))
    parser.add_argument("--stage", choices=("pretrain", "tune", "export", "all"), default="all")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=1000)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.stage in ("pretrain", "all"):
        pretrain(arguments.work, read_dialogues(arguments.dialogues), arguments.epochs)
    if arguments.stage in ("tune", "all"):
        tune(arguments.work, arguments.dialogues, arguments.steps)
    if arguments.stage in ("export", "all"):
        export(arguments.work, arguments.out)
        measure(arguments.work, arguments.out, read_dialogues(arguments.dialogues))


if __name__ == "__main__":
    main()
