# Every target sets itself up in .venv; `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# Tests of prose (every code block is run) and of copies of the tree: check-docs.
PROSE := tests/docs tests/recipes tests/release
# A file stays with one worker, which makes what its tests share once.
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast check check-docs fuzz bench docs pictures dist clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "quiff needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

setup: $(VENV)/ready  ## build the virtual environment in .venv

demo: setup  ## from a synthetic log to a report, in the folder demo
	$(BIN)/quiff demo --force

test: check  ## all checks and all tests but those of check-docs, the same on every run
	$(PYTEST) $(PROSE:%=--ignore %)

test-fast: setup  ## the tests without the slow ones
	$(PYTEST) -m "not slow"

check: setup  ## lint, format, types, examples in docstrings, import direction, public names
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) --doctest-modules src tests/test_architecture.py

check-docs: setup  ## run every code block of README and docs, the notebooks, the recipes; build site and wheel
	$(PYTEST) $(PROSE)

fuzz: setup  ## explore at random until stopped; what fails is kept for make test (MINUTES=30)
	$(BIN)/python tools/fuzz.py --workers $(WORKERS) $(if $(MINUTES),--minutes $(MINUTES)) $(TESTS)

bench: setup  ## side by side with the peers: time, memory, ratios (GROUP=engine)
	$(BIN)/python -m benchmarks $(GROUP)

docs: setup  ## the documentation site, in the folder site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: setup  ## draw the pictures in docs/images anew (needs chromium)
	$(BIN)/python tools/rooms_picture.py
	$(BIN)/python tools/screenshots.py

dist: setup  ## wheel and sdist in the folder dist, each tried in an empty environment (needs a package index)
	$(BIN)/python tools/dist.py

clean:  ## remove the environment and everything made by the targets
	rm -rf $(VENV) build dist demo site benchmarks/results .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
