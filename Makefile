# What one does with this repository, one word each; `make` alone lists them.

VENV  := .venv
BIN   := $(VENV)/bin
ARGS  ?=

# A copied tree must not run the original's code, so .venv knows the folder it was made in.
MOVED := $(if $(filter $(CURDIR),$(shell cat $(VENV)/.made-in 2>/dev/null)),,moved)

# Installing a compiler changes no file here: `make setup`, asked for by name, tries it again.
UNBUILT := $(if $(wildcard src/tenax/page/_native*.so),, \
	$(if $(filter setup,$(MAKECMDGOALS)),unbuilt))

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick fetch check compiled fix docs fuzz bench services lock clean \
	moved unbuilt

# Several at once, the longest first: see tests/shares.py. What is compiled is kept, whatever the
# environment says, because every process of a run would compile all tests again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q

help:  ## list these words
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(VENV)/.stamp  ## make .venv with the locked versions; nothing to do when it is fresh

demo: setup  ## crawl the built-in web: no internet needed
	@$(BIN)/tenax demo $(ARGS)

test: setup  ## everything: lint, types, tests (ARGS="-k robots" narrows the tests)
	@$(MAKE) -s -j 3 check fetch compiled
	@$(PYTEST) -n 6 --dist loadscope $(ARGS)

quick: setup  ## what one wants after every change: lint, types, all tests that need no server
	@$(MAKE) -s -j 2 check compiled
	@$(PYTEST) -n 3 --dist loadscope --quick $(ARGS)

fetch: setup  ## get the browser and the servers that tests need, as far as they can be had
	@sh requirements/compiler.sh $(VENV) || echo "Tests of what it compiles are skipped; in CI they fail." >&2
	@sh requirements/browser.sh >/dev/null || echo "Tests that find no browser are skipped; in CI they fail." >&2
	@$(BIN)/python -m services fetch || echo "Tests of what is unavailable are skipped; in CI they fail." >&2

check: setup  ## lint, formatting, types
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check . || { echo "Formatting differs: run 'make fix'." >&2; exit 1; }
	@$(BIN)/mypy

compiled: setup  ## compile the package and its tests, once for all processes that import them
	@$(BIN)/python -m compileall -q src
	@$(PYTEST) -p no:xdist --collect-only >/dev/null 2>&1 || true

fix: setup  ## let ruff repair and format what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: setup  ## check that the documentation's links, commands and targets are true
	@$(BIN)/pytest -q -p no:xdist tests/test_docs.py tests/test_recipes.py

fuzz: setup  ## ask the compiled pass for pages without end, under sanitizers (ARGS="--seconds 3600")
	@$(BIN)/python -m tests.fuzz $(ARGS)

bench: setup  ## race the crawler against its peers (ARGS="--quick" for a first look)
	@$(BIN)/python -m bench $(ARGS)

services:  ## start private PostgreSQL, Redis, Kafka … and print what to export (ARGS="stop redis")
	@$(MAKE) -s $(VENV)/.stamp >&2  # what goes to stdout is for the shell to evaluate
	@$(BIN)/python -m services $(ARGS)

lock: setup  ## resolve the versions in requirements/ again (ARGS="--upgrade" for newer ones)
	@sh requirements/lock.sh $(ARGS)

clean:  ## stop the services; remove .venv and everything generated
	@! test -d .services || PATH=$(BIN):$$PATH python3 -m services clean
	rm -rf $(VENV) build dist src/tenax.egg-info src/tenax/page/_native*.so
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.stamp: requirements/dev.txt pyproject.toml setup.py requirements/setup.sh \
		$(wildcard native/*) src/tenax/page/rules.py $(MOVED) $(UNBUILT)
	@sh requirements/setup.sh $(VENV)
