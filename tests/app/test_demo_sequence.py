"""The demo sequence of embedded clips stays free of slip when its motions are moved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from segue.app.demo import demo_sequence
from segue.app.sequencing import make
from segue.sequencing.sequence import MotionSequence, make_sequence


@pytest.fixture(scope="module")
def demo() -> MotionSequence:
    """The sequence before any edit."""
    return make(demo_sequence())


def dragged(made: MotionSequence, number: int, *, seconds: float, smoothness: float = 0.5) -> MotionSequence:
    """The sequence with one motion moved by `seconds`."""
    placed = list(made.script.placements)
    placed[number] = replace(placed[number], at=(placed[number].at or 0.0) + seconds)
    script = replace(made.script, placements=tuple(placed), smoothness=smoothness)
    return make_sequence(made.material.elements, script, fps=made.fps)


@pytest.mark.parametrize("smoothness", [0.0, 0.5, 1.0])
def test_wherever_a_motion_is_dragged_feet_stay(demo: MotionSequence, smoothness: float) -> None:
    """Each motion is moved by up to 0.5 s in steps of 0.1 s; once held, planted feet slip less than 2 mm."""
    for number in range(len(demo.script.placements)):
        for tenths in range(-5, 6):
            again = dragged(demo, number, seconds=tenths / 10, smoothness=smoothness)
            assert max(pair.slip_after for pair in again.pairs) < 0.002


def test_a_run_meets_the_foot_that_stands_and_not_where_it_has_gone(demo: MotionSequence) -> None:
    """If the range is longer than both steps, the next motion is placed by the stance between them."""
    names = [one.motion for one in demo.script.placements]
    for seconds in (0.25, 0.3, 0.35):
        again = dragged(demo, names.index("hurry"), seconds=seconds)
        pair = next(one for one in again.pairs if one.previous == "hurry")
        assert pair.method == "transition"
        assert pair.slip_before < 0.05
