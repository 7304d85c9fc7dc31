"""Curves on the ground by arc length."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.maths.paths import GroundPath, evenly, followed, places, sharpest


def test_even_points_lie_on_the_path_and_include_its_ends() -> None:
    """A corner of 3 and 4 m is divided into steps of at most 0.3 m."""
    path = GroundPath.through([[0, 0], [3, 0], [3, 4]])
    points, step = evenly(path, 0.3)
    assert step == pytest.approx(7 / 24)
    assert points[[0, -1]].tolist() == [[0, 0], [3, 4]]
    assert (np.isclose(points[:, 1], 0) | np.isclose(points[:, 0], 3)).all()
    assert places(path, [-1.0, 99.0]).tolist() == [[0, 0], [3, 4]]


def test_a_crossing_is_followed_in_order() -> None:
    """On a figure eight the distance in the second loop is not measured from the first."""
    t = np.linspace(0, 2 * np.pi, 400)
    eight = np.column_stack([np.sin(2 * t), 2 * np.sin(t)])
    path = GroundPath.through(eight)
    off, along = followed(eight, path)
    assert off.max() < 0.01
    assert along[-1] == pytest.approx(path.length, abs=0.02)
    assert (np.diff(along) >= 0).all()


def test_a_way_that_goes_back_stays_where_it_was() -> None:
    """Going back increases the distance from the path, not the progress, which is at most the distance travelled."""
    path = GroundPath.through([[0, 0], [5, 0]])
    off, along = followed(np.array([[0.0, 0], [1, 0], [0, 0]]), path)
    assert along.tolist() == pytest.approx([0, 1, 1])
    assert off[-1] == pytest.approx(1.0)
    off, along = followed(np.array([[3.0, 0.0], [3.1, 0.0]]), path)
    assert along[-1] <= 0.1


def test_turns_are_those_of_corners_and_circles() -> None:
    """A right angle turns by 90 degrees; a circle of 2 m turns by its arc; a straight line by nothing."""
    corner, _ = evenly(GroundPath.through([[0, 0], [2, 0], [2, 2]]), 0.01)
    assert sharpest(corner, 0.5).max() == pytest.approx(np.pi / 2, abs=1e-6)
    t = np.linspace(0, np.pi, 2000)
    assert sharpest(2 * np.column_stack([np.cos(t), np.sin(t)]), 0.5).max() == pytest.approx(0.25, abs=1e-3)


@pytest.mark.parametrize(
    "points", [[], [[0, 0]], [[1, 1], [1, 1]], [[0, 0], [np.nan, 1]], [[0, 0, 0], [1, 1, 1]]]
)
def test_what_is_no_path_is_refused(points: list[list[float]]) -> None:
    with pytest.raises(SettingError):
        GroundPath.through(points)
