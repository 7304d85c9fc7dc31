"""The same motions on rigs with unusual rest poses, as written by other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from _data import ROOT

from segue.arrays import Floats, Quaternions
from segue.io import load, save
from segue.maths.euler import to_euler
from segue.maths.quaternions import conjugate, from_yaw, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.facing import heading

sys.path.insert(0, str(ROOT / "tests"))
import rerigged

_ROLL = 2.0


def along_x(clip: Clip, folder: Path) -> Clip:
    """Return the motion read from a BVH whose rest pose has every bone along X, rolled about its axis."""
    path = folder / f"{clip.name}.bvh"
    save(rerigged.along_x(clip, roll=_ROLL), path)
    return load(path)


def on_a_ground_root(clip: Clip, folder: Path) -> Clip:
    """Return the motion read from a BVH with a bone on the ground as ROOT, which travels and turns with the body."""
    turned = from_yaw(heading(clip))
    ground = clip.root_positions * [1.0, 0.0, 1.0]
    hips = rotate(conjugate(turned), clip.root_positions - ground)
    local = np.array(clip.rotations)
    local[:, 0] = multiply(conjugate(turned), local[:, 0])
    path = folder / f"{clip.name}.bvh"
    path.write_text(_written(clip, turned, ground, hips, local), encoding="utf-8")
    return load(path)


def _written(clip: Clip, turned: Quaternions, ground: Floats, hips: Floats, local: Quaternions) -> str:
    """Text of a BVH in centimetres with its ROOT on the ground."""
    body = clip.skeleton
    lines = ["HIERARCHY", "ROOT Ground", "{", "OFFSET 0 0 0", f"CHANNELS 6 {_MOVES} {_TURNS}"]
    order: list[int] = []
    stack: list[tuple[int, bool]] = [(0, True)]
    while stack:
        joint, begins = stack.pop()
        if not begins:
            lines.append("}")
            continue
        order.append(joint)
        channels = f"6 {_MOVES} {_TURNS}" if joint == 0 else f"3 {_TURNS}"
        offset = [0.0, 0.0, 0.0] if joint == 0 else (100 * body.offsets[joint]).tolist()
        lines += [f"JOINT {body.names[joint]}", "{", _row("OFFSET", offset), f"CHANNELS {channels}"]
        tip = body.tip(joint)
        if tip is not None:
            lines += ["End Site", "{", _row("OFFSET", (100 * tip).tolist()), "}"]
        stack += [(joint, False), *((child, True) for child in reversed(body.children[joint]))]
    lines += ["}", "MOTION", f"Frames: {clip.n_frames}", f"Frame Time: {1 / clip.fps:.8f}"]
    turns = np.degrees(to_euler(np.concatenate([turned[:, None], local[:, order]], axis=1), "ZXY"))
    rows = np.concatenate(
        [100 * ground, turns[:, 0], 100 * hips, turns[:, 1:].reshape(clip.n_frames, -1)], axis=1
    )
    lines += [" ".join(f"{value:.6f}" for value in row) for row in rows]
    return "\n".join(lines) + "\n"


_MOVES = "Xposition Yposition Zposition"
_TURNS = "Zrotation Xrotation Yrotation"


def _row(word: str, values: list[float]) -> str:
    return " ".join([word, *(f"{value:.6f}" for value in values)])
