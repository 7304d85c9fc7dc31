"""Foot phases and the choice of a method."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import sequencing as naive
from segue.motion.keytimes import keytimes
from segue.sequencing.choice import JoinWindow, choose_method
from segue.sequencing.decisions import FootPhase
from segue.sequencing.phases import foot_phases, stand_around

FLAGS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
FPS = st.sampled_from([20.0, 30.0, 60.0])


@given(FLAGS, FPS)
def test_phases_are_those_of_the_definition(flags: list[tuple[bool, bool]], fps: float) -> None:
    """For any support, phases equal those of loops over the definition."""
    stretched = [pair for pair in flags for _ in range(3)]
    found = foot_phases(np.array(stretched), fps)
    assert [(p.foot, p.begin_frame, p.end_frame) for p in found] == naive.phases(stretched, fps)


@given(FLAGS)
def test_left_and_right_change_places(flags: list[tuple[bool, bool]]) -> None:
    """With the feet exchanged every phase is the other foot's."""
    support = np.array(flags)
    other = {"left": "right", "right": "left", "both": "both"}
    found = {(other[p.foot], p.begin_frame, p.end_frame) for p in foot_phases(support, 20.0)}
    assert found == {(p.foot, p.begin_frame, p.end_frame) for p in foot_phases(support[:, ::-1], 20.0)}


PHASES = st.lists(
    st.builds(
        lambda foot, begin, length: FootPhase(foot, begin, begin + length),
        st.sampled_from(["left", "right", "both"]),
        st.integers(0, 90),
        st.integers(4, 30),
    ),
    max_size=5,
)


@given(PHASES, PHASES, st.integers(0, 60), st.integers(1, 60), st.integers(-20, 60))
def test_methods_are_chosen_by_the_definition(
    previous: list[FootPhase], following: list[FootPhase], left: int, room: int, starts: int
) -> None:
    """Method and phases are those that loops choose; rejected methods have a reason."""
    window = JoinWindow(left, left + room, min(starts, left + room), 120, 30.0)
    found = choose_method(previous, following, window)

    def plain(phases: list[FootPhase]) -> list[tuple[str, int, int]]:
        return [(p.foot, p.begin_frame, p.end_frame) for p in phases]

    wanted = naive.choose(
        plain(previous), plain(following), left=window.left, met=window.met, starts=window.starts, fps=30.0
    )
    chosen = [
        None if p is None else (p.foot, p.begin_frame, p.end_frame)
        for p in (found.previous_phase, found.following_phase)
    ]
    assert (found.method, *chosen) == wanted
    assert all(one.reason for one in found.lost)


@given(PHASES, st.integers(0, 4), st.integers(-50, 50))
def test_the_other_foot_stands_from_its_last_step_to_its_next(
    phases: list[FootPhase], number: int, later: int
) -> None:
    """Loops find the same stand; it shares at least one frame with the phase, and moves with the phases."""
    phase = phases[number] if number < len(phases) else FootPhase("left", 40, 60)
    found = stand_around(phase, phases, within=(-10, 130))
    plain = [(one.foot, one.begin_frame, one.end_frame) for one in (phase, *phases)]
    assert found == naive.stand_around(plain[0], plain[1:], -10, 130)
    assert found[0] < phase.end_frame
    assert found[1] > phase.begin_frame
    moved = stand_around(
        phase.moved(later), [one.moved(later) for one in phases], within=(later - 10, later + 130)
    )
    assert moved == (found[0] + later, found[1] + later)


def test_a_walk_moves_one_foot_after_the_other() -> None:
    """In a walk the phases of the feet alternate, and none is of both."""
    walk = segue.sample("walk")
    feet = [phase.foot for phase in foot_phases(keytimes(walk).support, walk.fps)]
    assert len(feet) > 4
    assert "both" not in feet
    assert all(a != b for a, b in itertools.pairwise(feet))


@pytest.mark.data
def test_a_captured_jump_has_a_phase_of_both_feet(data: Path) -> None:
    """CMU 16_01, a jump, has both feet off the ground for a third of a second."""
    clip = segue.load(data / "asf_amc" / "16" / "16_01.amc", skeleton=data / "asf_amc" / "16" / "16.asf")
    flights = [p for p in foot_phases(keytimes(clip).support, clip.fps) if p.foot == "both"]
    assert max(p.n_frames for p in flights) / clip.fps > 1 / 3
