#!/bin/sh
# Resolve the lock files again from pyproject.toml: `make lock`, or `make lock ARGS=--upgrade`.
# One resolution holds for every Python and platform we support, with the hash of every file;
# where the packages came from is left out, since that differs from machine to machine.
set -eu

if ! command -v uv >/dev/null 2>&1; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check uv
    PATH=$PWD/.venv/bin:$PATH
fi

compile() {
    out=$1
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-emit-index-url --no-emit-find-links --output-file "$out" "$@"
    echo "$out: $(grep -c == "$out") packages"
}

compile requirements/runtime.txt pyproject.toml "$@"
compile requirements/dev.txt --constraints requirements/runtime.txt pyproject.toml --group dev "$@"
# What the container image has: every extra that a fleet can be told to use.
fleet="--extra api --extra celery --extra curl --extra kafka --extra pdf --extra postgres --extra redis --extra s3"
# shellcheck disable=SC2086 # words, not one
compile requirements/fleet.txt --constraints requirements/dev.txt pyproject.toml $fleet "$@"
# The same image with a browser in it.
# shellcheck disable=SC2086
compile requirements/browser.txt --constraints requirements/dev.txt pyproject.toml \
    $fleet --extra browser "$@"
# What fetches the console's tools, where the machine has no npm of its own.
compile requirements/console.txt --group console "$@"
# What makes a site of the documents.
compile requirements/docs.txt --group docs "$@"

if grep -nE '://|file:|/home/|/root/' requirements/*.txt; then
    echo "The lock files above name a place only this machine knows; they must not." >&2
    exit 1
fi
