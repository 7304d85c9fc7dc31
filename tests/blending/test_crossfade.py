"""Crossfades: their formulas, the inputs at their ends, and independence of the position on the ground."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import random_clips as chance
from naive import blending as naive
from segue.blending.crossfade import crossfade, crossfade_displacements
from segue.io import load
from segue.maths.easing import ease_out
from segue.maths.quaternions import from_yaw, half_angle, multiply, yaw
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut, resampled

seeds = st.integers(0, chance.SEEDS)


def _pair(seed: int, frames: int, joints: int = 4) -> tuple[Clip, Clip]:
    """Two random clips with one frame more than the blend: the frame before it comes first."""
    rng = np.random.default_rng(seed)
    body = chance.body(rng, joints)
    return chance.clip(rng, body, frames + 1), chance.clip(rng, body, frames + 1)


def _by_value(a: Clip, b: Clip) -> tuple[np.ndarray, np.ndarray]:
    n = a.n_frames - 1
    return crossfade(
        (a.rotations[1:], a.root_positions[1:]), (b.rotations[1:], b.root_positions[1:]), weights=ease_out(n)
    )


def _by_displacement(a: Clip, b: Clip) -> tuple[np.ndarray, np.ndarray]:
    n = a.n_frames - 1
    return crossfade_displacements(
        (a.rotations[1:], a.root_positions[1:]),
        (b.rotations[1:], b.root_positions[1:]),
        weights=ease_out(n),
        before=((a.rotations[0, 0], a.root_positions[0]), (b.rotations[0, 0], b.root_positions[0])),
    )


def _same(made: tuple[np.ndarray, np.ndarray], twin: list[naive.Pose]) -> None:
    assert chance.apart(made[0], np.array([pose[0] for pose in twin])) < 1e-9
    np.testing.assert_allclose(made[1], np.array([pose[1] for pose in twin]), atol=1e-9)


@given(seed=seeds, frames=st.integers(1, 14))
def test_both_crossfades_are_their_twins(seed: int, frames: int) -> None:
    """On random motions the vectorised blends equal the formulas frame by frame."""
    a, b = _pair(seed, frames)
    pa, pb = chance.poses(a), chance.poses(b)
    _same(_by_value(a, b), naive.crossfade(pa[1:], pb[1:]))
    _same(_by_displacement(a, b), naive.by_displacement(pa[1:], pb[1:], pa[0], pb[0]))


@pytest.mark.parametrize(("first", "second"), [("16_15", "16_35"), ("127_04", "127_16")])
def test_twins_on_real_clips(data: Path, first: str, second: str) -> None:
    """The same holds for a walk blended with a run and for a run blended with a stop."""
    a, b = (
        cut(resampled(load(data / f"asf_amc/{name[:-3]}/{name}.amc"), 30.0), at, at + 21)
        for name, at in ((first, 10), (second, 12))
    )
    pa, pb = chance.poses(a), chance.poses(b)
    _same(_by_value(a, b), naive.crossfade(pa[1:], pb[1:]))
    _same(_by_displacement(a, b), naive.by_displacement(pa[1:], pb[1:], pa[0], pb[0]))


@given(seed=seeds, frames=st.integers(1, 20))
def test_a_blend_ends_in_b(seed: int, frames: int) -> None:
    """The last blended frame is B's own; by displacement except place and heading, which continue from A."""
    a, b = _pair(seed, frames)
    rotations, roots = _by_value(a, b)
    assert chance.apart(rotations[-1], b.rotations[-1]) < 1e-12
    np.testing.assert_allclose(roots[-1], b.root_positions[-1], atol=1e-12)
    rotations, roots = _by_displacement(a, b)
    assert chance.apart(rotations[-1, 1:], b.rotations[-1, 1:]) < 1e-12
    assert abs(roots[-1, 1] - b.root_positions[-1, 1]) < 1e-12
    upright = [_faced(q[None])[0] for q in (rotations[-1, 0], b.rotations[-1, 0])]
    assert chance.apart(upright[0], upright[1]) < 1e-9


def _faced(q: np.ndarray) -> np.ndarray:
    """Rotations with their heading removed."""
    return multiply(from_yaw(-yaw(q)), q)


@given(seed=seeds, frames=st.integers(1, 20))
def test_results_are_unit_quaternions_and_finite(seed: int, frames: int) -> None:
    """Blended rotations have length 1 and positions are finite."""
    a, b = _pair(seed, frames)
    for rotations, roots in (_by_value(a, b), _by_displacement(a, b)):
        np.testing.assert_allclose(np.linalg.norm(rotations, axis=-1), 1.0, atol=1e-12)
        assert np.isfinite(roots).all()


@given(seed=seeds, frames=st.integers(1, 12))
def test_a_motion_blended_with_itself_is_itself(seed: int, frames: int) -> None:
    """The law holds for both root modes."""
    a, _ = _pair(seed, frames)
    for rotations, roots in (_by_value(a, a), _by_displacement(a, a)):
        assert chance.apart(rotations, a.rotations[1:]) < 1e-9
        np.testing.assert_allclose(roots, a.root_positions[1:], atol=1e-9)


@given(seed=seeds, frames=st.integers(1, 12))
def test_moving_both_moves_the_blend(seed: int, frames: int) -> None:
    """A ground motion of both inputs is the same ground motion of the blend."""
    a, b = _pair(seed, frames)
    placing = chance.ground_motion(np.random.default_rng(seed))
    for blend in (_by_value, _by_displacement):
        rotations, roots = blend(a, b)
        there = blend(moved(a, placing), moved(b, placing))
        expected = np.array(rotations)
        expected[:, 0] = placing.rotate(expected[:, 0])
        assert chance.apart(there[0], expected) < 1e-9
        np.testing.assert_allclose(there[1], placing.apply(roots), atol=1e-9)


@given(seed=seeds, frames=st.integers(1, 12))
def test_displacements_do_not_see_where_b_lies(seed: int, frames: int) -> None:
    """By displacement the place and heading of B do not matter."""
    a, b = _pair(seed, frames)
    there = moved(b, chance.ground_motion(np.random.default_rng(seed)))
    one, two = _by_displacement(a, b), _by_displacement(a, there)
    assert chance.apart(one[0], two[0]) < 1e-9
    np.testing.assert_allclose(one[1], two[1], atol=1e-9)


@given(seed=seeds, frames=st.integers(1, 20))
def test_displacements_never_outrun_their_sources(seed: int, frames: int) -> None:
    """By displacement no step and no turn of the root exceeds the larger of both sources' own."""
    a, b = _pair(seed, frames)
    rotations, roots = _by_displacement(a, b)

    def steps(q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turns = np.abs((np.diff(yaw(q)) + np.pi) % (2 * np.pi) - np.pi)
        return np.linalg.norm(np.diff(p[:, [0, 2]], axis=0), axis=1), turns

    made = steps(np.vstack([a.rotations[:1, 0], rotations[:, 0]]), np.vstack([a.root_positions[:1], roots]))
    own = [steps(clip.rotations[:, 0], clip.root_positions) for clip in (a, b)]
    for kind in (0, 1):
        assert np.all(made[kind] <= np.maximum(own[0][kind], own[1][kind]) + 1e-9)


@given(seed=seeds, frames=st.integers(1, 8), batch=st.integers(1, 4))
def test_batches_are_blends_one_by_one(seed: int, frames: int, batch: int) -> None:
    """Leading axes are batches of blends."""
    pairs = [_pair(seed + k, frames) for k in range(batch)]
    stacked = [
        tuple(
            np.stack([getattr(pair[side], field)[1:] for pair in pairs])
            for field in ("rotations", "root_positions")
        )
        for side in (0, 1)
    ]
    together = crossfade(stacked[0], stacked[1], weights=ease_out(frames))  # type: ignore[arg-type]
    for k, pair in enumerate(pairs):
        alone = _by_value(*pair)
        np.testing.assert_array_equal(together[0][k], alone[0])
        np.testing.assert_array_equal(together[1][k], alone[1])


def _turned(axis: int, degrees: float, frames: int) -> tuple[np.ndarray, np.ndarray]:
    q = np.zeros((frames, 1, 4))
    q[..., 0], q[..., axis] = np.cos(np.radians(degrees) / 2), np.sin(np.radians(degrees) / 2)
    return q, np.zeros((frames, 3))


def test_fade_begins_and_ends_softly(cases: Path) -> None:
    """Between two constant poses, the first and last step are under a third of the middle one."""
    document = json.loads(next(cases.glob("case187-*.json")).read_text())
    n = document["inputs"]["frames"]
    a, b = _turned(1, 0.0, n), _turned(1, document["inputs"]["degrees"], n)
    rotations, _ = crossfade(a, b, weights=ease_out(n))
    angles = 2 * half_angle(np.vstack([a[0][:1], rotations])[:, 0], a[0][0, 0])
    steps = np.diff(angles)
    assert np.all(steps > 0)
    assert max(steps[0], steps[-1]) / steps[n // 2] < document["expect"]["end_step_ratio_max"]


def test_fade_reaches_its_target(cases: Path) -> None:
    """Weights fall monotonically, from 1 in the frame before the fade to exactly 0 in its last frame."""
    document = json.loads(next(cases.glob("case132-*.json")).read_text())
    n = document["inputs"]["frames"]
    a, b = (np.tile(np.array(document["inputs"][side]), (n, 1, 1)) for side in "ab")
    weights = ease_out(n)
    assert weights[-1] == 0.0
    assert np.all(np.diff(np.concatenate([[1.0], weights])) < 0)
    rotations, _ = crossfade((a, np.zeros((n, 3))), (b, np.zeros((n, 3))), weights=weights)
    np.testing.assert_allclose(rotations[-1, 0], document["expect"]["last"], atol=1e-6)


def test_headings_cross_the_back_the_short_way(cases: Path) -> None:
    """Halfway between headings of 170 and -170 degrees lies 180, never 0."""
    document = json.loads(next(cases.glob("case130-*.json")).read_text())["inputs"]
    a, b = _turned(2, document["a"], 2), _turned(2, document["b"], 2)
    rotations, _ = crossfade(a, b, weights=1.0 - np.array(document["t"]))
    found = np.degrees(yaw(rotations[:, 0]))
    np.testing.assert_allclose((found - [175.0, 180.0] + 180) % 360 - 180, 0.0, atol=1e-9)
    # By displacement two motions that do not turn keep A's heading.
    before = ((a[0][0, 0], a[1][0]), (b[0][0, 0], b[1][0]))
    rotations, _ = crossfade_displacements(a, b, weights=ease_out(2), before=before)
    np.testing.assert_allclose(np.cos(np.radians(170.0) - yaw(rotations[:, 0])), 1.0, atol=1e-12)


@given(seed=seeds)
def test_signs_of_quaternions_do_not_matter(seed: int) -> None:
    """The same rotations with other signs blend to the same rotations."""
    a, b = _pair(seed, 6)
    rng = np.random.default_rng(seed)
    flipped = b.with_motion(b.rotations * rng.choice([-1.0, 1.0], (b.n_frames, b.skeleton.n_joints, 1)))
    for blend in (_by_value, _by_displacement):
        one, two = blend(a, b), blend(a, flipped)
        assert chance.apart(one[0], two[0]) < 1e-9
        np.testing.assert_allclose(one[1], two[1], atol=1e-12)
