"""`Contacts.foot` returns the side that was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from segue.motion.contacts import Contacts

FLAGS = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)


@pytest.mark.parametrize(("side", "frames"), [("left", [0, 1]), ("right", [2, 3])])
def test_a_foot_is_down_when_its_own_heel_or_toe_is(side: str, frames: list[int]) -> None:
    """A foot is down when its own heel or toe is; the other side's parts do not count."""
    found = Contacts(FLAGS, np.zeros(4), 30.0)
    assert np.flatnonzero(found.foot(side)).tolist() == frames
    assert np.array_equal(found.foot(side), getattr(found, f"{side}_heel") | getattr(found, f"{side}_toe"))
