#!/bin/sh
# Make the environment that builds the documentation's site: `make docs`. Apart from .venv, since
# nothing else needs it.
set -eu
venv=$1
if [ "$venv/.stamp" -nt requirements/docs.txt ]; then
    exit 0
fi
rm -rf "$venv"
.venv/bin/python -m venv "$venv"
if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --require-hashes --python "$venv/bin/python" -r requirements/docs.txt
else
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --require-hashes \
        -r requirements/docs.txt
fi
touch "$venv/.stamp"
