"""Which plan of a pair changes speeds less: naive twin, law, and real pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import segue
from naive import sequencing as naive
from segue.maths.quaternions import multiply
from segue.motion.resample import cut, resampled
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.footholds import HeldMotion, unheld
from segue.sequencing.gentle import CLEARLY, LONGEST, _whole_phase, gentler_plan, hardest_change, speed_change
from segue.sequencing.planning import highest_frame, plan_pair
from segue.sequencing.prepared import ready
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import make_sequence

PIECES = (("05/05_02", 0.8, 3.6), ("05/05_02", 4.2, 7.0), ("05/05_16", 0.2, 2.6), ("17/17_10", 7.0, 9.5))


@given(arrays(np.float64, (6, 3, 3), elements=st.floats(-1, 1)))
def test_the_hardest_change_is_the_naive_one(points: np.ndarray) -> None:
    """Central differences, the mean of the points, and their largest step match loops."""
    assert hardest_change(points, 60.0) == pytest.approx(
        naive.hardest_change(points.tolist(), 60.0), abs=1e-9
    )


@given(arrays(np.float64, (8, 2, 3), elements=st.floats(-1, 1)), st.floats(0.1, 3.0))
def test_it_grows_with_the_motion_and_not_with_its_place(points: np.ndarray, size: float) -> None:
    """The change scales with the motion; its place does not matter."""
    once = hardest_change(points, 60.0)
    assert hardest_change(size * points + 2.0, 60.0) == pytest.approx(size * once, rel=1e-6, abs=1e-6)


@pytest.fixture(scope="module")
def pieces(data: Path) -> list[HeldMotion]:
    """Pieces of a dancer and a boxer at 60 frames a second, their cores in the middle."""
    out, body = [], None
    for number, (path, begin, end) in enumerate(PIECES):
        clip = segue.load(data / "asf_amc" / f"{path}.amc")
        body = body or clip.skeleton
        clip = cut(resampled(segue.retarget(clip, body), 60.0), round(begin * 60), round(end * 60))
        middle = clip.n_frames // 2
        element = ElementaryMotion(str(number), clip, (middle - 15, middle + 15))
        out.append(unheld(ready(element, body, 60.0)))
    return out


@pytest.mark.data
def test_the_gentler_of_both_is_taken_and_a_flight_keeps_its_highest_pose(pieces: list[HeldMotion]) -> None:
    """Best ranges that are not clearly better are replaced and reported as lost; a flight keeps its highest frame."""
    taken = 0
    for previous in pieces:
        for other in pieces:
            following = other.motion
            offset = previous.motion.core[1] + 36 - following.core[0]
            plan = plan_pair(previous, following, offset, smoothness=0.5)
            made = gentler_plan(plan, previous, following)
            ours, best = (speed_change(one, previous, following) for one in (made, plan))
            if made is not plan:
                taken += 1
                assert best > CLEARLY * ours
                assert "whole step" in made.lost[-1].reason
            phase = plan.previous_phase
            top = None if phase is None else highest_frame(previous.motion, phase, 0)
            if top is not None and top >= plan.window.left:
                assert made.lower.curve.begin >= top
                assert made.upper.begin >= top
    assert taken > 0


def test_a_body_that_comes_to_its_end_is_not_frozen_until_the_next_core() -> None:
    """Arms are raised, no foot steps, the cores are far apart: the blend begins at the latest where the first motion
    ends, and no frame repeats the one before."""
    stand = segue.sample("stand")
    raised = np.array(stand.rotations)
    for side, angle in (("LeftArm", 1.2), ("RightArm", -1.2)):
        joint = stand.skeleton.index(side)
        raised[:, joint] = multiply(
            raised[:, joint], np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
        )
    elements = {
        "first": ElementaryMotion("first", cut(stand, 0, 60), (20, 40)),
        "second": ElementaryMotion("second", cut(stand.with_motion(rotations=raised), 60, 300), (200, 220)),
    }
    script = SequenceScript((Placement("first", at=1.0), Placement("second", at=1.0 + 230 / 60)))
    made = make_sequence(elements, script)
    (pair,) = made.pairs
    assert pair.method == "adaptation without step"
    first, second = made.placed
    plan = plan_pair(first.motion, second.motion.motion, second.start - first.start, smoothness=0.5)
    whole = _whole_phase(plan, first.motion, second.motion.motion)
    assert whole.lower.begin == whole.upper.begin == 59
    assert whole.lower.end == whole.upper.end == 59 + LONGEST * made.fps
    assert np.abs(np.diff(made.clip.rotations, axis=0)).max(axis=(1, 2)).min() > 0.0
