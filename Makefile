# xpu: `make demo` runs the tour on every device of this machine, `make test` the whole test suite.
# Both make their own virtual environment in .venv, need no root, and install again only when pyproject.toml changes.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
ARGS ?=

BIN := $(VENV)/bin
PY := $(BIN)/python
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test unit conformance lint format docs bench oclgrind wheel clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 22

demo: $(VENV)/.demo ## run the tour on every device found, and compare them
	@$(PY) examples/demo.py

test: $(VENV)/.test ## run the whole test suite: conformance on every device, then tests/
	@status=0; \
	$(PY) -m xpu conformance --device all --jobs $(JOBS) -- -q || status=1; \
	$(PY) -m pytest -n $(JOBS) --dist loadfile || status=1; \
	exit $$status

unit: $(VENV)/.test ## run tests/ only
	@$(PY) -m pytest -n $(JOBS) --dist loadfile

conformance: $(VENV)/.test ## run the conformance suite on every device that works
	@$(PY) -m xpu conformance --device all --jobs $(JOBS)

lint: $(VENV)/.test ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/.test ## format the code, and mend what ruff can mend by itself
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

docs: $(VENV)/.docs ## build the documentation into site/
	@$(PY) -m mkdocs build --strict --quiet --site-dir site
	@echo "open site/index.html"

bench: $(VENV)/.bench ## time xpu beside other libraries on this machine; writes docs/benchmarks.md
	@$(PY) benchmarks/import_time.py
	@$(PY) benchmarks/cold_start.py || true
	@$(PY) benchmarks/peers.py --json benchmarks/latest.json
	@$(PY) benchmarks/page.py benchmarks/latest.json
	@$(PY) benchmarks/marks.py benchmarks/latest.json || true

oclgrind: $(VENV)/.test ## run the conformance suite in the OpenCL simulator that reports every bad access
	@command -v oclgrind >/dev/null || { echo "oclgrind is not installed: sudo apt-get install oclgrind"; exit 1; }
	@rm -f $(VENV)/oclgrind.log
	@oclgrind --uninitialized --data-races --log $(VENV)/oclgrind.log $(PY) -m xpu conformance --device opencl -- $(ARGS)
	@if [ -s $(VENV)/oclgrind.log ]; then head -n 60 $(VENV)/oclgrind.log; echo "all of it: $(VENV)/oclgrind.log"; exit 1; fi
	@echo "oclgrind has nothing to report"

wheel: $(VENV)/.test ## build the wheel and the source distribution into dist/
	@$(INSTALL) build
	@$(PY) -m build --outdir dist .

clean: ## remove the virtual environment and everything built
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache

# ---------------------------------------------------------------- the virtual environment

# Debian and Ubuntu keep venv in a package of its own; an old Python cannot install xpu.
$(PY):
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)'. Install Python 3.11 or newer:  sudo apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "xpu needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)."; \
	  echo "Name a newer one:  make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' comes without venv. Install it:  sudo apt-get install python3-venv"; exit 1; }
	@echo "making the virtual environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.demo $(VENV)/.test $(VENV)/.docs $(VENV)/.bench: $(VENV)/.%: pyproject.toml | $(PY)
	@echo "installing xpu-array[$*] into $(VENV)"
	@$(INSTALL) --editable '.[$*]'
	@touch $@
