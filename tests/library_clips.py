"""Short clips, and libraries of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segue.io import save
from segue.library.library import Library
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample


def short(name: str, start: int = 0, stop: int = 80, *, called: str = "") -> Clip:
    """Part of a sample at 30 frames a second."""
    return cut(sample(name, fps=30.0), start, stop).with_motion(name=called or name)


def write_clips(folder: Path) -> Path:
    """Write four samples at 30 frames a second as BVH files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("walk", "walk_left", "stop", "start"):
        save(sample(name, fps=30.0), folder / f"{name}.bvh")
    return folder


def filled(path: Path, clips: Sequence[Clip]) -> Library:
    """Library of some clips."""
    library = Library.open(path)
    library.add(list(clips))
    return library


def same_clip(a: Clip, b: Clip) -> bool:
    """Assert that two clips are equal in everything, floats bit for bit."""
    bodies = (
        a.skeleton.names == b.skeleton.names
        and a.skeleton.parents.tobytes() == b.skeleton.parents.tobytes()
        and a.skeleton.offsets.tobytes() == b.skeleton.offsets.tobytes()
        and [(s.joint, np.asarray(s.offset).tobytes()) for s in a.skeleton.end_sites]
        == [(s.joint, np.asarray(s.offset).tobytes()) for s in b.skeleton.end_sites]
        and a.skeleton.roles_given == b.skeleton.roles_given
    )
    origins = (
        a.origin.clips == b.origin.clips
        and np.array_equal(a.origin.clip, b.origin.clip)
        and np.array_equal(a.origin.frame, b.origin.frame)
        and np.array_equal(a.origin.weight, b.origin.weight)
    )
    return (
        bodies
        and origins
        and a.rotations.tobytes() == b.rotations.tobytes()
        and a.root_positions.tobytes() == b.root_positions.tobytes()
        and (a.fps, a.name, a.source) == (b.fps, b.name, b.source)
    )
