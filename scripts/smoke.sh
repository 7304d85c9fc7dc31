#!/bin/sh
# smoke.sh BIN FOLDER: an installed segue works where its sources cannot be seen.
set -eu
bin=$1
mkdir -p "$2"
cd "$2"
"$bin/segue" --help >help.txt
grep -q wander help.txt
"$bin/python" -c '
import pathlib, sys, segue
home = pathlib.Path(segue.__file__).resolve()
assert pathlib.Path(sys.prefix).resolve() in home.parents, f"segue was imported from {home}"
missing = [name for name in segue.__all__ if getattr(segue, name, None) is None]
assert not missing, missing
print(f"segue {segue.__version__}: {len(segue.__all__)} public names")
'
"$bin/segue" demo --seconds 5
"$bin/segue" film sample:walk -o walk.html
grep -q segue-player walk.html
"$bin/python" -m segue --version
