#!/bin/sh
# Build the extension in native/, and get a compiler for it where that is possible without asking.
# Called by `make fetch` with the environment's folder. Ends with 1, and says what to do, when it
# cannot be built.
set -eu
python=$1/bin/python

is_built() {
    "$python" -c 'import tenax.page._native' >/dev/null 2>&1
}

advise() {
    echo "The C extension is not built, and $1. Install a C compiler and Python's headers" \
        "(Debian: apt install gcc python3-dev) and run 'make setup'." >&2
    exit 1
}

if is_built; then
    exit 0
fi
[ "$(id -u)" -eq 0 ] || advise "only root may install a compiler"
command -v apt-get >/dev/null 2>&1 || advise "this system has no apt-get"
echo "Installing a C compiler with apt-get ..." >&2
export DEBIAN_FRONTEND=noninteractive
{
    apt-get update -qq && apt-get install -qq -y --no-install-recommends gcc libc6-dev python3-dev
} >&2 || advise "apt-get could not install a compiler (see above)"
# Modules are found in src/ already: only the extension is new.
"$python" setup.py -q build_ext --inplace >&2 || advise "it does not compile (see above)"
is_built || advise "what was built does not load"
