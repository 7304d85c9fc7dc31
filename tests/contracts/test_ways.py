"""The contract of every registered blend method: both ends, unit quaternions, invariance under ground motions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import segue
from segue.blending.ways import BEFORE, WAYS, Stretch, way
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import exp, half_angle, multiply

seeds = st.integers(0, 10_000)
names = st.sampled_from(sorted(WAYS))


def stretches(seed: int, n: int) -> tuple[Stretch, Stretch]:
    """Two smooth motions of four joints at 60 frames a second, close to each other."""
    rng = np.random.default_rng(seed)
    t = np.arange(n + BEFORE)[:, None, None] / 60
    out = []
    start = rng.normal(size=(4, 3))
    for _ in range(2):
        swing = 0.4 * rng.normal(size=(4, 3)) * np.sin(4 * t + rng.normal(size=(4, 1)))
        rotations = multiply(exp(swing), exp(start + 0.2 * rng.normal(size=(4, 3))))
        roots = rng.normal(size=3) * 0.1 + t[:, 0] * rng.normal(size=3)
        out.append(Stretch(rotations, roots, 60.0))
    return out[0], out[1]


@given(names, seeds, st.integers(1, 40))
def test_the_motion_arrived_in_is_met(name: str, seed: int, n: int) -> None:
    """The last frame is B's last frame, every rotation is a unit quaternion, every number finite."""
    a, b = stretches(seed, n)
    rotations, roots = way(name).across(a, b)
    assert rotations.shape == (n, 4, 4)
    assert roots.shape == (n, 3)
    assert np.isfinite(roots).all()
    assert np.linalg.norm(rotations, axis=-1) == pytest.approx(1, abs=1e-9)
    assert half_angle(rotations[-1], b.rotations[-1]) == pytest.approx(0, abs=1e-7)
    assert roots[-1] == pytest.approx(b.roots[-1], abs=1e-9)


@example("inertialization", 85)  # the offset passes half a turn in the step before the blend
@given(names, seeds)
def test_speed_continues_where_it_is_promised(name: str, seed: int) -> None:
    """One step into the blend, and one before its end, the velocity is that of the adjacent clip."""
    n = 40
    a, b = stretches(seed, n)
    rotations, roots = way(name).across(a, b)
    apart = float(half_angle(a.rotations, b.rotations).max()), float(np.abs(a.roots - b.roots).max())
    if WAYS[name].smooth_start:
        step = half_angle(rotations[0], a.rotations[BEFORE - 1])
        was = half_angle(a.rotations[BEFORE], a.rotations[BEFORE - 1])
        assert step == pytest.approx(was, abs=0.02 * apart[0] + 0.01)
        assert roots[0] - a.roots[BEFORE - 1] == pytest.approx(
            a.roots[BEFORE] - a.roots[BEFORE - 1], abs=0.02 * apart[1] + 0.01
        )
    if WAYS[name].smooth_end:
        step = half_angle(rotations[-1], rotations[-2])
        assert step == pytest.approx(half_angle(b.rotations[-1], b.rotations[-2]), abs=0.02 * apart[0] + 0.01)


@given(names, seeds, st.integers(1, 20))
def test_one_motion_and_itself(name: str, seed: int, n: int) -> None:
    """A blend of a motion with itself is that motion, for every method that uses A's frames in the blend."""
    a, _ = stretches(seed, n)
    rotations, roots = way(name).across(a, a)
    if name == "dead":  # A coasts: only the end is the motion's own
        assert roots[-1] == pytest.approx(a.roots[-1], abs=1e-12)
        return
    assert half_angle(rotations, a.rotations[BEFORE:]) == pytest.approx(0, abs=1e-7)
    assert roots == pytest.approx(a.roots[BEFORE:], abs=1e-9)


@settings(max_examples=40)
@given(names, seeds, st.integers(1, 20), st.floats(-3, 3))
def test_it_does_not_matter_where_on_the_ground(name: str, seed: int, n: int, turn: float) -> None:
    """Moving both motions along the ground moves the blend with them."""
    a, b = stretches(seed, n)
    ground = PlanarMotion(turn, 3.0, -7.0)

    def moved(s: Stretch) -> Stretch:
        rotations = np.array(s.rotations)
        rotations[:, 0] = ground.rotate(rotations[:, 0])
        return Stretch(rotations, ground.apply(s.roots), s.fps)

    here, there = way(name).across(a, b), way(name).across(moved(a), moved(b))
    assert ground.apply(here[1]) == pytest.approx(there[1], abs=1e-8)
    expected = np.array(here[0])
    expected[:, 0] = ground.rotate(expected[:, 0])
    assert half_angle(expected, there[0]) == pytest.approx(0, abs=1e-6)


@given(names, seeds, st.integers(1, 20))
def test_the_double_cover_does_not_show(name: str, seed: int, n: int) -> None:
    """q and -q are one rotation."""
    a, b = stretches(seed, n)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (1, 4, 1))
    flipped = Stretch(signs * a.rotations, a.roots, a.fps)
    assert half_angle(way(name).across(a, b)[0], way(name).across(flipped, b)[0]) == pytest.approx(
        0, abs=1e-6
    )


@given(seeds, st.integers(2, 30))
def test_ways_that_do_not_use_what_is_left(seed: int, n: int) -> None:
    """These methods ignore A after the start of the blend."""
    a, b = stretches(seed, n)
    cut = Stretch(
        np.concatenate([a.rotations[:BEFORE], b.rotations[BEFORE:]]),
        np.concatenate([a.roots[:BEFORE], 0 * b.roots[BEFORE:]]),
        60,
    )
    for found in WAYS.values():
        same = np.array_equal(found.across(a, b)[0], found.across(cut, b)[0])
        assert same == (not found.uses_left) or np.allclose(a.rotations, b.rotations)


@pytest.mark.parametrize("name", sorted(WAYS))
def test_a_splice_goes_any_way(name: str) -> None:
    """From the API, with bones that keep their length and an origin that names the clips shown."""
    walk, run = segue.sample("walk"), segue.sample("run")
    point = segue.transition_points(walk, run, threshold=1e9)[0]
    made = segue.splice(walk, run, point, way=name, length=0.4, feet="free")
    at = segue.world_positions(made)
    bones = np.linalg.norm(at[:, 1:] - at[:, made.skeleton.parents[1:]], axis=-1)
    assert np.ptp(bones, axis=0) == pytest.approx(0, abs=1e-9)
    steps = np.linalg.norm(np.diff(at, axis=0), axis=-1).max()
    assert steps < 1.5 * max(
        np.linalg.norm(np.diff(segue.world_positions(c), axis=0), axis=-1).max() for c in (walk, run)
    )


def test_an_unknown_way_is_refused() -> None:
    """The error lists the known ones and the nearest."""
    with pytest.raises(
        SettingError,
        match=r"no blend method is called 'inertial'; known: crossfade.*nearest: inertialization",
    ):
        way("inertial")
    with pytest.raises(SettingError, match="is for 'crossfade' and 'equal_power'"):
        segue.Blend(way="dead", root="displacement")
