"""A steered character gives the poses of the naive one, through ways, keytimes and held feet."""

from __future__ import annotations

import numpy as np
import pytest

from naive import steered as naive
from segue.locomotion._kernels import add_turned, rate_at, turn_by
from segue.maths._kernels import into_hull
from segue.maths.hulls import hull
from segue.maths.quaternions import half_angle
from segue.runtime.standing._kernels import spring
from segue.runtime.steered.packing import SteerSettings, in_blocks
from segue.runtime.steered.player import LocomotionPlayer, Wish
from steered_models import naive_character, naive_wish, small_model

SCRIPT = (
    (0.2, None),
    (1.6, Wish("walk", speed=1.2)),
    (0.7, Wish("walk", speed=1.0, turn=0.6)),
    (1.8, Wish("stand")),
)


@pytest.mark.slow
def test_every_pose_is_the_naive_ones() -> None:
    """Standing, starting, walking, turning and stopping, with steps of uneven length."""
    model, settings = small_model(), SteerSettings()
    player, slow = LocomotionPlayer(model, settings), naive_character(model, settings)
    wish = naive_wish(model, player._start)
    kinds = set()
    for number, (seconds, told) in enumerate(SCRIPT):
        wish = wish if told is None else naive_wish(model, told)
        dt = 0.05 if number % 2 else 0.04
        for _ in range(round(seconds / dt)):
            pose = player.step(dt, told)
            rotations, root = slow.step(dt, wish)
            kinds.add(slow.mode)
            assert np.abs(root - pose.root_position).max() < 1e-6
            assert half_angle(pose.rotations, rotations).max() < 1e-5
    assert kinds == {"staying", "leaving", "arriving"} | ({"between"} & kinds)


def test_first_frames_are_the_naive_ones() -> None:
    """The same over a few frames, short enough for interpreted kernels."""
    model, settings = small_model(), SteerSettings()
    player, slow = LocomotionPlayer(model, settings), naive_character(model, settings)
    told = Wish("walk", speed=1.1, turn=0.2)
    for _ in range(4):
        pose = player.step(0.21, told)
        rotations, root = slow.step(0.21, naive_wish(model, told))
        assert np.abs(root - pose.root_position).max() < 1e-6
        assert half_angle(pose.rotations, rotations).max() < 1e-5


def test_logarithms_and_exponentials() -> None:
    """One turn added and turned by is the naive one, for turns up to half a circle and poses of unlike length."""
    chance = np.random.default_rng(3)
    turns = chance.normal(size=(4, 16))
    turns /= np.linalg.norm(turns, axis=0)
    other = turns + 0.1 * chance.normal(size=(4, 16))
    other /= np.linalg.norm(other, axis=0)
    reference = chance.normal(size=(4, 16))
    reference /= np.linalg.norm(reference, axis=0)
    total = np.zeros(48)
    flat = [in_blocks(one, 16).ravel() for one in (turns, other, reference)]
    add_turned(flat[0], flat[1], 0, flat[2], total, 0.7, 0.25)
    for j in range(16):
        between = 0.75 * turns[:, j] + 0.25 * other[:, j]
        away = naive.log(naive.times(naive.inverse(reference[:, j]), between))
        assert np.abs(total.reshape(3, 16)[:, j] - 0.7 * away).max() < 1e-8
    out = np.empty(64)
    turn_by(flat[2], total, out)
    for j in range(16):
        meant = naive.times(reference[:, j], naive.exp(total.reshape(3, 16)[:, j]))
        assert np.abs(out.reshape(4, 16)[:, j] - meant).max() < 1e-11


def test_rates_are_blended_derivatives() -> None:
    """The rate of an interval is the weighted mean of the examples' rates in it."""
    data = np.array([2.0, 4.0, 6.0, 8.0])
    row = np.zeros(16, dtype=np.int64)
    row[:2] = 2, 2
    for at in (0.0, 0.7, 1.2, 2.0):
        weights = np.array([0.25, 0.75])
        assert rate_at(data, row, at, weights) == naive.rate(data.reshape(2, 2), at, weights)


@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_place_in_a_hull(seed: int) -> None:
    """Alternating projections find what a general optimiser finds, in two and in three dimensions."""
    chance = np.random.default_rng(seed)
    around = hull(chance.normal(size=(9, 2 + seed % 2)))
    asked = 3.0 * chance.normal(size=2 + seed % 2)
    place = asked.copy()
    how = into_hull(place, around.normals, around.limits, around.flat, 0.0)
    meant = naive.into_hull(asked, around.normals, around.limits) if how == 2 else asked
    assert np.abs(place - meant).max() < 1e-6


def test_springs_are_exact() -> None:
    """A critically damped spring is its matrix exponential."""
    for dt in (0.0, 0.01, 0.4):
        assert np.allclose(spring(1.0, -2.0, 0.3, 7.0, dt), naive.spring(1.0, -2.0, 0.3, 7.0, dt), atol=1e-12)
