# Two commands are enough on a fresh machine: `make demo` and `make test`.
# Each target creates .venv, installs what it needs and compiles what changed, by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
NATIVE := CMakeLists.txt native $(wildcard native/* native/*/*)

.PHONY: demo test lint format bench docs build wheel sanitize clean
.NOTPARALLEL: # one pip at a time

demo: $(VENV)/.built
	$(BIN)/mercer compare

test: $(VENV)/.installed-dev $(VENV)/.built
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal $(ARGS)

lint: $(VENV)/.installed-dev $(VENV)/.built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# e.g. make bench NAME=gram ARGS="--json results.json"
NAME ?= all
bench: $(VENV)/.installed-dev $(VENV)/.built
	$(BIN)/python -m benchmarks $(NAME) $(ARGS)

docs: $(VENV)/.installed-dev $(VENV)/.built
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# the extension module; only what changed is compiled
build: $(VENV)/.built

# source distribution and wheel in dist/; the wheel is tried in an environment that has nothing else
wheel: $(VENV)/.installed-dev
	rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m build --no-isolation
	$(BIN)/python tools/try_wheel.py

# the tests of the loops with every access to memory checked; e.g. make sanitize ARGS="-k radial"
sanitize: $(VENV)/.installed-dev $(VENV)/.built
	$(BIN)/python tools/sanitize.py $(ARGS)

clean:
	rm -rf $(VENV) build dist src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'mercer needs Python 3.11 or later; set PYTHON=...')"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python tools/requirements.py run build > $(VENV)/requirements.txt
	$(PIP) --requirement $(VENV)/requirements.txt
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed pyproject.toml
	$(BIN)/python tools/requirements.py dev > $(VENV)/requirements.txt
	$(PIP) --requirement $(VENV)/requirements.txt
	touch $@

$(VENV)/.built: $(VENV)/.installed pyproject.toml $(NATIVE)
	$(BIN)/python tools/build.py
	touch $@
