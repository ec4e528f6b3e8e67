# `make run`, `make check` and `make test` are all you need. Each makes the environment first, once; it is renewed when what it was made
# from changes. Choose another Python with `make run PYTHON=python3.12`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# Two numerical libraries with thread pools of their own slow each other down; we run frames side by side instead.
export OPENBLAS_NUM_THREADS ?= 1

# Tests start a hundred programs: each reads the modules that another has compiled to bytecode, whatever the shell says.
export PYTHONDONTWRITEBYTECODE =

# Draw without a screen.
headless = QT_QPA_PLATFORM=offscreen VTK_DEFAULT_OPENGL_WINDOW=vtkEGLRenderWindow LC_ALL=C.UTF-8

# Test files side by side, one worker for each processor that has enough memory.
pytest = $(headless) $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -q

.PHONY: help run check test slow lint fuzz bench prove docs clean
.DEFAULT_GOAL := help

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*##/  make \1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: $(VENV)/.ready-run  ## analyse the demonstration; report, pictures and tables go to demo-output/
	@$(BIN)/biomec demo --out demo-output

check: lint  ## check style, types, import contracts, and run the quick tests: some minutes
	@$(pytest) -m "not slow"

test: lint  ## check style, types, import contracts, and run all tests
	@$(pytest)

slow: $(VENV)/.ready-test  ## run all tests, and list those that are slow anew in tests/slow.txt
	@$(pytest) --find-slow

lint: $(VENV)/.ready-test  ## check style, types and import contracts only
	@$(BIN)/ruff check --quiet --output-format=concise .
	@$(BIN)/ruff format --check --quiet . || { echo "Some files are not formatted. Run: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/mypy --num-workers auto
	@said=$$($(BIN)/lint-imports) || { echo "$$said"; echo "A module imports what it must not: see [tool.importlinter] in pyproject.toml."; exit 1; }

fuzz: $(VENV)/.ready-test  ## try 100 000 damaged files; COUNT and SEED choose others
	@$(headless) $(BIN)/python -m tests.fuzz $(or $(COUNT),100000) --seed $(or $(SEED),1)

bench: $(VENV)/.ready-test  ## measure the speed against independent engines
	@$(BIN)/python -m benchmarks

prove: $(VENV)/.ready-test  ## fail disks, kill, cancel and repeat many times: 20 minutes
	@$(headless) $(BIN)/python -m tests.faults.disks
	@$(headless) $(BIN)/python -m tests.faults.kills 1000 --seed 1
	@$(headless) $(BIN)/python -m tests.faults.cancels 1000 --seed 1
	@$(headless) $(BIN)/python -m tests.faults.cycles 200

docs: $(VENV)/.ready-docs  ## build the documentation into docs/_build/html
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) build dist docs/_build demo-output .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find core app resources tests benchmarks installer -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	rm -rf core/*.egg-info *.egg-info

# ---------------------------------------------------------------------------------------------------------- environment
$(VENV)/.ready-run:  extras = app
$(VENV)/.ready-test: extras = app,test,oracles,dev,cluster,parquet
$(VENV)/.ready-docs: extras = docs
$(VENV)/.ready-%: pyproject.toml installer/environment.py core/biomec/base/system_libraries.py
	@$(PYTHON) installer/environment.py --venv $(VENV) --extras $(extras) --stamp $@
