"""The global optimum of a cost over two clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.costs.matrix import cost_matrix, least_cell
from segue.costs.registry import cost_in_words
from segue.errors import NoTransitionError, SettingError
from segue.io import load
from segue.motion.samples import sample
from segue.transitions.optimum import optimal_transition

WALK, STOP = sample("walk", 30.0), sample("stop", 30.0)


@given(
    st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, np.inf]), min_size=3, max_size=3), min_size=1, max_size=4
    )
)
def test_the_least_cell_is_the_least(rows: list[list[float]]) -> None:
    """Of equal cells the first in reading order is chosen; none where nothing is finite."""
    best = None
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if np.isfinite(value) and (best is None or value < rows[best[0]][best[1]]):
                best = (i, j)
    assert least_cell(np.array(rows)) == best


def test_no_cell_that_can_be_shown_is_cheaper() -> None:
    """The law holds over the complete matrix, and over the cells with the requested seconds before and after."""
    cost = cost_in_words("joint_angle:weights=optimised")
    matrix = cost_matrix(WALK, STOP, cost=cost)
    point = optimal_transition(WALK, STOP, cost=cost)
    assert point.cost == pytest.approx(float(matrix.values.min()))
    room = optimal_transition(WALK, STOP, cost=cost, before=2.0, after=2.0)
    assert room.a_frame >= 60
    assert STOP.n_frames - 1 - room.b_frame >= 60
    assert room.cost >= point.cost
    assert (room.kind, room.verified) == ("aligned", False)


def test_captured_clips(data: Path) -> None:
    """Both weights find their optimum in the complete matrix of two walks of different people."""
    a, b = (load(data / "asf_amc" / name) for name in ("16/16_15.amc", "02/02_01.amc"))
    for weights in ("original", "optimised"):
        cost = cost_in_words(f"joint_angle:weights={weights}")
        point = optimal_transition(a, b, cost=cost)
        assert point.cost == pytest.approx(float(cost_matrix(a, b, cost=cost).values.min()))
        assert 0 <= point.a_frame < a.n_frames


def test_one_clip_with_itself_stays_apart() -> None:
    """The default minimum distance is a second."""
    point = optimal_transition(WALK, WALK)
    assert abs(point.a_frame - point.b_frame) >= 30


def test_clips_too_short_are_said() -> None:
    """The error suggests a fix."""
    with pytest.raises(NoTransitionError, match="use longer clips or show less"):
        optimal_transition(WALK, STOP, before=60.0)


def test_costs_in_words() -> None:
    """Settings follow colons; unknown settings are refused."""
    assert cost_in_words("joint_angle:nu=0.5:weights=optimised").weights == "optimised"
    for words in ("joint_angle:nu", "joint_angle:nu=x", "joint_angle:mu=1", "angle"):
        with pytest.raises(SettingError):
            cost_in_words(words)
