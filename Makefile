# Every target sets itself up in .venv, but demo in .venv-run; `make` alone lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
VENV := .venv
RUN := .venv-run
BIN := $(VENV)/bin
WORKERS ?= 2
# A file stays with one worker, which makes what its tests share once; a worker that crashes ends the run, for
# otherwise the others would wait without end.
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all test-rest check fuzz words bench docs pictures dist clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

# What pip says, without what repeats, as wide as a terminal.
NOISE := satisfied|metadata|━|started$$|finished|^Looking|^WARNING: Location|^ *(Building|Created|Stored)|^Installing
SAYS := awk '!/$(NOISE)/ { sub(/ \(from .*/, ""); sub(/-[^-]*-[^-]*-[^-]*\.whl/, ""); print; fflush() }' | fold -s -w 80

# uv is faster than pip, where it is installed and finds the packages. Neither compiles to bytecode what is never
# imported, which would be 100 MB and a third of the time.
WITH_UV = command -v uv >/dev/null && uv venv --quiet --seed --allow-existing --python $(PYTHON) $(@D) && \
	uv pip install --python $(@D)/bin/python --constraint constraints.txt --editable '$(NEEDS)'

$(VENV)/ready: NEEDS := .[dev]
$(RUN)/ready: NEEDS := .
$(VENV)/ready $(RUN)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "quiff needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@echo "Setting up $(@D), once; this takes a minute or more"
	@$(WITH_UV) || { $(PYTHON) -m venv $(@D) && $(@D)/bin/python -m pip install --disable-pip-version-check --no-compile \
		--constraint constraints.txt --editable '$(NEEDS)' 2>&1 | $(SAYS); }
	@touch $@

setup: $(VENV)/ready  ## build the virtual environment in .venv

demo: $(RUN)/ready  ## from a synthetic log to a report, in the folder demo
	@$(RUN)/bin/quiff demo --force

test: setup  ## lint, types, examples and tests; Spark and Chromium once each; the same on every run
	$(PYTEST) -m "not full"

test-all: test test-rest  ## all tests

# With another seed, and the other seeds of tests/fuzzing.py, so that no case is tried twice.
test-rest: setup  ## what test leaves out: all of Spark and Chromium, 200 other examples, docs, recipes, site, wheel
	$(PYTEST) -m "full or property" --hypothesis-profile full --hypothesis-seed 1

check: setup  ## only lint, format, types, docstrings' examples, import direction, names
	$(PYTEST) tests/test_quality.py tests/test_examples.py tests/test_architecture.py

fuzz: setup  ## explore at random; what fails is kept for make test (MINUTES=30)
	$(BIN)/python tools/fuzz.py --workers $(WORKERS) $(if $(MINUTES),--minutes $(MINUTES)) $(TESTS)

words: setup  ## renew the words of errors and commands in tests/snapshots; read the diff
	$(BIN)/python -m pytest -m words --snapshot-update

bench: setup  ## side by side with the peers: time, memory, ratios (GROUP=engine; GROUP=before BEFORE=FOLDER)
	$(BIN)/python -m benchmarks $(GROUP) $(if $(BEFORE),--before $(BEFORE))

docs: setup  ## the documentation site, in the folder site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: setup  ## draw the pictures in docs/images anew, and every view in the folder pictures (needs chromium)
	$(BIN)/python tools/rooms_picture.py
	$(BIN)/python tools/screenshots.py

dist: setup  ## wheel and sdist in the folder dist, each tried in an empty environment
	$(BIN)/python tools/dist.py

clean:  ## remove the environments and everything made by the targets
	rm -rf $(VENV) $(RUN) build dist demo pictures site benchmarks/results .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
