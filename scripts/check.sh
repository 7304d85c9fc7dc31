#!/bin/sh
# What a change must pass before it is shown to anybody, in under a minute: lint, floors, types, and the tests of the
# files that changed (scripts/where_tested.py knows which these are). `make test` runs everything.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare dev
BIN=$PWD/$VENV/bin
PATH=$BIN:$PATH
failed=""

step() { # step NAME COMMAND...
    name=$1
    shift
    begun=$(date +%s)
    if "$@"; then outcome=ok; else outcome=FAILED failed="$failed '$name'"; fi
    printf '==== %-10s %-6s %3d s\n' "$name" "$outcome" $(($(date +%s) - begun))
}

lint() { "$BIN/ruff" check --quiet . && "$BIN/ruff" format --quiet --check .; }
floors() { "$BIN/lint-imports" >build/floors.txt || { cat build/floors.txt; return 1; }; }

# Tests marked slow are left to `make test`.
tests() {
    files=$("$BIN/python" scripts/where_tested.py --changed)
    [ -n "$files" ] || { echo "nothing changed that a test names"; return 0; }
    # shellcheck disable=SC2086  # one word a file
    "$BIN/python" -m pytest -q -n 2 -m "not slow" $files
}

mkdir -p build
step lint lint
step floors floors
step types "$BIN/mypy"
step tests tests
[ -z "$failed" ] || { printf 'failed:%s\n' "$failed"; exit 1; }
echo "all steps passed; make test runs the rest"
