"""NPZ, DeepMimic, FBX, C3D: every file and every awkward case, and the reader's assumptions.

Shows: every NPZ, DeepMimic, FBX and C3D file and every awkward input of NPZ and C3D
Bars: all read or refused as specified; pickles refused; one clip as FBX within 1 mm of its BVH in the median, 6 mm at
    most
Needs: clips, awkward inputs, `segue[fbx]`
Group: Files
"""

from __future__ import annotations

import csv
import json

import numpy as np
from _data import DATA, require_data
from _runner import Show, run

from segue.errors import FileError, SegueError
from segue.io import load
from segue.io.markers import read_markers
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions

SHARED = DATA.parent
PATTERNS = ("misc/deepmimic/*.txt", "misc/npz_kimodo/*.npz", "fbx/*/*.fbx")


def files(verdicts: Show) -> None:
    """Check that every file is read, and print the reader's assumptions."""
    paths = [path for pattern in PATTERNS for path in sorted((SHARED / "data").glob(pattern))]
    read = 0
    for path in paths:
        try:
            clip = load(path)
        except SegueError as error:
            verdicts.note(f"{path.name}: {error}")
            continue
        read += 1
        size = f"{clip.n_frames} frames at {clip.fps:.6g}, {clip.skeleton.n_joints} joints"
        verdicts.note(f"{path.name}: {size}; {'; '.join(clip.source.notes if clip.source else ())}")
    verdicts.check("motion files read", f"{read} of {len(paths)}", "all", read == len(paths) > 0)
    c3d = read_markers(SHARED / "data/c3d/pyomeca/markers_analogs.c3d")
    verdicts.note(f"C3D: {c3d.n_frames} frames, {len(c3d.names)} markers; {'; '.join(c3d.notes)}")
    refused = 0
    pickles = sorted((SHARED / "data/misc/poselib_npy").glob("*.npy"))
    for path in pickles:
        try:
            load(path)
        except FileError as error:
            refused += "pickle" in str(error)
    verdicts.check("pickles refused", f"{refused} of {len(pickles)}", "all", refused == len(pickles) > 0)


def case_holds(row: dict[str, str]) -> bool:
    """Return whether one case is read as specified, or refused with the specified words."""
    wanted = json.loads(row["check_json"])
    path = SHARED / "cases" / row["file"]
    try:
        found = read_markers(path) if row["kind"] == "c3d" else load(path)
    except FileError as error:
        return wanted["outcome"] != "ok" and all(word in str(error) for word in wanted["error_mentions"])
    wanted = wanted.get("alternative", wanted)
    joints = found.skeleton.n_joints if isinstance(found, Clip) else len(found.names)
    given = {"frames": found.n_frames, "fps": found.fps, "joint_count": joints, "points": joints}
    return wanted["outcome"] == "ok" and all(given[key] == wanted[key] for key in given if key in wanted)


def cases(verdicts: Show) -> None:
    """Run all cases of these kinds."""
    with (SHARED / "cases/index.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["kind"] in {"npz-amass", "c3d"}]
    for kind in ("npz-amass", "c3d"):
        mine = [row for row in rows if row["kind"] == kind]
        held = sum(case_holds(row) for row in mine)
        verdicts.check(f"cases {kind}", f"{held} of {len(mine)}", "all", held == len(mine) > 0)


def same_motion(verdicts: Show) -> None:
    """Compare 01_01 as BVH and FBX, without the leading T-pose."""
    fbx = load(SHARED / "data/fbx/cmu_blender/01_01_cmu.fbx")
    bvh = load(SHARED / "data/cmu/mb2/01_01.bvh")
    common = [name for name in bvh.skeleton.names if name in fbx.skeleton.names]
    places = [world_positions(c)[1:, [c.skeleton.index(name) for name in common]] for c in (fbx, bvh)]
    away = np.linalg.norm(places[0] - places[1], axis=-1)
    verdicts.check("01_01, FBX against BVH, median", float(np.median(away)), "<= 1e-3", unit="m")
    verdicts.check(
        "01_01, FBX against BVH, largest (keys thinned out)", float(away.max()), "<= 6e-3", unit="m"
    )


def main(verdicts: Show) -> None:
    """Print every measurement with its bar."""
    require_data()
    files(verdicts)
    cases(verdicts)
    same_motion(verdicts)


if __name__ == "__main__":
    run(main, "More formats")
