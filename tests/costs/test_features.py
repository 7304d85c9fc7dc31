"""The motion-matching cost against its twin, and what it must ignore."""

from __future__ import annotations

import numpy as np
import pytest

from naive import features as naive
from segue.costs.features import FeatureCost
from segue.costs.matrix import cost_matrix, prepare_all
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.maths.quaternions import from_axis_angle, multiply
from segue.motion.body import stature
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.kinematics import world
from segue.motion.resample import resampled
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


def by_twin(clip: Clip, frames, made: FeatureCost) -> list[list[float]]:
    """Features of frames by the twin."""
    found, size = roles(clip.skeleton), 1.75 / stature(clip.skeleton)
    places = (size * world(clip).positions).swapaxes(0, 1)
    feet = [places[found[role]].tolist() for role in ("left_ankle", "right_ankle")]
    pelvis = places[found["pelvis"]].tolist()
    headings = heading(clip).tolist()
    return [
        naive.features(
            pelvis, feet, headings, k, scales=made.scales, weights=made.weights, fps=round(made.rate)
        )
        for k in frames
    ]


def compared(a: Clip, b: Clip, made: FeatureCost, rng) -> None:
    """Random cells of matrix and definition against the twin."""
    pa, pb = prepare_all([a, b], made)
    rows, columns = rng.integers(0, pa.n, 20), rng.integers(0, pb.n, 20)
    here, there = by_twin(a, rows + 1, made), by_twin(b, columns + 1, made)
    expected = [naive.feature_cost(x, y) for x, y in zip(here, there, strict=True)]
    np.testing.assert_allclose(made.pairs(pa, pb, rows, columns), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(made.matrix(pa, pb)[rows, columns], expected, rtol=1e-9, atol=1e-9)
    lengths = max(np.square(x).sum() for x in (*here, *there))
    fast = FeatureCost(rate=made.rate, scales=made.scales, weights=made.weights)
    assert np.abs(fast.matrix(*prepare_all([a, b], fast))[rows, columns] - expected).max() < 2e-6 * lengths


@pytest.mark.parametrize(
    "settings", [{}, {"rate": 15.0}, {"scales": (1.0,) * 5, "weights": (1.0, 2.0, 3.0, 4.0, 5.0)}]
)
def test_every_cell_is_the_twins(rng, settings):
    """27 features with their scales and weights are the twin's, at two rates."""
    made = FeatureCost(dtype="float64", **settings)
    a, b = (resampled(sample(name, 60.0), made.rate) for name in ("walk_turn_left", "step_touch"))
    compared(a, b, made, rng)


@pytest.mark.data
def test_every_cell_is_the_twins_on_real_clips(rng, data):
    """The same holds on captured clips."""
    a, b = (resampled(load(data / "asf_amc" / name), 30.0) for name in ("16/16_31.amc", "05/05_02.amc"))
    compared(a, b, FeatureCost(dtype="float64"), rng)


def test_arms_do_not_count():
    """Waving an arm does not change the cost."""
    walk = sample("walk", 30.0)
    arm = roles(walk.skeleton)["left_shoulder"]
    rotations = np.array(walk.rotations)
    wave = from_axis_angle(np.array([0.0, 0.0, 1.0]), np.sin(np.arange(walk.n_frames)))
    rotations[:, arm] = multiply(rotations[:, arm], wave)
    made = FeatureCost(dtype="float64")
    values = cost_matrix(walk, walk.with_motion(rotations), cost=made).values
    np.testing.assert_allclose(values, cost_matrix(walk, walk, cost=made).values, atol=1e-9)


def test_what_comes_next_counts():
    """The last steps before a stop differ from steps of a walk that continues, though the poses are similar."""
    made = FeatureCost()
    on, stop = sample("walk", 30.0), sample("stop", 30.0)
    here = cost_matrix(on, stop, cost=made)
    assert here.values[:, -1].min() > 5 * here.values[:, 0].min()


def test_the_root_obeys_the_triangle_inequality(rng):
    """The root of the cost is the length of a difference of vectors."""
    made = FeatureCost(dtype="float64")
    a, b, c = prepare_all([sample(name, 30.0) for name in ("walk", "run", "stop")], made)
    i, j, k = (rng.integers(0, p.n, 200) for p in (a, b, c))
    ab, bc, ac = (np.sqrt(made.pairs(*pair)) for pair in ((a, b, i, j), (b, c, j, k), (a, c, i, k)))
    assert np.all(ac <= ab + bc + 1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {"scales": (1.0, 1.0)},
        {"scales": (1, 1, 1, 1, 0)},
        {"weights": (1, 1, 1, 1, -1)},
        {"weights": (1, 1, 1, 1, np.nan)},
        {"weights": (0, 0, 0, 0, 0)},
    ],
)
def test_settings_that_cannot_be(settings):
    """There are five numbers each; scales must be positive, and some weight must be above 0."""
    with pytest.raises(
        SettingError, match=r"must be 5 numbers (above 0|from 0, not all of them 0): of foot places"
    ):
        FeatureCost(**settings)


def test_a_group_without_weight_does_not_count():
    """Without the future trajectory, a walk that will turn and one that will not are alike."""
    made = FeatureCost(weights=(0.75, 1.0, 1.0, 0.0, 0.0), dtype="float64")
    assert not made.prepare(sample("walk", 30.0)).features["vectors"][:, 15:].any()
    assert made.prepare(sample("walk", 30.0)).features["vectors"][:, :15].all(axis=0).any()


def test_bodies_without_legs_are_refused():
    body = Skeleton(["a", "b"], [-1, 0], [[0.0, 1.0, 0.0], [0.0, 0.3, 0.0]])
    clip = Clip(body, np.tile([1.0, 0.0, 0.0, 0.0], (50, 2, 1)), np.zeros((50, 3)), 30.0)
    with pytest.raises(SkeletonError):
        FeatureCost().prepare(clip)
