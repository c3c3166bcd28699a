#!/bin/sh
# Make a virtual environment with the locked versions and this tree installed in place.
# Called by `make setup` from the repository's root, with the environment's folder. PYTHON says by
# which Python; without it by the first in PATH that is new enough.
set -eu
venv=$1
here=$(pwd -P)

# Being in PATH proves nothing: version managers leave stubs that only print an error.
works() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

has_uv() {
    command -v uv >/dev/null 2>&1
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        works "$PYTHON" && echo "$PYTHON" && return
        echo "PYTHON=$PYTHON is no Python 3.11 or newer. Name one that is, or leave it out." >&2
        return 1
    fi
    for python in python3 python3.13 python3.12 python3.11; do
        if works "$python"; then
            echo "$python"
            return
        fi
    done
    echo "Tenax needs Python 3.11 or newer, and none was found in PATH (tried python3," \
        "python3.13, python3.12, python3.11). Install one and run 'make setup' again." >&2
    return 1
}

make_venv() {
    python=$(find_python)
    echo "Making $venv with $("$python" --version) ..."
    rm -rf "$venv"
    if ! "$python" -m venv "$venv" >/dev/null 2>&1 && ! uv_venv "$python"; then
        echo "$python cannot make virtual environments: install its venv module" \
            "(Debian: apt install python3-venv), or uv, and run 'make setup' again." >&2
        return 1
    fi
    printf '%s\n' "$here" >"$venv/.made-in"
}

uv_venv() {
    rm -rf "$venv"
    has_uv && uv venv --quiet --seed --python "$(command -v "$1")" "$venv"
}

install() {
    if has_uv; then
        uv pip install --quiet --compile-bytecode --python "$venv/bin/python" "$@"
    else
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --no-input --root-user-action=ignore "$@"
    fi
}

is_of_another_python() {
    [ -n "${PYTHON:-}" ] && [ "$(told_by "$PYTHON")" != "$(told_by "$venv/bin/python")" ]
}

told_by() {
    "$1" -c 'import sys; print(sys.base_prefix, sys.version)' 2>/dev/null
}

# A copied environment still points at the folder it was made in: never mend one, remake it.
if [ "$(cat "$venv/.made-in" 2>/dev/null)" != "$here" ] || ! works "$venv/bin/python" \
    || is_of_another_python; then
    make_venv
fi
echo "Installing the locked versions ..."
# The locks are complete, and so is the build backend in them: nothing is left to resolve.
install --no-deps --require-hashes -r requirements/dev.txt
# An extension compiled before must not outlive the sources it was made from.
rm -f src/tenax/page/_native*.so
install --no-deps --no-build-isolation -e .
# Being built proves nothing either: it has to load.
if ! "$venv/bin/python" -c 'import tenax.page._native' >/dev/null 2>&1; then
    echo "The C extension could not be built, most likely because there is no C compiler or" \
        "Python's headers are missing: Tenax works, but reads pages more slowly; install them" \
        "(Debian: apt install gcc python3-dev) and run 'make setup' again." >&2
fi
# Where the environment forbids Python to keep compiled code, every start would compile it anew.
"$venv/bin/python" -m compileall -q src
touch "$venv/.stamp"
echo "Ready: $("$venv/bin/python" --version) in $venv."
