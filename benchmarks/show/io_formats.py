"""Files in and out: the glTF validator's report, BVH round trips, and positions compared with other programs.

Shows: Khronos' validator on GLB, BVH round trips over every captured clip, positions compared with other programs
Bars: no error and no warning; 1e-6 after a round trip; 1e-4 cm from another program's table; 1e-4 units between AMC
    and its BVH
Needs: clips; a network once for the validator
Group: Files
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from _gltf_validator import validate
from _runner import Show, run

from segue.io import load, save
from segue.maths.quaternions import rotate
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.samples import sample

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def glb(verdicts: Show, folder: Path) -> None:
    """Run Khronos' validator on a captured and a made clip."""
    clips = [load(DATA / "asf_amc/16/16_11.amc"), load(DATA / "misc/geno/Geno_stance.bvh"), sample("walk")]
    files = [folder / f"{clip.name}.glb" for clip in clips]
    for clip, file in zip(clips, files, strict=True):
        save(clip, file)
    for file, report in validate(files).items():
        found = f"{report['errors']} / {report['warnings']}"
        verdicts.check(f"GLB validator: {file.name}, errors / warnings", found, "0 / 0", found == "0 / 0")
        for message in report["messages"]:
            verdicts.note(f"    {message['code']}: {message['message']}")


def difference(a: Clip, b: Clip) -> float:
    """Return the largest difference of rotations (quaternion parts), root positions, offsets (metres) and rate."""
    sign = np.sign(np.sum(a.rotations * b.rotations, axis=-1, keepdims=True))
    return max(
        float(np.abs(a.rotations - sign * b.rotations).max()),
        float(np.abs(a.root_positions - b.root_positions).max()),
        float(np.abs(a.skeleton.offsets - b.skeleton.offsets).max()),
        abs(a.fps - b.fps),
    )


def there_and_back(verdicts: Show, folder: Path) -> None:
    """Check BVH load after save over every captured clip."""
    worst, where, count = 0.0, "", 0
    files = sorted([*DATA.glob("cmu/**/*.bvh"), *DATA.glob("asf_amc/**/*.amc"), *DATA.glob("misc/**/*.bvh")])
    for file in files:
        clip = load(file)
        save(clip, folder / "again.bvh")
        far = difference(clip, load(folder / "again.bvh"))
        count += 1
        if far > worst:
            worst, where = far, file.name
    verdicts.check(f"BVH load∘save over {count} files (worst {where})", worst, "<= 1e-6")


def against_another_tool(verdicts: Show) -> None:
    """Compare world positions of walk01.bvh with those of another program, end sites included."""
    clip = load(DATA / "misc/bvhtoolbox/walk01.bvh", unit=0.01, up="Y")
    with (DATA / "misc/bvhtoolbox/walk01_pos.csv").open() as stream:
        rows = list(csv.reader(stream))
    table = np.array(rows[1:], dtype=float)
    at, worst = world(clip), 0.0
    names = [head[:-2] for head in rows[0][1::3]]
    for index, name in enumerate(names):
        joint = clip.skeleton.index(name.removesuffix("_End"))
        position = at.positions[:, joint]
        if name.endswith("_End"):
            position = position + rotate(at.rotations[:, joint], clip.skeleton.tip(joint))
        worst = max(worst, float(np.abs(100 * position - table[:, 1 + 3 * index : 4 + 3 * index]).max()))
    label = f"walk01.bvh against its CSV, {len(names)} points × {len(table)} frames"
    verdicts.check(label, worst, "<= 1e-4", unit="cm")


def against_converted(verdicts: Show) -> None:
    """Compare AMC positions with BVH files converted by another program."""
    worst, where, count = 0.0, "", 0
    for bvh in sorted(DATA.glob("cmu/from_amc/*.bvh")):
        amc = next(DATA.glob(f"asf_amc/*/{bvh.stem}.amc"), None)
        if amc is None:
            continue
        a, b = load(amc), load(bvh)
        far = np.abs(world(a).positions - world(b).positions).max() / a.source.metres_per_unit
        count += 1
        if far > worst:
            worst, where = float(far), bvh.stem
    label = f"AMC against from_amc BVH, {count} pairs (worst {where})"
    verdicts.check(label, worst, 1e-4, worst <= 1e-4 and count > 0, "units")


def main(verdicts: Show) -> None:
    if not DATA.is_dir():
        sys.exit(f"the real clips are not at {DATA}")
    folder = verdicts.folder
    glb(verdicts, folder)
    there_and_back(verdicts, folder)
    against_another_tool(verdicts)
    against_converted(verdicts)


if __name__ == "__main__":
    run(main, "Files in and out")
