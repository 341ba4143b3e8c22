PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# Where Python is told to keep no bytecode, workers and commands would compile all tests and modules each time.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-slow test-wheel lint types format docs bench bench-peers clean

demo: $(READY)
	@$(BIN)/relgauss demo --force
	@echo
	@$(BIN)/relgauss means relgauss-demo.csv --by job --value pay --epsilon 1 --delta 1e-6 --plot relgauss-means.png --force

test: lint types
	$(BIN)/pytest --numprocesses auto --dist loadfile -m "not slow"

test-slow: $(READY)
	$(BIN)/pytest --numprocesses auto --dist loadfile -m slow
	$(BIN)/pytest --numprocesses auto --dist loadfile -m "not slow" --hypothesis-profile thorough tests/laws tests/unit

test-wheel: $(READY)
	$(BIN)/python tests/wheel/check_wheel.py

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports

types: $(READY)
	$(BIN)/mypy --strict src

format: $(READY)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: $(READY)
	@$(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt --editable ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python site/build.py

bench: $(READY)
	$(BIN)/python -m benchmarks

bench-peers: $(READY)
	$(BIN)/python -m benchmarks.regression.peers

clean:
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@echo "Setting up .venv: about two minutes, once."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt --editable ".[dev,federated]"
	@touch $@
