"""Joins at which only the heading differs, so that a missing turn cannot go unnoticed."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.maths.planar import PlanarMotion
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.kinematics import world_positions
from segue.motion.skeleton import EndSite, Skeleton
from segue.settings import Blend, SeamBounds
from segue.synthesis.assemble import Plan, assemble
from segue.synthesis.joins import JoinArrays
from segue.synthesis.retarget import retarget
from segue.synthesis.transition_check import check_joins
from segue.transitions.transition import TransitionPoint

BOUNDS = SeamBounds()


def _grown(body: Skeleton, factor: float) -> Skeleton:
    """The same body, larger."""
    sites = [EndSite(site.joint, factor * site.offset) for site in body.end_sites]
    return Skeleton(body.names, body.parents, factor * body.offsets, sites)


def _beside(a: Clip, b: Clip, i: int, j: int, *, turn: float) -> PlanarMotion:
    """Motion that turns B and puts the root of its frame on that of A's."""
    shift = a.root_positions[i] - PlanarMotion(turn).apply(b.root_positions[j])
    return PlanarMotion(turn, float(shift[0]), float(shift[2]))


@pytest.mark.parametrize("turn", [0.0, 0.4, -1.5, 3.0])
@pytest.mark.parametrize("length", [0, 10])
def test_the_check_turns_what_the_motion_turns(turn: float, length: int) -> None:
    """Roots meet and headings do not: the check gives the badness of the assembled motion's seam."""
    clips = [segue.sample("walk", 30.0), segue.sample("walk_slow", 30.0)]
    placing = _beside(clips[0], clips[1], 40, 25, turn=turn)
    joins = JoinArrays(
        np.array([0]),
        np.array([40]),
        np.array([1]),
        np.array([25]),
        np.array([[placing.turn, placing.x, placing.z]]),
        length,
    )
    made = assemble(clips, Plan(0, 0, (joins.join(0),), clips[1].n_frames))
    (seam,) = seams(made, clips)
    found = check_joins(clips, joins, blend=Blend(seconds=length / 30.0), bounds=BOUNDS, feet="free").badness
    assert found[0] == pytest.approx(seam.badness(BOUNDS), rel=1e-9)


@pytest.mark.parametrize("turn", [-2.0, 0.7])
def test_another_body_arrives_turned_and_in_place(turn: float) -> None:
    """A clip of a larger body, far away and with another heading, continues where the first one goes."""
    a = segue.sample("walk", 30.0)
    larger = retarget(a, _grown(a.skeleton, 1.3))
    b = moved(larger, PlanarMotion(turn, 30.0, -50.0))
    i, j = 60, 60
    placing = _beside(a, b, i, j, turn=float(heading(a)[i] - heading(b)[j]))
    made = segue.splice(a, b, TransitionPoint(a.name, b.name, i, j, 0.0, "aligned", placing, 0.0, True))
    assert made.skeleton is a.skeleton
    assert np.abs(np.sin(heading(made)[i - 10 :] - heading(a)[i - 10 : made.n_frames])).max() < 1e-3
    steps = np.linalg.norm(np.diff(world_positions(made)[:, 0], axis=0), axis=1)
    own = np.linalg.norm(np.diff(world_positions(a)[:, 0], axis=0), axis=1)
    assert steps.max() < 1.15 * own.max()
