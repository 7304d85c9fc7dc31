"""Write a tiny library of segue's current layout, to be kept for ever: ``python tests/formats/make.py``.

Run it once when a layout is new, and commit the file. Later versions of segue must open every one of them; a file that
was released is never written again (``--again`` is for a layout that still changes before its first release).
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from pathlib import Path

import segue
from segue.library.elements import KeptSequence
from segue.library.schema import VERSION
from segue.sequencing.proposing import ElementRange

HERE = Path(__file__).resolve().parent


def part(name: str, start: int, stop: int) -> segue.Clip:
    """Some frames of a sample clip; its values are exact in a file."""
    clip = segue.sample(name)
    rows = slice(start, stop)
    return segue.Clip(clip.skeleton, clip.rotations[rows], clip.root_positions[rows], clip.fps, name=name)


def write(path: Path) -> None:
    """Write two clips, one in two versions, labels, a tag, given roles, a made motion, a verdict, a sequence."""
    with tempfile.TemporaryDirectory() as folder, segue.Library.open(path) as library:
        walk, run = Path(folder) / "walk.bvh", Path(folder) / "run.bvh"
        segue.save(part("walk", 0, 12), walk)
        segue.save(part("run", 0, 8), run)
        library.add(folder, roles={"head": ""})
        library.label("walk", "first", start_frame=0, stop_frame=2, by="somebody")
        library.label("walk", "steady", start_frame=4, stop_frame=10)
        library.tag("walk", "neutral")
        library.add_elements([ElementRange("step", "walk", 3, 12, 5, 9, ("left",))])
        library.add_sequence(
            KeptSequence("twice", {"motions": [{"motion": "step"}, {"motion": "step", "at": 0.5}]})
        )
        segue.save(part("walk", 3, 12), walk)
        library.add(folder)
        library.add(part("stand", 0, 4).with_motion(name="made"))
        with library.store.writing() as db:
            db.execute(
                "INSERT INTO verdict SELECT a.id, b.id, 2, 3, 1, 'somebody' FROM clip a, clip b "
                "WHERE a.current AND b.current AND a.name = 'walk' AND b.name = 'run'"
            )
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA page_size = 512")
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    target = HERE / f"v{VERSION}.segue"
    if target.exists() and "--again" not in sys.argv:
        sys.exit(f"{target.name} is kept as it is; raise VERSION for another layout")
    target.unlink(missing_ok=True)
    write(target)
    print(f"{target.name}: {target.stat().st_size} bytes")
