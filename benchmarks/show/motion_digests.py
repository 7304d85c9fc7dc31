"""Digests of motions, compared with a table: a change that alters any motion is noticed and must be confirmed.

Shows: digests of rotations and root positions of wander, stitch, walk, loop, floor and steer, of embedded and real
    clips, compared with the table in `motion_digests.json`; ``--record`` rewrites the table
Bars: every motion equals that of the table, on the same processor with the same libraries
Needs: clips
Group: The house

Other processors and libraries may round differently, and one last digit can change the choice of a transition: the
table names those it was made with, and on others digests are printed without a verdict.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import platform
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy
from _runner import Show, run
from _walkers import walker

from segue.accel.emitter import ACROSS, BYTES
from segue.app.steering import steer_script
from segue.cli import app
from segue.io import load
from segue.motion.clip import Clip
from segue.runtime.steered.player import Command

TABLE = Path(__file__).with_suffix(".json")
SAMPLES = ("sample:walk", "sample:stop", "sample:start", "sample:run")
REAL = ("16/16_15.amc", "16/16_16.amc", "16/16_17.amc", "16/16_35.amc")
PATH = "x,z\n0,0\n0,2\n1,4\n"


def digest(clip: Clip) -> str:
    """Return sixteen hexadecimal digits that identify the frames of a clip, bit for bit."""
    whole = clip.rotations.tobytes() + clip.root_positions.tobytes()
    return hashlib.sha256(whole).hexdigest()[:16]


def motions(show: Show) -> Iterator[tuple[str, str]]:
    """Yield name and digest of each motion."""
    path = show.folder / "path.csv"
    path.write_text(PATH)
    real = [str(show.clips / "asf_amc" / name) for name in REAL]
    for label, files in (("samples", SAMPLES), ("real clips", real)):
        show.note(f"making motions of {label}")
        verbs = {
            "wander": ["wander", *files, "--seconds", "20"],
            "wander, feet free": ["wander", *files, "--seconds", "20", "--feet", "free"],
            "wander, dynamics": ["wander", *files, "--seconds", "20", "--set", "weighting=dynamics"],
            "stitch": ["stitch", *files[:2]],
            "walk": ["walk", *files, "--path", path],
            "loop": ["loop", files[0], "--times", "2"],
            "floor": ["floor", *files, "-n", "2", "--seconds", "5"],
        }
        for verb, words in verbs.items():
            ending = "glb" if verb == "floor" else "npz"
            out = show.folder / f"{label} {verb}.{ending}".replace(" ", "-").replace(",", "")
            with contextlib.redirect_stdout(io.StringIO()):
                app([*map(str, words), "--json", "-o", str(out)], standalone_mode=False)
            whole = (
                hashlib.sha256(out.read_bytes()).hexdigest()[:16] if verb == "floor" else digest(load(out))
            )
            yield f"{verb}, {label}", whole
    script = [(0.0, Command("stand")), (2.0, Command("walk", 1.2)), (6.0, Command("run", 2.8, 0.5))]
    yield "steer, real clips", digest(steer_script(walker(), script, fps=60.0, seconds=10.0).clip)


def machine() -> dict[str, str]:
    """Return the properties of this machine that affect rounding."""
    return {
        "processor": f"{platform.machine()}, {BYTES} bytes a vector, {ACROSS} across",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def main(show: Show) -> None:
    """Compare with the table, or write it."""
    found = dict(motions(show))
    here = machine()
    if show.options.record:
        TABLE.write_text(json.dumps({"machine": here, "motions": found}, indent=1) + "\n", "utf-8")
        show.note(f"{TABLE.name}: {len(found)} motions")
        return
    empty: dict[str, dict[str, str]] = {"machine": {}, "motions": {}}
    table = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else empty
    show.more["digests"] = found
    known = table["motions"]
    other = [name for name, value in found.items() if known.get(name) != value]
    for name in other:
        show.note(f"another motion: {name}: {found[name]}, {known.get(name, 'not in the table')}")
    if table["machine"] == here:
        show.check(f"of {len(found)} motions, others than in the table", len(other), "= 0")
    else:
        show.note(
            f"{len(other)} of {len(found)} differ; the table was made with {table['machine']}, here {here}"
        )


if __name__ == "__main__":
    run(
        main,
        "Digests of motions",
        {"--record": {"action": "store_true", "help": "write the table of this machine anew"}},
    )
