"""Slip of plants by contacts and by the plain rule: their twin, and no excess in the source itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import windows as naive
from segue.maths.planar import PlanarMotion
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.low_feet import low_feet
from segue.measures.seams import source_rows
from segue.measures.slip import slips, source_lengths
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world


def _places(clip: Clip) -> list:
    return foot_positions(clip.skeleton, world(clip)).tolist()


def _check_twin(motion: Clip, clips: list[Clip]) -> None:
    by_name = {clip.name: clip for clip in clips}
    shown = []
    for pair, weight, frame in zip(
        motion.origin.clip, motion.origin.weight, motion.origin.frame, strict=True
    ):
        column = 0 if weight[0] >= weight[1] else 1
        name = motion.origin.clips[pair[column]]
        shown.append((name, int(source_rows(by_name[name], name, frame[column : column + 1])[0])))
    places = {name: _places(by_name[name]) for name in {name for name, _ in shown}}
    found = slips(motion, clips)
    for plants, flags in (
        (found.contacts, carried_contacts(motion, clips)),
        (found.low, low_feet(motion)),
    ):
        twin = naive.slips(_places(motion), flags.tolist(), shown, places)
        assert [(one.start, one.stop) for one in plants] == [one[1:3] for one in twin]
        np.testing.assert_allclose([one[3:5] for one in plants], [one[3:5] for one in twin], atol=1e-9)


def _made(clips: list[Clip], seed: int) -> tuple[Clip, list[Clip]]:
    graph = segue.MotionGraph.build(clips)
    return segue.render(graph.wander(seconds=10, seed=seed)), list(graph.clips)


def test_slips_are_their_twin() -> None:
    """Plants, their paths and their sources' equal plain loops, in a motion of sample clips."""
    _check_twin(*_made([segue.sample(name, 30.0) for name in ("walk", "stop", "start")], 1))


def test_twin_on_real_clips(data: Path) -> None:
    """The same holds for captured walks."""
    _check_twin(*_made([segue.load(data / f"asf_amc/16/16_{k}.amc") for k in (15, 16, 21, 22, 31)], 2))


@given(turn=st.floats(-3.0, 3.0), x=st.floats(-9.0, 9.0), z=st.floats(-9.0, 9.0))
def test_a_clip_slips_nothing_beyond_itself(turn: float, x: float, z: float) -> None:
    """At any position of a clip, none of its plants moves farther than in the clip, by either rule."""
    clip = segue.sample("walk_turn_left", 30.0)
    found = slips(moved(clip, PlanarMotion(turn, x, z)), [clip])
    for plants in found:
        assert plants
        np.testing.assert_allclose([one.beyond for one in plants], 0.0, atol=1e-9)


def test_feet_dragged_along_slip_beyond_their_source() -> None:
    """A motion whose root drifts at 10 cm/s slips by that much more by both rules; it is slow enough to stay low."""
    clip = segue.sample("stand", 30.0)
    drifting = clip.root_positions + np.arange(clip.n_frames)[:, None] / 30.0 * np.array([0.1, 0.0, 0.0])
    made = clip.with_motion(root_positions=drifting, origin=clip.origin)
    found = slips(made, [clip])
    for plants in found:
        total = sum(one.beyond for one in plants) / 4.0
        assert total == pytest.approx(0.1 * clip.seconds, rel=0.05)


def test_contacts_are_the_plants_of_foot_skate() -> None:
    """Without sources the plants by contacts are those of `foot_skate`, and the slip beyond the source is unknown."""
    clip = segue.sample("run", 60.0)
    found, skate = slips(clip), foot_skate(clip)
    assert [(one.part, one.start, one.stop) for one in found.contacts] == [
        one[:3] for one in map(_row, skate)
    ]
    np.testing.assert_allclose(
        [one.along_path for one in found.contacts], [one.along_path for one in skate], atol=1e-12
    )
    assert all(np.isnan(one.beyond) for plants in found for one in plants)
    assert source_lengths(clip, [clip]).shape == (clip.n_frames, 4)


def _row(slide: object) -> tuple:
    return slide.part, slide.start, slide.stop
