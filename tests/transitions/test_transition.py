"""A transition point and its way back."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from segue.maths.planar import PlanarMotion
from segue.transitions.transition import TransitionPoint

NUMBERS = st.floats(-3, 3)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_there_and_back_is_nowhere(turn, x, z):
    """Reversing twice gives the same frames, and the two alignments undo each other."""
    point = TransitionPoint("a", "b", 40, 12, 0.1, "aligned", PlanarMotion(turn, x, z), 0.2, True)
    back = point.reversed()
    assert (back.a_clip, back.b_clip, back.a_frame, back.b_frame) == ("b", "a", 12, 40)
    nowhere = point.alignment.then(back.alignment)
    assert max(abs(nowhere.turn), abs(nowhere.x), abs(nowhere.z)) < 1e-12
    assert back.verified
    assert back.reversed().a_frame == 40


def test_a_start_end_point_does_not_vouch_for_its_way_back():
    """Its way back blends other frames: it is unverified, with unknown cost along the blend."""
    back = TransitionPoint("a", "b", 40, 12, 0.1, "start_end", PlanarMotion(), 0.2, True).reversed()
    assert not back.verified
    assert math.isnan(back.diagonal_cost)
