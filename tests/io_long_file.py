"""A BVH file of waves, of any length."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def long_file(path: Path, *, joints: int, frames: int, fps: float) -> None:
    """Rows ``i, 90, 0`` and then 30 sin(0.01 (i + j)) for three rotation channels a joint, in one long chain."""
    lines = ["HIERARCHY"]
    for joint in range(joints):
        kinds = "6 Xposition Yposition Zposition" if joint == 0 else "3"
        lines += [f"{'JOINT' if joint else 'ROOT'} j{joint}", "{", "OFFSET 0 1 0"]
        lines += [f"CHANNELS {kinds} Zrotation Xrotation Yrotation"]
    lines += ["}"] * joints + ["MOTION", f"Frames: {frames}", f"Frame Time: {1 / fps:.8f}"]
    waves = [f"{30 * np.sin(0.01 * k):.6f}" for k in range(frames + 3 * joints)]
    with path.open("w") as stream:
        stream.write("\n".join(lines) + "\n")
        for i in range(frames):
            stream.write(f"{i} 90 0 {' '.join(waves[i : i + 3 * joints])}\n")
