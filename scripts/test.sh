#!/bin/sh
# Everything a change must pass, in one command: `make test`. All steps run; the summary at the end says which failed.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare dev

BIN=$PWD/$VENV/bin
PYTHON=$BIN/python
PATH=$BIN:$PATH
# Hundreds of processes are started: what they compile of segue is kept for the next one.
unset PYTHONDONTWRITEBYTECODE
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
trap 'exit 130' INT TERM
CORES=2
failed=""
summary=""

step() { # step NAME COMMAND...: heading, run, remember the outcome and the time
    name=$1
    shift
    printf '\n==== %s\n' "$name"
    begun=$(date +%s)
    if "$@"; then outcome=ok; else outcome=FAILED failed="$failed '$name'"; fi
    summary="$summary$(printf '%-34s %-7s %4d s' "$name" "$outcome" $(($(date +%s) - begun)))
"
}

# beside NAME COMMAND...: while the next steps run; `joined` waits for it and shows what it printed.
beside() {
    aside=$1
    shift
    { begun=$(date +%s); if "$@"; then outcome=ok; else outcome=FAILED; fi
      echo "$outcome $(($(date +%s) - begun))" >"$TMP/beside.outcome"; } >"$TMP/beside.text" 2>&1 &
}

joined() {
    wait
    printf '\n==== %s\n' "$aside"
    cat "$TMP/beside.text"
    read -r outcome seconds <"$TMP/beside.outcome" || outcome=FAILED seconds=0
    [ "$outcome" = ok ] || failed="$failed '$aside'"
    summary="$summary$(printf '%-34s %-7s %4d s' "$aside" "$outcome" "$seconds")
"
}

lint() { "$BIN/ruff" check . && "$BIN/ruff" format --check .; }

# The browser's side: types, unit tests, and what is built of it is that of these sources.
client() { "$PYTHON" scripts/client.py --test; }

# Pages in Debian's Chromium, drawn in software and offline. Each file opens its page once, so that a file stays whole.
browser() {
    sh scripts/chromium.sh && SEGUE_BROWSER=1 "$PYTHON" -m pytest -q -n "$CORES" --dist loadfile tests/browser
}

# The exit status would be tee's: it goes through a file.
suite() {
    { "$PYTHON" -m pytest -n "$CORES" --durations=30 --hypothesis-profile=ci --ignore tests/browser; echo $? >"$TMP/status"; } | tee "$TMP/suite"
    tail -n 1 "$TMP/suite" >"$TMP/closing"
    return "$(cat "$TMP/status")"
}

doctests() { "$PYTHON" -m pytest -q -n "$CORES" --doctest-modules src/segue; }

# Warnings are fatal; nothing is fetched. Every example of the gallery runs while the pages are built.
docs() { "$PYTHON" -m sphinx -q -W --keep-going -E -j "$CORES" -d build/doctrees docs build/docs; }

wheel() {
    "$PYTHON" -m build --wheel --outdir "$TMP/dist" . >"$TMP/build.log" 2>&1 || { cat "$TMP/build.log"; return 1; }
    "$PYTHON" -m venv "$TMP/wheel" &&
        "$PYTHON" scripts/sbom.py "$TMP"/dist/*.whl &&
        "$TMP/wheel/bin/python" -m pip install --quiet --disable-pip-version-check "$TMP"/dist/*.whl &&
        sh scripts/smoke.sh "$TMP/wheel/bin" "$TMP/elsewhere"
}

# What the step of the lowest versions runs in, once there is a wheel.
lowest_environment() {
    "$PYTHON" scripts/lowest.py plot fbx usd scale learn >"$TMP/lowest.txt" &&
        "$PYTHON" -m venv "$TMP/lowest" &&
        "$TMP/lowest/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$TMP/lowest.txt" \
            "$(ls "$TMP"/dist/*.whl)[plot,fbx,usd,scale,learn]" pytest pytest-xdist hypothesis
}

wheel_and_lowest_environment() { wheel && lowest_environment; }

# The lowest version of every dependency and of five extras at once; on Python 3.11 and 3.12 that is numpy 1.26. Warnings
# about things that newer libraries will drop are no fault of the older ones that call them.
lowest() {
    paste -s -d ' ' "$TMP/lowest.txt" &&
        "$TMP/lowest/bin/python" -c 'import numpy, scipy, numba; print("numpy", numpy.__version__, "scipy", scipy.__version__, "numba", numba.__version__)' &&
        "$PYTHON" scripts/chosen.py >"$TMP/chosen-new" && "$TMP/lowest/bin/python" scripts/chosen.py >"$TMP/chosen-old" &&
        { cmp "$TMP/chosen-new" "$TMP/chosen-old" || { echo "the lowest and the newest versions choose other transitions"; false; }; } &&
        "$TMP/lowest/bin/python" -m pytest -q -n "$CORES" --hypothesis-profile=few -m "not data and not slow" --durations=10 \
            -W ignore::DeprecationWarning \
            tests/maths tests/motion tests/costs tests/transitions tests/blending tests/synthesis tests/graph \
            --ignore tests/graph/test_pairs.py --ignore tests/motion/test_faults.py \
            tests/test_documents.py tests/app/test_record.py tests/app/test_replay.py tests/app/test_versions.py \
            tests/library/test_cluster.py tests/cli/test_commands.py tests/cli/test_nonsense.py tests/cli/test_walk.py \
            tests/cli/test_library.py tests/cli/test_library_nonsense.py tests/io/test_fbx_read.py \
            tests/io/test_usd_write.py tests/pictures/test_filmstrip_pictures.py tests/measures/test_window_features.py \
            tests/learning/test_judging.py
}

# With the libraries it wants, the lowest torch is gigabytes: SEGUE_TORCH=1 asks for it.
lowest_torch() {
    "$PYTHON" scripts/lowest.py gpu >"$TMP/torch.txt" &&
        "$PYTHON" -m venv "$TMP/torch" &&
        "$TMP/torch/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$TMP/torch.txt" \
            "$(ls "$TMP"/dist/*.whl)[gpu]" pytest hypothesis array-api-strict &&
        paste -s -d ' ' "$TMP/torch.txt" &&
        "$TMP/torch/bin/python" -m pytest -q --hypothesis-profile=few -k torch tests/costs/test_array_api.py
}

step "client" client # first, for the wheel carries it
beside "wheel away from the sources" wheel_and_lowest_environment
step "lint and format" lint
step "floors" "$BIN/lint-imports"
step "types" "$BIN/mypy"
joined
step "tests" suite
step "browser" browser
beside "docs" docs # which keeps little more than one core busy
step "kernels interpreted for coverage" "$PYTHON" scripts/kernel_coverage.py
step "examples in docstrings" doctests
joined
step "lowest versions" lowest
[ "${SEGUE_TORCH:-}" != 1 ] || step "lowest torch" lowest_torch

printf '\n==== Summary\n%s' "$summary"
cat "$TMP/closing"
if [ -n "$failed" ]; then
    printf 'failed:%s\n' "$failed"
    exit 1
fi
echo "all steps passed"
