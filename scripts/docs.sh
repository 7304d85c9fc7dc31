#!/bin/sh
# The pages with their gallery, into build/docs: `make docs`. Warnings are fatal, as they are in `make test`.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare dev

"$VENV/bin/python" -m sphinx -q -W --keep-going -E -j 2 -d build/doctrees docs build/docs
echo "build/docs/index.html"
