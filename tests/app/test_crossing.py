"""A pair of clips in detail: points, crossings, joint gaps and blend lengths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.crossing import clip_pair, cross, joint_gaps, length_curves, point_of_frames
from segue.errors import SettingError


@pytest.fixture(scope="module")
def pair():
    """Two walks compared by the point cloud cost."""
    return clip_pair(segue.sample("walk"), segue.sample("walk_fast"), cost=segue.PointCloudCost())


def test_points_and_reach_grow_with_the_threshold(pair) -> None:
    """A higher threshold never gives fewer points or less reachable motion; auto gives those of `transition_points`."""
    limits = np.quantile(pair.search.found.cost, [0.05, 0.3, 0.7, 1.0])
    found = [(len(pair.search.at(float(limit))), pair.search.reach(float(limit))) for limit in limits]
    assert found == sorted(found)
    known = segue.transition_points(
        segue.sample("walk"), segue.sample("walk_fast"), cost=segue.PointCloudCost()
    )
    assert pair.search.at("auto").points == known.points


def test_any_two_frames_have_a_point_and_a_crossing(pair) -> None:
    """The cost is that of the matrix cell, and the rendered motion crosses at these frames."""
    point = point_of_frames(pair, 120, 200)
    one, other = pair.search.prepared
    row, column = int(np.abs(one.frames - 120).argmin()), int(np.abs(other.frames - 200).argmin())
    assert point.cost == pair.search.values[row, column]
    made = cross(pair, point, length=0.3)
    assert abs(made.stop - made.start - 18) <= 1  # frames with both clips; at the ends one may have no weight
    assert made.start < 121 < made.stop
    assert made.motion.origin.clips == ("walk", "walk_fast")
    with pytest.raises(SettingError, match="frames 0 to"):
        point_of_frames(pair, 120, 9999)


def test_a_good_point_shows_less_than_a_bad_one(pair) -> None:
    """The best point accelerates less than a crossing at the cell of highest cost."""
    best = pair.search.at("auto")[0]
    values = pair.search.values
    row, column = np.unravel_index(int(np.argmax(values[40:-40, 40:-40])), values[40:-40, 40:-40].shape)
    one, other = pair.search.prepared
    bad = point_of_frames(pair, int(one.frames[row + 40]), int(other.frames[column + 40]))
    good, poor = cross(pair, best, length=0.3), cross(pair, bad, length=0.3)
    assert good.acceleration < poor.acceleration
    assert good.slip <= poor.slip + 1e-3


def test_gaps_of_joints_are_angles_and_shares(pair) -> None:
    """A pose has no gap to itself; the shares of a gap add up to one."""
    assert all(gap.angle == 0 for gap in joint_gaps(pair.a, pair.a, a_frame=7, b_frame=7))
    gaps = joint_gaps(pair.a, pair.b, a_frame=100, b_frame=130)
    assert sum(gap.share for gap in gaps) == pytest.approx(1.0)
    assert [gap.share for gap in gaps] == sorted((gap.share for gap in gaps), reverse=True)


def test_curves_stand_beside_each_other(data: Path) -> None:
    """On captured clips the weighted sum of the joints' curves is the geodesic curve; auto has another curve."""
    a, b = (segue.load(data / "cmu" / "from_amc" / f"16_{number}.bvh") for number in ("15", "17"))
    pair = clip_pair(a, b, cost=segue.PointCloudCost())
    point = pair.search.at("auto")[0]
    found = length_curves(pair, point)
    from segue.blending.durations import WEIGHTS

    weights = np.array([WEIGHTS[role] for role in found.geodesic.roles])
    assert np.allclose(found.geodesic.per_joint @ weights, found.geodesic.curve)
    assert found.chosen.method == "foreseen"
    assert len(found.chosen.curve) == len(found.chosen.lengths)
