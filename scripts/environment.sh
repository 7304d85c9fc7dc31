# Makes .venv in the project's root and installs segue into it; sourced by the other scripts from the root.
#
#   prepare demo   what `make demo` needs: segue, matplotlib and the studio's server
#   prepare dev    what `make test` needs: also test tools, with node from its Python wheel, in the exact versions of
#                  requirements-dev.txt; SEGUE_NEWEST=1 takes the newest that pyproject.toml allows
#
# A stamp file named by a digest of these files makes the second run quick. SEGUE_PYTHON chooses another Python.

VENV=.venv

say() { printf '%s\n' "$*" >&2; }

# A Python counts when it runs (a version manager's shim may not), can make environments, and is new enough.
works() {
    "$1" -c "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < $2)" >/dev/null 2>&1
}

find_python() {
    if [ -n "${SEGUE_PYTHON:-}" ]; then
        works "$SEGUE_PYTHON" "(4, 0)" && { echo "$SEGUE_PYTHON"; return; }
        say "SEGUE_PYTHON=$SEGUE_PYTHON is not a working Python 3.11 or newer with venv."
        return 1
    fi
    # Versions segue is tested on come first; a newer one is better than none.
    for newest in "(3, 14)" "(4, 0)"; do
        for python in python3 python3.13 python3.12 python3.11 python /usr/bin/python3; do
            works "$python" "$newest" && { command -v "$python"; return; }
        done
    done
    say "No working Python 3.11 or newer with venv was found (tried python3, python3.13, python3.12, python3.11)."
    say "Install one (on Debian or Ubuntu also python3-venv), or name one: SEGUE_PYTHON=/path/to/python make ..."
    return 1
}

stamp() {
    "$VENV/bin/python" - "$1" <<'END'
import hashlib, os, pathlib, sys
files = ("pyproject.toml", "scripts/environment.sh", *(["requirements-dev.txt"] if sys.argv[1] == "dev" else []))
text = b"".join(pathlib.Path(name).read_bytes() for name in files) + os.environ.get("SEGUE_NEWEST", "").encode()
print(f".venv/segue-{sys.argv[1]}-{hashlib.sha256(text + str(pathlib.Path.cwd()).encode()).hexdigest()[:16]}.stamp")
END
}

prepare() {
    if [ -d "$VENV" ] && ! works "$VENV/bin/python" "(4, 0)"; then
        say "The environment in $VENV does not run any more: making it anew."
        rm -rf "$VENV"
    fi
    if [ ! -d "$VENV" ]; then
        chosen=$(find_python) || exit 1
        say "Making an environment in $VENV with $("$chosen" --version 2>&1) ($chosen)."
        "$chosen" -m venv "$VENV"
    fi
    if [ -f "$(stamp dev)" ] || [ -f "$(stamp "$1")" ]; then
        say "The environment in $VENV is up to date."
        return
    fi
    if [ "$1" = dev ]; then extra=dev; else extra=plot,studio; fi
    exact=""
    if [ "$1" = dev ]; then exact="--constraint requirements-dev.txt"; fi
    if [ -n "${SEGUE_NEWEST:-}" ]; then exact="--upgrade --upgrade-strategy eager"; fi
    say "Installing segue and what it needs into $VENV (the first time takes a minute or two)."
    # shellcheck disable=SC2086  # options and their values
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check $exact --editable ".[$extra]"
    rm -f "$VENV"/segue-"$1"-*.stamp
    : >"$(stamp "$1")"
}
