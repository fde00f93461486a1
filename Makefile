# Everything here builds its own .venv first, once, and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
# One more than two cores: some tests wait for a browser or for other processes.
TEST_WORKERS ?= 3
AS_WINDOWS := tests/disk tests/runs/test_folders.py tests/compiler/test_cache.py tests/cli/test_interrupts.py tests/fields/test_user_files.py tests/studies/test_study_files.py tests/executors/test_executors.py tests/test_memory.py
SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

.PHONY: demo test check site bench format clean
.DELETE_ON_ERROR:  # an environment that could not be made is made anew

demo: .venv/core
	@$(BIN)/gough run studies/demo-machining.toml --output out/demo-machining --overwrite

test: .venv/test
	@$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal

check: .venv/check .venv/test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/check_prose.py
	@$(BIN)/python -m pytest -p as_windows $(AS_WINDOWS)
	@$(SITE)

site: .venv/check
	@WORKBENCHES=all $(SITE)

bench: .venv/test
	@$(BIN)/python -m benchmarks

format: .venv/check
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:
	rm -rf .venv build dist

.venv/bin/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Gough needs Python 3.11 or later')"
	@$(PYTHON) -m venv .venv

# The package itself is linked, not copied, so a change of the sources needs no new installation.
.venv/core: .venv/bin/python pyproject.toml
	@echo "Installing Gough and the libraries that it needs into .venv, once: most of the time of a first run"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable .
	@touch $@

.venv/test: .venv/core
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable ".[test]"
	@touch $@

.venv/check: .venv/core
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable ".[check]"
	@touch $@
