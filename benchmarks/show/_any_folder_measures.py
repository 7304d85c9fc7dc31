"""Measurements of a finished motion: its seams, its feet, and what it plays of its clips.

Seams are measured by `segue.measures.seams` and, for a few of them, again by the small computation below, which
shares only the range of frames with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import Seam, seams
from segue.motion.clip import Clip
from segue.settings import SeamBounds

CHECKED = 3
"""Seams a motion that are measured a second time."""
AGAIN = 10.0
"""Seconds within which a frame that plays again is a repeat."""
WORST = 3
"""Seams a motion that are listed."""


def measured(motion: Clip, sources: Sequence[Clip], *, seed: int) -> dict[str, Any]:
    """Return all measurements of a motion; ``sources`` are the clips it was made from, on its body at its rate."""
    found = seams(motion, sources)
    return {
        "seconds": motion.seconds,
        "fps": motion.fps,
        "frames": motion.n_frames,
        **seam_numbers(motion, sources, found, seed=seed),
        **slip_numbers(motion, sources, found),
        **played_numbers(motion, sources),
    }


def seam_numbers(motion: Clip, sources: Sequence[Clip], found: list[Seam], *, seed: int) -> dict[str, Any]:
    """Return the badness of every seam, the worst seams by name, and the deviation of the second measurement."""
    bounds = SeamBounds()
    badness = np.array([seam.badness(bounds) for seam in found])
    order = np.argsort(-badness, kind="stable")
    some = np.random.default_rng(seed).permutation(len(found))[:CHECKED]
    apart = [abs(own_badness(motion, sources, found[k]) - badness[k]) / max(badness[k], 1e-9) for k in some]
    return {
        "seams": len(found),
        "within": int(np.sum(badness <= 1.0)),
        "worst": float(badness.max(initial=0.0)),
        "checked": len(apart),
        "check_off": float(max(apart, default=0.0)),
        "worst_seams": [
            {
                "number": int(k) + 1,
                "seconds": found[k].seconds,
                "from": found[k].a_clip,
                "to": found[k].b_clip,
                "badness": float(badness[k]),
                "speed_share": float(found[k].speed_share(bounds).max()),
                "acceleration_ratio": float(found[k].acceleration_ratio.max()),
                "speed_joint": motion.skeleton.names[int(np.argmax(found[k].speed_share(bounds)))],
                "acceleration_joint": motion.skeleton.names[int(np.argmax(found[k].acceleration_ratio))],
            }
            for k in order[:WORST]
        ],
    }


def own_badness(motion: Clip, sources: Sequence[Clip], seam: Seam) -> float:
    """Return the largest share of its bound that any joint reaches, from rotations and offsets alone.

    Over the blended frames and one on either side, a joint may turn up to 1.5 times as fast as it does in either
    source within half a second of where they meet, plus 10 degrees a second, and accelerate up to 1.5 times as
    hard.
    """
    first, last = max(seam.start - 1, 0), min(max(seam.stop, seam.start), motion.n_frames - 1)
    speed = _speeds(motion, first, last)
    acceleration = _accelerations(motion, first, last)
    speed_allowed = acceleration_allowed = np.zeros(motion.skeleton.n_joints)
    for name, frame in ((seam.a_clip, seam.a_frame), (seam.b_clip, seam.b_frame)):
        source, row = _found(sources, name, frame)
        half = round(0.5 * source.fps)
        low, high = row - half, min(row + half, source.n_frames - 1)
        speed_allowed = np.maximum(speed_allowed, _speeds(source, max(low - 1, 0), high))
        acceleration_allowed = np.maximum(acceleration_allowed, _accelerations(source, max(low, 0), high))
    return float(
        max(
            (speed / (1.5 * speed_allowed + np.radians(10.0))).max(),
            (acceleration / (1.5 * np.maximum(acceleration_allowed, 1e-3))).max(),
        )
    )


def _found(sources: Sequence[Clip], name: str, frame: float) -> tuple[Clip, int]:
    """Return the source of a clip, and its row nearest to a frame of that clip.

    A repeated cycle contains each frame several times: the row farthest from both ends is taken.
    """
    for source in sources:
        if name in source.origin.clips:
            shown = source.origin.clip[:, 0] == source.origin.clips.index(name)
            away = np.where(shown, np.abs(source.origin.frame[:, 0] - frame), np.inf)
            nearest = np.flatnonzero(away <= away.min() + 1e-6)
            inside = np.minimum(nearest, source.n_frames - 1 - nearest)
            return source, int(nearest[np.argmax(inside)])
    raise AssertionError(f"no source shows {name}")


def _speeds(clip: Clip, first: int, last: int) -> np.ndarray:
    """Largest angular speed (J,) in rad/s between successive frames, both ends included."""
    out = np.zeros(clip.skeleton.n_joints)
    for row in range(first + 1, last + 1):
        a, b = clip.rotations[row - 1], clip.rotations[row]
        b = np.where(np.sum(a * b, axis=1, keepdims=True) < 0.0, -b, b)
        turn = 4.0 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
        out = np.maximum(out, turn * clip.fps)
    return out


def _accelerations(clip: Clip, first: int, last: int) -> np.ndarray:
    """Largest world acceleration (J,) in m/s^2 at frames with one before and one after, both ends included."""
    out = np.zeros(clip.skeleton.n_joints)
    for row in range(max(first, 1), min(last, clip.n_frames - 2) + 1):
        before, now, after = (_places(clip, k) for k in (row - 1, row, row + 1))
        out = np.maximum(out, np.linalg.norm(after - 2.0 * now + before, axis=1) * clip.fps**2)
    return out


def _places(clip: Clip, row: int) -> np.ndarray:
    """World positions (J, 3) of one frame, joint by joint by rotation matrices."""
    matrices, places = [], []
    for joint, (w, x, y, z) in enumerate(clip.rotations[row]):
        own = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        parent = int(clip.skeleton.parents[joint])
        if parent < 0:
            matrices.append(own)
            places.append(clip.root_positions[row])
        else:
            matrices.append(matrices[parent] @ own)
            places.append(places[parent] + matrices[parent] @ clip.skeleton.offsets[joint])
    return np.array(places)


def slip_numbers(motion: Clip, sources: Sequence[Clip], found: list[Seam]) -> dict[str, Any]:
    """Return slip along the path in mm: of plants that touch a seam, and of every plant of the played clips."""
    played = {motion.origin.clips[k] for k in np.unique(motion.origin.clip) if k >= 0}
    plants = [
        plant.along_path
        for plant in foot_skate(motion, planted=carried_contacts(motion, sources))
        if any(plant.start < max(seam.stop, seam.start + 1) and seam.start < plant.stop for seam in found)
    ]
    own = [
        plant.along_path
        for source in sources
        if played & set(source.origin.clips)
        for plant in foot_skate(source)
    ]
    return {"plants": len(plants), "slip_mm": _spread(plants), "source_slip_mm": _spread(own)}


def _spread(metres: list[float]) -> list[float] | None:
    """Median and 95 % in mm."""
    if not metres:
        return None
    return [float(1e3 * np.median(metres)), float(1e3 * np.percentile(metres, 95))]


def heavier(motion: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Clip (F,) and frame (F,) of the heavier source of every frame."""
    rows = np.arange(motion.n_frames)
    main = np.argmax(motion.origin.weight, axis=1)
    return motion.origin.clip[rows, main], motion.origin.frame[rows, main]


def played_numbers(motion: Clip, sources: Sequence[Clip]) -> dict[str, Any]:
    """Return which clips are played, for how long, the largest share of one clip, and the share of repeats."""
    clip, frame = heavier(motion)
    step = _steps(motion, sources)[clip]
    off = np.abs(np.diff(frame) - step[1:]) > 0.5 * step[1:]
    edges = [0, *(np.flatnonzero((np.diff(clip) != 0) | off) + 1).tolist(), motion.n_frames]
    counts = np.bincount(clip, minlength=len(motion.origin.clips))
    names = motion.origin.clips
    return {
        "played": [names[k] for k in np.argsort(-counts, kind="stable") if counts[k]],
        "stretch": max(b - a for a, b in itertools.pairwise(edges)) / motion.fps,
        "largest": names[int(np.argmax(counts))],
        "largest_share": float(counts.max() / motion.n_frames),
        "repeats": _repeats(clip, np.round(frame / step).astype(int), edges, AGAIN * motion.fps),
    }


def _steps(motion: Clip, sources: Sequence[Clip]) -> np.ndarray:
    """Source frames that each clip advances in one frame of the motion."""
    steps = np.ones(len(motion.origin.clips))
    for source in sources:
        for name in source.origin.clips:
            if name in motion.origin.clips and source.n_frames > 1:
                moved = float(np.median(np.abs(np.diff(source.origin.frame[:, 0]))))
                steps[motion.origin.clips.index(name)] = moved or 1.0
    return steps


def _repeats(clip: np.ndarray, frame: np.ndarray, edges: list[int], within: float) -> float:
    """Share of frames whose source frame was played by an earlier stretch a short while before."""
    last: dict[tuple[int, int], int] = {}
    count = 0
    for start, stop in itertools.pairwise(edges):
        keys = [(int(clip[row]), int(frame[row])) for row in range(start, stop)]
        count += sum(key in last and row - last[key] < within for row, key in enumerate(keys, start=start))
        last.update({key: row for row, key in enumerate(keys, start=start)})
    return count / len(clip)
