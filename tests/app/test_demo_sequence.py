"""The sequence of embedded clips that a newcomer drags first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from segue.app.demo import demo_sequence
from segue.app.sequencing import make
from segue.sequencing.sequence import MotionSequence, make_sequence


@pytest.fixture(scope="module")
def demo() -> MotionSequence:
    """The sequence as it is first shown."""
    return make(demo_sequence())


def dragged(made: MotionSequence, number: int, *, seconds: float, smoothness: float = 0.5) -> MotionSequence:
    """The sequence with one motion later."""
    placed = list(made.script.placements)
    placed[number] = replace(placed[number], at=(placed[number].at or 0.0) + seconds)
    script = replace(made.script, placements=tuple(placed), smoothness=smoothness)
    return make_sequence(made.material.elements, script, fps=made.fps)


@pytest.mark.parametrize("smoothness", [0.0, 0.5, 1.0])
def test_wherever_a_motion_is_dragged_feet_stay(demo: MotionSequence, smoothness: float) -> None:
    """Each motion up to half a second earlier or later, by tenths: planted feet slip under 2 mm once they are held."""
    for number in range(len(demo.script.placements)):
        for tenths in range(-5, 6):
            again = dragged(demo, number, seconds=tenths / 10, smoothness=smoothness)
            assert max(pair.slip_after for pair in again.pairs) < 0.002


def test_a_run_meets_the_foot_that_stands_and_not_where_it_has_gone(demo: MotionSequence) -> None:
    """Where the range is longer than both steps the following motion is placed by the stand between them."""
    names = [one.motion for one in demo.script.placements]
    for seconds in (0.25, 0.3, 0.35):
        again = dragged(demo, names.index("hurry"), seconds=seconds)
        pair = next(one for one in again.pairs if one.previous == "hurry")
        assert pair.method == "transition"
        assert pair.slip_before < 0.05
