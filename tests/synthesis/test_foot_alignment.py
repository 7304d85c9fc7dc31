"""Alignments that make standing feet meet: compared with a search, and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.maths.planar import PlanarMotion
from segue.synthesis.assemble import Join
from segue.synthesis.feet.alignment import _BODY, _WIDE, feet_met
from segue.synthesis.feet.steps import ground_places
from segue.synthesis.joins import JoinArrays

WALK, SLOW = segue.sample("walk", 30.0), segue.sample("walk_slow", 30.0)
N = 10


def joined(a_start: int, b_start: int, at: PlanarMotion) -> JoinArrays:
    """One blend from the walk to the slow one."""
    return JoinArrays.of(Join(0, a_start, 1, b_start, N, at))


def apart(joins: JoinArrays, at: PlanarMotion, first: PlanarMotion) -> float:
    """The objective: weighted squared distances between standing parts, and of the move of the body."""
    (a, firm_a), (b, firm_b) = ground_places(WALK), ground_places(SLOW)
    i, j = int(joins.a_start[0]), int(joins.b_start[0])
    total = 0.0
    t = (np.arange(N) + 1.0) / (N + 1.0)
    from segue.maths.easing import ease_out

    share = ease_out(N)
    assert len(t) == len(share)
    for k in range(N):
        for part in range(4):
            weight = firm_a[i + k, part] * firm_b[j + k, part] * 4 * share[k] * (1 - share[k]) / (N / 2)
            x, z = b[j + k, part]
            there = at.apply(np.array([x, 0.0, z]))[[0, 2]]
            total += weight * float(np.sum((a[i + k, part] - there) ** 2))
    root = SLOW.root_positions[j : j + N].mean(axis=0) * [1.0, 0.0, 1.0]
    middle = first.apply(root)
    back = first.inverse().then(at)
    for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        point = middle + _WIDE * np.array([x, 0.0, z])
        total += _BODY * float(np.sum((back.apply(point) - point)[[0, 2]] ** 2))
    return total


@settings(max_examples=10)
@given(st.integers(5, 60), st.integers(5, 60), st.floats(-0.2, 0.2), st.floats(-0.1, 0.1))
def test_no_alignment_near_it_is_better(a_start: int, b_start: int, turn: float, x: float) -> None:
    """Slightly more or less turn or shift increases the distance of standing parts and body."""
    first = PlanarMotion(turn, x, 0.3)
    found = feet_met([WALK, SLOW], joined(a_start, b_start, first))
    at = found.join(0).alignment
    best = apart(found, at, first)
    assert best <= apart(found, first, first) + 1e-12
    for change in (PlanarMotion(0.01), PlanarMotion(-0.01), PlanarMotion(0, 0.01), PlanarMotion(0, 0, 0.01)):
        assert best <= apart(found, at.then(change), first) + 1e-9


def test_feet_that_meet_already_stay() -> None:
    """The alignment of a clip joined to itself in place is zero."""
    joins = JoinArrays.of(Join(0, 20, 0, 20, N, PlanarMotion()))
    assert feet_met([WALK], joins).alignment == pytest.approx(np.zeros((1, 3)), abs=1e-12)


def test_many_joins_are_each_as_alone() -> None:
    """Joins of their own lengths are as if alone, and a hard cut is unchanged."""
    starts = [(10, 12, 8), (20, 33, 12), (15, 15, 0)]
    alone = [
        feet_met([WALK, SLOW], JoinArrays.of(Join(0, a, 1, b, n, PlanarMotion(0.1, 0.2, 0.3))))
        for a, b, n in starts
    ]
    a, b, n = (np.array(column) for column in zip(*starts, strict=True))
    both = feet_met(
        [WALK, SLOW],
        JoinArrays(np.zeros(3, int), a, np.ones(3, int), b, np.tile([0.1, 0.2, 0.3], (3, 1)), 12, lengths=n),
    )
    for k, one in enumerate(alone):
        assert both.alignment[k] == pytest.approx(one.alignment[0], abs=1e-12)
    assert both.alignment[2].tolist() == [0.1, 0.2, 0.3]
