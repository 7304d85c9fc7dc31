#!/bin/sh
# Makes an endless motion from the clips inside segue and opens the studio: `make demo`, or `sh scripts/demo.sh` without
# make. Where no browser can open, it prints the command instead.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare demo
say "Running: segue demo $*"
"$VENV/bin/segue" demo --force "$@"

browser() {
    [ -t 1 ] && [ -z "${CI:-}" ] && { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; }
}
if browser; then
    say "Opening the studio on the embedded clips; Ctrl-C ends it."
    exec "$VENV/bin/segue" studio
fi
say "To see them move, arrange and steer them in a browser: $VENV/bin/segue studio"
