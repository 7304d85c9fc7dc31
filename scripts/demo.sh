#!/bin/sh
# Makes an endless motion from the clips inside segue: `make demo`, or `sh scripts/demo.sh` without make.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare demo
say "Running: segue demo $*"
exec "$VENV/bin/segue" demo --force "$@"
