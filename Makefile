# `make` alone lists the targets.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.octavo

# JupyterLab brings it for a check of addresses that nothing here makes. Where it is, every process
# that reads a notebook with nbformat spends two seconds on its grammar.
UNWANTED := rfc3987-syntax

.DEFAULT_GOAL := help
# Kernels must find compiled bytecode, as they do in an ordinary shell.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup core demo check test test-fast test-others servers agents lock format bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-10s %s\n", $$1, $$2}'

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Octavo needs Python 3.11 or newer; try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip --disable-pip-version-check -q install uv

$(STAMP)-core: $(BIN)/uv pyproject.toml
	@UV_COMPILE_BYTECODE=1 $(BIN)/uv pip install -q --python $(BIN)/python -e '.[uv,charts]'
	@touch $@

$(STAMP)-all: $(STAMP)-core
	@UV_COMPILE_BYTECODE=1 $(BIN)/uv pip install -q --python $(BIN)/python -e '.[all]' --group dev --group reference
	@$(BIN)/uv pip uninstall -q --python $(BIN)/python $(UNWANTED)
	@touch $@

core: $(STAMP)-core
setup: $(STAMP)-all ## bring .venv to every extra and every tool

demo: $(STAMP)-core ## run the system health notebook and look at its record
	@bash demo/demo.sh

check: $(STAMP)-all ## lint, format, types, import direction
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache | tail -n 12
	@$(BIN)/mypy

# Half of the time tests wait for kernels to start.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')

test: $(STAMP)-all ## the whole suite, in parallel
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-fast: $(STAMP)-all ## unit tests only: no kernels, no network
	@$(BIN)/python -m pytest -n auto -m "not kernel and not network and not slow and not fault"

test-others: $(STAMP)-all ## unit and conformance tests on the other Pythons that are found
	@bash tests/other_pythons.sh

servers: ## build the real Gitea, its runner and act, and a JupyterLab for two, once per machine; needs Go
	@cd tests && $(PYTHON) -m servers.build
	@cd tests && $(PYTHON) -m servers.collaboration

agents: $(BIN)/uv ## install the real codex, claude and hermes that tests drive, once per machine; needs npm
	@cd tests && ../$(BIN)/python -m agents.build

lock: $(BIN)/uv ## renew requirements.txt, from which the forge checks our notebooks
	@{ echo '# What the forge installs to check the notebooks of this project; `make lock` renews it.'; \
	  $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --extra charts pyproject.toml; } > requirements.new && mv requirements.new requirements.txt

format: $(STAMP)-all ## format and mend what the linter can
	@$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format -q .

bench: $(STAMP)-all ## measure against papermill, nbclient and ploomber-engine; writes docs/performance.md
	@$(BIN)/python -m bench --write

clean: ## remove the environment and all caches
	@rm -rf .venv .bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
