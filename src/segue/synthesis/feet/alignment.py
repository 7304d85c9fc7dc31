"""Align motions so that feet which stand in both of them meet.

A ground alignment fits entire bodies to each other: a foot that stands in both motions may then stand at two places,
and slides from one to the other during the blend. Turned and shifted slightly, the second motion puts it where it
stands in the first, and no correction is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segue.arrays import Floats, Ints
from segue.maths.easing import ease_out
from segue.maths.planar import turned
from segue.motion.clip import Clip
from segue.motion.roles import NEEDED, roles
from segue.synthesis.feet.steps import ground_places
from segue.synthesis.joins import JoinArrays

_BODY = 0.15
"""Weight of the alignment of the bodies relative to one foot part that stands throughout the blend."""
_WIDE = 0.5  # metres: distance from the root of the points that represent a body
_CHUNK = 1024


def feet_met(clips: Sequence[Clip], joins: JoinArrays) -> JoinArrays:
    """Return joins whose alignments (P, 3) let feet meet that stand in both motions, as far as bodies allow it.

    The alignment is moved by the turn and the shift that minimise the squared distances of heels and toes, weighted by
    how firmly both motions have them on the ground and by the product of blend weights, and of four points around the
    root, which limit the move (`segue.maths.planar.fit`, in closed form for all joins in one batch).
    """
    if not len(joins) or not set(NEEDED) <= roles(clips[0].skeleton).keys():
        return joins
    used = np.bincount(np.concatenate([joins.a_clip, joins.b_clip])).nonzero()[0]
    places = [ground_places(clips[k]) for k in used.tolist()]
    ground, firm = (np.concatenate(column) for column in zip(*places, strict=True))
    root = np.concatenate([clips[k].root_positions[:, ::2] for k in used.tolist()])
    counts = np.array([clips[k].n_frames for k in used.tolist()])
    starts = np.zeros(int(used[-1]) + 1, dtype=np.int64)
    starts[used] = np.cumsum(counts) - counts
    last = np.zeros_like(starts)
    last[used] = counts - 1
    alignment = np.array(joins.alignment)
    for rows, alike in joins.alike():
        if alike.length < 2:
            continue
        for start in range(0, len(rows), _CHUNK):
            part = np.arange(start, min(start + _CHUNK, len(rows)))
            some = alike.take(part)
            a, b = (
                starts[clip][:, None] + np.minimum(np.maximum(_frames(some, side), 0), last[clip][:, None])
                for side, clip in ((0, some.a_clip), (1, some.b_clip))
            )
            alignment[rows[part]] = _met(some.alignment, ground[a], ground[b], firm[a] * firm[b], root[b])
    return replace(joins, alignment=alignment)


def _frames(joins: JoinArrays, side: int) -> Ints:
    """Nearest frames (P, n) that play in blends."""
    return np.ceil(joins.played(side) - 0.5).astype(np.int64)


def _met(alignment: Floats, a: Floats, b: Floats, firm: Floats, root: Floats) -> Floats:
    """Alignments (P, 3) moved so that places (P, n, 4, 2) of standing parts meet."""
    count, n = firm.shape[:2]
    share = ease_out(n)
    weights = (firm * (4.0 * share * (1.0 - share) / (0.5 * n))[:, None]).reshape(count, -1)
    turn, shift = alignment[:, 0], alignment[:, 1:]
    there = turned(turn[:, None, None], b) + shift[:, None, None]
    middle = turned(turn, root.mean(axis=1)) + shift
    around = middle[:, None] + _WIDE * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    source = np.concatenate([there.reshape(count, -1, 2), around], axis=1)
    target = np.concatenate([a.reshape(count, -1, 2), around], axis=1)
    weights = np.concatenate([weights, np.full((count, 4), _BODY)], axis=1)[..., None]
    total = weights.sum(axis=1)
    centre, goal = (weights * source).sum(axis=1) / total, (weights * target).sum(axis=1) / total
    p, q = source - centre[:, None], target - goal[:, None]
    cross = (weights[..., 0] * (q[..., 0] * p[..., 1] - q[..., 1] * p[..., 0])).sum(axis=1)
    same = (weights[..., 0] * (p * q).sum(axis=-1)).sum(axis=1)
    more = np.arctan2(cross, same)
    return np.column_stack([turn + more, turned(more, shift - centre) + goal])
