#!/bin/sh
# Runs the benchmarks of benchmarks/show in turn and says at the end which bars were met.
#
# Those that ask other programs (OTHERS) need these installed or fetch them: Blender alone is 840 MB. They run only
# when asked for: SEGUE_SHOW_ALL=1 make show
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare dev
OTHERS="fbx_by_autodesk mujoco_agrees opens_in_blender plays_in_browser reading_speed"
missed=""
met=""
left=""
for script in benchmarks/show/[!_]*.py; do
    name=$(basename "$script" .py)
    case " $OTHERS " in
        *" $name "*) [ "${SEGUE_SHOW_ALL:-}" = 1 ] || { left="$left $name"; continue; } ;;
    esac
    printf '\n==== %s\n' "$script"
    if "$VENV/bin/python" "$script"; then met="$met $name"; else missed="$missed $name"; fi
done
printf '\n==== Summary\nmet:   %s\nmissed:%s\n' "${met:- none}" "${missed:- none}"
[ -z "$left" ] || printf 'not run:%s (they need other programs; SEGUE_SHOW_ALL=1 make show runs them too)\n' "$left"
[ -z "$missed" ]
