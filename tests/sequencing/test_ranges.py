"""Distances of poses, best ranges and weight curves, compared with loops over the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import sequencing as naive
from segue.maths.easing import limited_slopes, monotone_hermite
from segue.sequencing.curves import distance_trend, end_slopes, weight_curve
from segue.sequencing.poses import PrimaryPoints, points_over_time, pose_distances
from segue.sequencing.ranges import (
    TYPICAL_DISTANCE,
    TYPICAL_MISFIT,
    TYPICAL_SECONDS,
    TYPICAL_SPEED,
    Bounds,
    RangeSearch,
)

FPS = 30.0


def smooth(seed: int, count: int = 40, joints: int = 3) -> PrimaryPoints:
    """Joints that follow slow waves."""
    rng = np.random.default_rng(seed)
    t = np.arange(count)[:, None, None] / FPS
    waves = rng.normal(size=(3, joints, 3)) * np.array([0.3, 0.15, 0.05])[:, None, None]
    phases = rng.uniform(0, 7, size=(3, joints, 3))
    points = sum(
        w * np.sin((k + 1) * 3.0 * t + p) for k, (w, p) in enumerate(zip(waves, phases, strict=True))
    )
    return points_over_time(np.asarray(points), FPS)


def search(seed: int, phase: float | None, smoothness: float) -> RangeSearch:
    """A search between two waves."""
    return RangeSearch(smooth(seed), smooth(seed + 1), 0, 20, phase, smoothness, 0.9, FPS)


def settings(one: RangeSearch) -> dict[str, object]:
    """The same settings for the loops."""
    typical = TYPICAL_SECONDS, TYPICAL_DISTANCE * one.leg, TYPICAL_SPEED * one.leg, TYPICAL_MISFIT
    weights = one.weights() * [TYPICAL_SECONDS, typical[1], typical[2]]
    return {
        "phase_seconds": one.phase_seconds,
        "weights": weights.tolist(),
        "typical": typical,
        "ahead": 1,
        "fps": FPS,
    }


def test_distances_and_speeds_are_means_over_joints() -> None:
    """D and V are those of the loops."""
    a, b = smooth(1), smooth(2)
    got = pose_distances(a.points[:5], b.points[:7])
    assert got[3, 6] == pytest.approx(naive.distance(a.points[3], b.points[6]))
    for t in (0, 20, 39):
        assert a.speeds[t] == pytest.approx(naive.speed(a.points, t, 1, FPS))


@pytest.mark.parametrize("phase", [None, 0.4])
@pytest.mark.parametrize("smoothness", [0.0, 0.5, 1.0])
def test_terms_add_up_to_the_objective(phase: float | None, smoothness: float) -> None:
    """The cost of a range is eq. 9 with its terms over their typical values."""
    one = search(5, phase, smoothness)
    for t0, t1 in ((3, 22), (30, 31), (10, 45)):
        wanted = naive.objective(
            one.previous.points,
            t0,
            one.following.points,
            t1 - 20,
            seconds=(t1 - t0) / FPS,
            **settings(one),
        )
        got = one.terms(np.array([t0]), np.array([t1]))[:, 0, 0].sum()
        assert got == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_coarse_to_fine_finds_what_all_ranges_hold(seed: int) -> None:
    """The best range found costs at most 5 % more than the best of all ranges."""
    one = search(10 * seed, 0.4 if seed % 2 else None, 0.5)
    found = one.best(Bounds((2, 35), (22, 55)))
    best = naive.best_range(
        one.previous.points, 0, one.following.points, 20, (2, 35), (22, 55), **settings(one)
    )
    assert found.objective <= 1.05 * best[0]
    assert 2 <= found.begin <= 35
    assert max(found.begin + 1, 22) <= found.end <= 55


def test_smoother_ranges_are_no_shorter() -> None:
    """Of pose-to-pose ranges the most responsive are the shortest, over ten pairs of waves."""
    lengths = {}
    for smoothness in (0.0, 1.0):
        found = [search(seed, None, smoothness).best(Bounds((0, 35), (21, 55))) for seed in range(0, 100, 10)]
        lengths[smoothness] = np.mean([one.end - one.begin for one in found])
    assert lengths[0.0] < lengths[1.0]


@examples(max_examples=1000)
@given(
    arrays(np.float64, (100, 2), elements=st.floats(-1e6, 1e6) | st.floats(0, 4)),
    st.integers(0, 10**6),
    st.integers(1, 600),
)
def test_curves_stay_within_and_never_turn_back(slopes: np.ndarray, begin: int, frames: int) -> None:
    """10^5 curves of any slopes and ranges at 33 moments each are within 0 and 1, do not fall, and keep their ends."""
    y = monotone_hermite(np.linspace(0.0, 1.0, 33), slopes[:, :1], slopes[:, 1:])
    assert y.min() >= 0.0
    assert y.max() <= 1.0
    assert float((y[:, :-1] - y[:, 1:]).max()) <= 1e-12
    at = np.arange(begin - 1, begin + frames + 2, dtype=np.float64)
    curve = weight_curve(begin, begin + frames, (float(slopes[0, 0]), float(slopes[0, 1])))
    weights = curve.at(at)
    assert (weights[:2] == 0.0).all()
    assert (weights[-2:] == 1.0).all()
    assert float((weights[:-1] - weights[1:]).max()) <= 1e-12
    assert ((weights >= 0.0) & (weights <= 1.0)).all()


@given(st.floats(0, 1), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_curves_are_cubic_hermite(x: float, begin: float, end: float) -> None:
    """A curve is the Hermite polynomial of its limited slopes; reversed it is that from the other end."""
    got = float(monotone_hermite(np.array([x]), begin, end)[0])
    assert got == pytest.approx(naive.hermite(x, begin, end), abs=1e-12)
    assert got == pytest.approx(1.0 - float(monotone_hermite(np.array([1.0 - x]), end, begin)[0]), abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 38), st.integers(1, 39))
def test_slopes_are_those_of_the_speeds(seed: int, t0: int, t1: int) -> None:
    """Slopes at both ends are eq. 16, 0 where a motion goes against the range; slopes above 3 are limited."""
    a, b = smooth(seed), smooth(seed + 7)
    got = end_slopes(a, t0, b, t1, seconds=0.5)
    assert got == pytest.approx(naive.slopes(a.points, t0, b.points, t1, seconds=0.5, ahead=1, fps=FPS))
    curve = weight_curve(0, 15, got)
    assert curve.slopes == limited_slopes(*got)
    assert curve.limited == (max(got) > 3.0)
    y = curve.at(np.arange(-3.0, 19.0))
    assert y[3] == 0.0
    assert y[18] == 1.0
    assert (np.diff(y) >= 0.0).all()


@given(st.lists(st.integers(0, 200).map(lambda n: n / 64), min_size=2, max_size=30))
def test_trends_of_distances(distances: list[float]) -> None:
    """Loops agree on whether distances grow, fall or have a peak inside."""
    moving = np.zeros((len(distances), 1, 3))
    moving[:, 0, 0] = distances
    kind, at = distance_trend(np.zeros((1, 3)), moving)
    wanted, peak = naive.trend(distances)
    assert kind == wanted
    if peak is not None:
        assert at == peak
