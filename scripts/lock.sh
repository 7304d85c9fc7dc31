#!/bin/sh
# Renews requirements-dev.txt: the newest versions that pyproject.toml allows, as pip resolves them in an empty environment.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
chosen=$(find_python) || exit 1
"$chosen" -m venv "$TMP/lock"
"$TMP/lock/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
{
    echo "# Exact versions that segue is developed and tested with: \`make lock\` renews them, \`make test\` installs them."
    "$TMP/lock/bin/python" -m pip list --disable-pip-version-check --format=freeze --exclude-editable \
        --exclude pip --exclude setuptools --exclude wheel
} >"$TMP/requirements-dev.txt"
mv "$TMP/requirements-dev.txt" requirements-dev.txt
say "requirements-dev.txt: $(grep -c == requirements-dev.txt) distributions"
