#!/bin/sh
# Find a Chromium for rendering pages, or get one where that is possible without asking.
# Prints its path. Ends with 1, and says what to do, when there is none.
set -eu

find_chromium() {
    # The one named in the settings, those in PATH, what `playwright install` has left.
    for name in ${TENAX_BROWSER__EXECUTABLE:+"$TENAX_BROWSER__EXECUTABLE"} \
        chromium chromium-browser google-chrome google-chrome-stable \
        "${HOME:-}"/.cache/ms-playwright/chromium-*/chrome-linux*/chrome; do
        # Running it is the proof: Ubuntu's chromium-browser only tells you to use snap.
        if command -v "$name" >/dev/null 2>&1 && "$name" --version >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    return 1
}

advise() {
    echo "No Chromium found, and $1. Install one yourself (Debian: apt install chromium;" \
        "or: playwright install --with-deps chromium), or set TENAX_BROWSER__EXECUTABLE to" \
        "the path of a Chrome or Chromium you have." >&2
    exit 1
}

if find_chromium; then
    exit 0
fi
[ "$(id -u)" -eq 0 ] || advise "only root may install one"
command -v apt-get >/dev/null 2>&1 || advise "this system has no apt-get"
echo "Installing chromium with apt-get ..." >&2
export DEBIAN_FRONTEND=noninteractive
{
    apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium
} >&2 || advise "apt-get could not install one (see above)"
find_chromium || advise "the one that apt-get installed does not run"
