#!/bin/sh
# Runs every benchmark of benchmarks/show in turn and says at the end which bars were met.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare dev
missed=""
met=""
for script in benchmarks/show/[!_]*.py; do
    printf '\n==== %s\n' "$script"
    if "$VENV/bin/python" "$script"; then met="$met $(basename "$script" .py)"; else missed="$missed $(basename "$script" .py)"; fi
done
printf '\n==== Summary\nmet:   %s\nmissed:%s\n' "${met:- none}" "${missed:- none}"
[ -z "$missed" ]
