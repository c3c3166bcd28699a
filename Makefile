# What one does with this repository, one word each; `make` alone lists them.

VENV  := .venv
BIN   := $(VENV)/bin
ARGS  ?=

# A copied tree must not run the original's code, so .venv knows the folder it was made in.
MOVED := $(if $(filter $(CURDIR),$(shell cat $(VENV)/.made-in 2>/dev/null)),,moved)

# Installing a compiler changes no file here: `make setup`, asked for by name, tries it again.
UNBUILT := $(if $(wildcard src/tenax/page/_native*.so),, \
	$(if $(filter setup,$(MAKECMDGOALS)),unbuilt))

# Nor does wishing for another Python: `make setup PYTHON=python3.13`.
CHOSEN := $(if $(PYTHON),$(if $(filter setup,$(MAKECMDGOALS)),chosen))

.DEFAULT_GOAL := help
# Everything that the console is made of, so that it is built anew when any of it changes.
CONSOLE := $(shell find console -type f -not -path '*/node_modules/*' -not -path '*/.node/*' \
	-not -path '*/dist/*' 2>/dev/null)
BUILT := src/tenax/api/console/index.html

.PHONY: help setup demo console test quick fetch check lint compiled fix docs site fuzz chaos bench services wheels lock clean \
	moved unbuilt chosen

# Several at once, the longest first: see tests/shares.py. What is compiled is kept, whatever the
# environment says, because every process that a test starts would compile it again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q

# Types are checked on what tests leave of a processor. What was found is told at the end, and fails.
beside_types = told=$$(mktemp); nice -n 5 $(BIN)/mypy >$$told 2>&1 & types=$$!; $(1); ended=$$?; \
	wait $$types || ended=1; cat $$told; rm $$told; exit $$ended

help:  ## list these words
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(VENV)/.stamp  ## make .venv with the locked versions; nothing to do when it is fresh (PYTHON=python3.13: by that one)

demo: setup  ## crawl the built-in web: no internet needed
	@$(BIN)/tenax demo $(ARGS)

console: setup  ## build the console that `tenax serve` shows (ARGS=--watch: again at every change)
	@$(if $(ARGS),$(BIN)/python console/build.py $(ARGS),$(MAKE) -s $(BUILT))

test: setup  ## everything: lint, types, tests (ARGS="-k robots" narrows the tests)
	@$(MAKE) -s -j 3 lint fetch compiled $(BUILT)
	@$(call beside_types,$(PYTEST) -n 7 --dist loadscope $(ARGS))

quick: setup  ## what one wants after every change: lint, types, all tests that need no server
	@$(MAKE) -s -j 2 lint compiled $(BUILT)
	@$(call beside_types,$(PYTEST) -n 3 --dist loadscope --quick $(ARGS))

fetch: setup  ## get the browser and the servers that tests need, as far as they can be had
	@sh requirements/compiler.sh $(VENV) || echo "Tests of what it compiles are skipped; in CI they fail." >&2
	@sh requirements/browser.sh >/dev/null || echo "Tests that find no browser are skipped; in CI they fail." >&2
	@$(BIN)/python -m services fetch || echo "Tests of what is unavailable are skipped; in CI they fail." >&2

check: lint  ## lint, formatting, types
	@$(BIN)/mypy

lint: setup  ## lint and formatting only
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check . || { echo "Formatting differs: run 'make fix'." >&2; exit 1; }

compiled: setup  ## compile the package, once for all processes that import it
	@$(BIN)/python -m compileall -q src

fix: setup  ## let ruff repair and format what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: setup  ## check that the documentation is true, and build it as a site in build/site
	@$(BIN)/pytest -q -p no:xdist tests/test_docs.py tests/test_recipes.py tests/unit/test_site.py
	@$(MAKE) -s site

site: setup  ## build the documentation as a site in build/site, without asking whether it is true
	@sh requirements/docs.sh build/docs-venv
	@build/docs-venv/bin/python docs/site.py

fuzz: setup  ## ask the compiled pass for pages without end, under sanitizers (ARGS="--seconds 3600")
	@$(BIN)/python -m tests.fuzz $(ARGS)

chaos: setup  ## a fleet on real servers while all goes wrong, ten minutes (ARGS="--minutes 2 --seed 7")
	@$(BIN)/python -m tests.chaos $(ARGS)

bench: setup  ## race the crawler against its peers (ARGS="--quick" for a first look)
	@$(BIN)/python -m bench $(ARGS)

services:  ## start private PostgreSQL, Redis, Kafka … and print what to export (ARGS="stop redis")
	@$(MAKE) -s $(VENV)/.stamp >&2  # what goes to stdout is for the shell to evaluate
	@$(BIN)/python -m services $(ARGS)

wheels: setup $(BUILT)  ## make wheel and source archive in dist/, the same bytes whenever from the same commit (PROJECT_URL=…: where it lives)
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} sh -c '\
		$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . && \
		$(BIN)/python -c "from setuptools import build_meta; build_meta.build_sdist(\"dist\")" >/dev/null'
	@rm -rf src/*.egg-info && $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e . && ls dist

lock: setup  ## resolve the versions in requirements/ again (ARGS="--upgrade" for newer ones)
	@sh requirements/lock.sh $(ARGS)

clean:  ## stop the services; remove .venv and everything generated
	@! test -d .services || PATH=$(BIN):$$PATH python3 -m services clean
	rm -rf $(VENV) build dist src/*.egg-info src/tenax/page/_native*.so
	rm -rf console/node_modules console/.node console/dist src/tenax/api/console
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.stamp: requirements/dev.txt pyproject.toml setup.py requirements/setup.sh \
		$(wildcard native/*) src/tenax/page/rules.py src/tenax/page/native.py $(MOVED) $(UNBUILT) $(CHOSEN)
	@sh requirements/setup.sh $(VENV)

$(BUILT): $(VENV)/.stamp $(CONSOLE)
	@$(BIN)/python console/build.py
	@touch $(BUILT)
