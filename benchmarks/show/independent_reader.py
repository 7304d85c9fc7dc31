"""World positions of every BVH file compared with pybvh, which shares no code with segue.

Shows: world positions of every BVH file that pybvh also reads; files left out, with reasons
Bars: within 1e-4 m
Needs: clips; `pybvh` installed
Group: Other programs and long runs

Compared where both interpret the root alike. Left out and listed: files that pybvh refuses, files whose root motion
segue reads as a displacement from its OFFSET, and files whose other joints have position channels.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from _data import require_data
from _runner import Show, run

import segue
from segue.errors import SegueError
from segue.motion.kinematics import world_positions

BAR = 1e-4  # metres


def theirs(path: str) -> tuple[list[str], np.ndarray]:
    """Return joint names and world positions (F, J, 3) in file units, as pybvh reads them."""
    import pybvh

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clip = pybvh.read_bvh_file(path)
        return list(clip.joint_names), np.asarray(clip.joint_positions())


def main(verdicts: Show) -> None:
    try:
        import pybvh  # noqa: F401
    except ImportError:
        print("pybvh is not installed: pip install pybvh")
        sys.exit(1)
    data = require_data()
    compared, worst, apart = 0, 0.0, []
    for path in sorted(data.rglob("*.bvh")):
        name = str(path.relative_to(data))
        try:
            clip = segue.load(path)
            names, places = theirs(str(path))
        except SegueError as error:
            apart.append(f"{name}: segue refuses it ({error})")
            continue
        except Exception as error:  # noqa: BLE001  # any exception means that it cannot read the file
            apart.append(f"{name}: pybvh refuses it ({type(error).__name__}: {str(error)[:60]})")
            continue
        source = clip.source
        channels = source.channels[1:] if source is not None else ()
        if source is None or source.extra.get("root_position") == "displacement":
            apart.append(f"{name}: the root is a displacement from its OFFSET")
            continue
        if any("position" in channel.lower() for joint in channels for channel in joint):
            apart.append(f"{name}: joints other than the root have position channels")
            continue
        ours = world_positions(clip)
        found = metres(places, source.metres_per_unit, source.up)
        shared = [
            (clip.skeleton.names.index(word), names.index(word))
            for word in names
            if word in clip.skeleton.names
        ]
        if len(shared) < clip.skeleton.n_joints or len(found) != clip.n_frames:
            apart.append(
                f"{name}: {len(shared)} joints of {clip.skeleton.n_joints}, {len(found)} frames of {clip.n_frames}"
            )
            continue
        a, b = (np.array(column) for column in zip(*shared, strict=True))
        away = float(np.abs(ours[:, a] - found[:, b]).max())
        verdicts.note(f"{name:<44} {clip.n_frames:>5} frames  {away:.1e} m")
        compared, worst = compared + 1, max(worst, away)
    for line in apart:
        verdicts.note(f"left out  {line}")
    verdicts.check("files compared", compared, ">= 40")
    verdicts.check("largest difference of a joint's place", worst, f"<= {BAR}", unit="m")


def metres(places: np.ndarray, unit: float, up: str) -> np.ndarray:
    """Convert file units and axes to metres with Y up."""
    places = places * unit
    return np.stack([places[..., 0], places[..., 2], -places[..., 1]], axis=-1) if up == "Z" else places


if __name__ == "__main__":
    run(main, "world positions of BVH files compared with an independent reader")
