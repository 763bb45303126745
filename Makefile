# `make run` evaluates the bundled models on the bundled sample; `make test` checks everything. Both set themselves up.
PYTHON ?= python3
# Named first and pinned: a bare "torch" takes the newest build with several GB of CUDA along. Yours may be another:
# make run TORCH='torch==2.12.0 --index-url https://download.pytorch.org/whl/cpu'
TORCH ?= torch==2.13.0
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check -q

.PHONY: run test lint clean

run: .venv/run
	HF_HUB_OFFLINE=1 $(BIN)/evalsuite run --data bundled:sample --out runs/default

test: .venv/test lint
	HF_HUB_OFFLINE=1 $(BIN)/pytest

lint: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Made again when pyproject.toml changes.
.venv/run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing into .venv (a minute or two)"
	$(PIP) install $(TORCH)
	$(PIP) install -e '.[hf]'
	touch $@

.venv/test: .venv/run
	$(PIP) install -e '.[hf,openai,finetune,ray,semsim,dev]'
	touch $@

clean:
	rm -rf .venv build dist runs .mypy_cache .pytest_cache .ruff_cache .hypothesis
