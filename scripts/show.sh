#!/bin/sh
# Runs the benchmarks of benchmarks/show in turn and says at the end which bars were met.
#
# Those that ask other programs need these installed or fetch them (Blender alone is 840 MB), and fuzz takes many
# minutes: these ON_REQUEST run only with SEGUE_SHOW_ALL=1 make show
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh
prepare dev
ON_REQUEST="docs_gallery fbx_by_autodesk fuzz independent_reader mujoco_agrees notebook_plays opens_in_blender pages_seen player_from_disk plays_in_browser psignifit_agrees reading_speed seam_classifier studio_states studio_tabs study_people study_recovery study_seven"
missed=""
met=""
left=""
for script in benchmarks/show/[!_]*.py; do
    name=$(basename "$script" .py)
    case " $ON_REQUEST " in
        *" $name "*) [ "${SEGUE_SHOW_ALL:-}" = 1 ] || { left="$left $name"; continue; } ;;
    esac
    printf '\n==== %s\n' "$script"
    if "$VENV/bin/python" "$script"; then met="$met $name"; else missed="$missed $name"; fi
done
printf '\n==== Summary\nmet:   %s\nmissed:%s\n' "${met:- none}" "${missed:- none}"
[ -z "$left" ] || printf 'not run:%s (they need other programs or long; SEGUE_SHOW_ALL=1 make show runs them too)\n' "$left"
[ -z "$missed" ]
