"""Time warps of a blend: a twin, laws, and known tempos."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive.quaternions import slerp
from naive.warps import eased, timewarped
from segue.blending.warps import moments, registration_times, timewarped_times
from segue.maths.quaternions import exp, half_angle, multiply
from segue.motion.resample import sampled

LAYOUTS = {"registration": registration_times, "timewarped": timewarped_times}


def swings(t: np.ndarray, seed: int, *, joints: int = 3) -> np.ndarray:
    """Rotations (n, joints, 4) of a smooth motion at times in seconds."""
    rng = np.random.default_rng(seed)
    rest, swing = rng.normal(size=(2, joints, 3))
    return multiply(exp(0.3 * swing * np.sin(5 * t[:, None, None] + rng.normal(size=(joints, 1)))), exp(rest))


@given(st.sampled_from(sorted(LAYOUTS)), st.integers(0, 999), st.integers(1, 50))
def test_time_never_runs_back(name: str, seed: int, n: int) -> None:
    """B keeps its last moment; moments never fall, and lie inside the stretch or one frame before it."""
    t = np.arange(n) / 30
    for side, times in enumerate(LAYOUTS[name](swings(t, seed), swings(t, seed + 1))):
        assert len(times) == n
        assert (np.diff(times) >= -1e-12).all()
        assert times.min() >= -1
        assert times.max() <= n - 1 + 1e-9
        if side == 1:
            assert times[-1] == pytest.approx(n - 1)


@given(st.sampled_from(sorted(LAYOUTS)), st.integers(0, 999))
def test_tempo_continues_at_both_ends(name: str, seed: int) -> None:
    """The first step of the clip left and the last one of the clip arrived in are one frame."""
    n = 240
    t = np.arange(n) / 120
    left, arrived = LAYOUTS[name](swings(t, seed), swings(1.3 * t, seed))
    assert left[1] - left[0] == pytest.approx(1, abs=0.03)
    assert arrived[-1] - arrived[-2] == pytest.approx(1, abs=0.03)


@given(st.integers(0, 999), st.integers(2, 12))
def test_the_tempo_is_the_cheapest_by_its_definition(seed: int, n: int) -> None:
    """Side and share are those that the twin finds by an exhaustive search."""
    t = np.arange(n) / 30
    one, other = swings(t, seed, joints=2), swings(1.4 * t + 0.1, seed, joints=2)
    side, share, costs = timewarped(one.tolist(), other.tolist())
    found = timewarped_times(one, other)
    expected = eased(n, side, share)
    # Two shares may cost the same to rounding: then either is right.
    if sorted(costs)[1] > min(costs) + 1e-9:
        assert found[0] == pytest.approx(expected[0])
        assert found[1] == pytest.approx(expected[1])


def test_a_slow_motion_is_met_by_slowing_the_other() -> None:
    """B runs at two thirds of A's tempo: less of A is shown, all of B, and they look alike."""
    n = 30
    t = np.arange(n) / 30
    one, other = swings(t, 3), swings(t / 1.5, 3)
    left, arrived = timewarped_times(one, other)
    assert left[-1] < 0.8 * n
    assert arrived == pytest.approx(np.arange(n))
    apart = half_angle(moments(one, left), moments(other, arrived)).mean()
    assert apart < 0.4 * half_angle(one, other).mean()


def test_moments_between_frames() -> None:
    """Moments between frames are the slerp of their neighbours."""
    q = swings(np.arange(4) / 5, 1)
    found = moments(q, np.array([0.25, 2.0, 9.0]))
    assert found[0, 1].tolist() == pytest.approx(slerp(q[0, 1].tolist(), q[1, 1].tolist(), 0.25))
    assert found[1] == pytest.approx(q[2])
    assert found[2] == pytest.approx(q[3])


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_the_origin_names_the_moments_shown(name: str) -> None:
    """At every blended frame the two moments of the origin, mixed by its weights, are the pose shown."""
    walk, faster = segue.sample("walk", 30), segue.sample("walk_fast", 30)
    points = segue.transition_points(walk, faster, threshold=1e9)
    point = next(p for p in points if 20 < p.a_frame < walk.n_frames - 20 and p.b_frame > 20)
    made = segue.splice(walk, faster, point, way=name, length=0.8, feet="free")
    blended = np.flatnonzero(made.origin.clip[:, 1] >= 0)
    assert len(blended) == 24
    frames = made.origin.frame[blended]
    if name == "timewarped":
        assert np.abs(np.diff(frames, axis=0) - 1).max() > 0.05  # the tempo is not trivial
    one, other = (sampled(clip, frames[:, k])[0] for k, clip in enumerate((walk, faster)))
    for row, frame in enumerate(blended):
        share = made.origin.weight[frame, 1]
        for joint in range(1, made.skeleton.n_joints):
            mixed = np.array(slerp(one[row, joint].tolist(), other[row, joint].tolist(), share))
            assert abs(mixed @ made.rotations[frame, joint]) == pytest.approx(1, abs=1e-9)
