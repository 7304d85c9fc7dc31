"""A changed file: which frames of the old version are which of the new one, and the labels that go with them.

**Rule.** Two frames agree when every joint is turned alike within 0.1 degrees and the root stands within a millimetre
(in the old skeleton's size). Agreeing frames are put together in runs: the longest run first, then the longest before
it and behind it, so that frames that were cut off, cut out or put in between shift the rest and no more; runs under
four frames count only where a clip is that short. Frames that are equal to the last digits go before frames that only
agree, because in slow motion neighbours agree too. Where no run is found because the clip was moved, turned or scaled
as a whole, joints below the root are compared alone. A label goes to the frames from its first to its last agreeing
one; a label without any stays with the version it was given to. Tags go along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Floats, Ints, sealed
from segue.library.connection import Store
from segue.library.labels import Label, labels_of, tags_of, write_label, write_tag
from segue.maths.quaternions import to_matrix
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton

TURN = float(np.radians(0.1))
"""Radians within which two joints are turned alike."""
PLACE = 1e-3
"""Metres within which two roots stand alike."""
SHORTEST = 4
"""Frames of the shortest run that counts: still moments agree with much."""
EQUAL = 1e-4
"""Part of `TURN` and `PLACE` within which frames are equal but for the last digits of a file."""


@dataclass(frozen=True)
class Carried:
    """What became of the labels of a changed clip: carried over as they were, with other frames, or left behind."""

    clip: str
    kept: tuple[Label, ...] = ()
    moved: tuple[tuple[Label, Label], ...] = ()
    left: tuple[Label, ...] = ()


def agreeing(old: Clip, new: Clip) -> Ints:
    """Frame of the new clip (F,) that each frame of the old one has become; -1 where there is none.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> later = segue.Clip(walk.skeleton, walk.rotations[100:], walk.root_positions[100:], walk.fps)
    >>> agreeing(walk, later)[[99, 100, 360]].tolist()
    [-1, 0, 260]
    """
    out = np.full(old.n_frames, -1, dtype=np.int64)
    a, b = old.skeleton, new.skeleton
    if a.names != b.names or not np.array_equal(a.parents, b.parents):
        return sealed(out)
    for root in (True, False):
        if not root and a.n_joints == 1:
            break
        for start, at, length in runs(_features(old, root=root), _features(new, root=root)):
            out[start : start + length] = np.arange(at, at + length)
        if np.any(out >= 0):
            break
    return sealed(out)


def _features(clip: Clip, *, root: bool) -> Floats:
    """Numbers (F, D) that differ by under 1 where frames agree: two axes of every joint, the root's place.

    The place is measured in the clip's own bone lengths, taken as those of a body of 10 m in all.
    """
    axes = to_matrix(clip.rotations[:, 0 if root else 1 :])[..., :2]
    turns = axes.reshape(clip.n_frames, -1) / TURN
    if not root:
        return np.ascontiguousarray(turns)
    place = clip.root_positions * (_BONES / _bones(clip.skeleton)) / PLACE
    return np.ascontiguousarray(np.concatenate([place, turns], axis=1))


_BONES = 10.0
"""Metres of bone in a person of common size."""


def _bones(skeleton: Skeleton) -> float:
    """Metres of bone, or as many as of a person where there are none."""
    return float(np.linalg.norm(skeleton.offsets[1:], axis=1).sum()) or _BONES


def runs(a: Floats, b: Floats) -> list[tuple[int, int, int]]:
    """Runs of agreeing rows of ``a`` (N, D) and ``b`` (M, D): first row of each and length, in order on both sides.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.arange(20.0)[:, None] * 5
    >>> runs(a, np.delete(a, [8, 9], axis=0))
    [(0, 0, 8), (10, 8, 10)]
    """
    shortest = min(SHORTEST, len(a), len(b))
    found: list[tuple[int, int, int]] = []
    for scale in (EQUAL, 1.0):
        ends = [*found, (len(a), len(b), 0)]
        start = at = 0
        for first, other, length in ends:
            found += _between(a / scale, b / scale, (start, first, at, other), shortest)
            start, at = first + length, other + length
        found.sort()
    return found


def _between(
    a: Floats, b: Floats, gap: tuple[int, int, int, int], shortest: int
) -> Iterator[tuple[int, int, int]]:
    """Runs in a gap (first and last row of ``a``, then of ``b``, half open), the longest first."""
    todo = [gap]
    while todo:
        start, stop, at, end = todo.pop()
        if min(stop - start, end - at) < shortest:
            continue
        first, other, length = longest_run(a[start:stop], b[at:end])
        if length < shortest:
            continue
        first, other = start + first, at + other
        yield first, other, length
        todo += [(start, first, at, other), (first + length, stop, other + length, end)]


def longest_run(a: Floats, b: Floats) -> tuple[int, int, int]:
    """First rows and length of the longest run of rows of ``a`` (N, D) and ``b`` (M, D) that differ by at most 1.

    Among equals the first in ``a``, then the first in ``b``.

    Examples
    --------
    >>> import numpy as np
    >>> longest_run(np.array([[0.0], [5.0], [9.0]]), np.array([[5.2], [9.1], [70.0]]))
    (1, 0, 2)
    """
    if a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1.0)):
        return 0, 0, len(a)
    length, before = np.zeros(len(b) + 1, dtype=np.int64), np.zeros(len(b) + 1, dtype=np.int64)
    first = np.ascontiguousarray(b[:, :3].T)
    best = (0, 0, 0)
    same = np.zeros(0, dtype=np.int64)
    for row, values in enumerate(a):
        if row == 0 or not np.array_equal(values, a[row - 1]):  # a pose that is held is looked for once
            near = np.abs(first[0] - values[0]) <= 1.0
            for axis in range(1, len(first)):
                near &= np.abs(first[axis] - values[axis]) <= 1.0
            maybe = np.flatnonzero(near)
            same = maybe[np.all(np.abs(b[maybe] - values) <= 1.0, axis=1)]
        length[:] = 0
        length[same + 1] = before[same] + 1
        longest = int(length.max())
        if longest > best[2]:
            best = (row + 1 - longest, int(length.argmax()) - longest, longest)
        length, before = before, length
    return best


def carry(store: Store, name: str, *, old_id: int, new_id: int, frames: Ints) -> Carried:
    """Carry labels and tags from one version to the next; the caller holds a transaction."""
    kept, moved, left = [], [], []
    for label in labels_of(store, old_id).get(old_id, ()):
        new = carried_label(label, frames)
        if new is None:
            left.append(label)
            continue
        write_label(store, new_id, new)
        if new == label:
            kept.append(label)
        else:
            moved.append((label, new))
    for text in tags_of(store, old_id).get(old_id, ()):
        write_tag(store, new_id, text)
    return Carried(name, tuple(kept), tuple(moved), tuple(left))


def carried_label(label: Label, frames: Ints) -> Label | None:
    """Label on the frames from its first to its last agreeing one; None where none agrees."""
    found = frames[label.start_frame : label.stop_frame]
    found = found[found >= 0]
    if not found.size:
        return None
    return replace(label, start_frame=int(found.min()), stop_frame=int(found.max()) + 1)
