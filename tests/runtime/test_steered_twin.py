"""A steered character has the poses of the naive one, including transitions, keytimes and held feet."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from naive import steered as naive
from segue.accel.rotations import multiply_exp, sum_logs, sum_rows
from segue.locomotion._kernels import rate_at
from segue.maths._kernels import damped_spring, into_hull
from segue.maths.quaternions import half_angle
from segue.maths.scattered import hull
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.packing import SteerSettings, in_blocks
from segue.runtime.steered.player import Command, LocomotionPlayer, command_array
from steered_models import naive_character, naive_wish, small_model

SCRIPT = (
    (0.2, None),
    (1.6, Command("walk", speed=1.2)),
    (0.7, Command("walk", speed=1.0, turn=0.6)),
    (1.8, Command("stand")),
)


@pytest.mark.slow
def test_every_pose_is_the_naive_ones() -> None:
    """Standing, starting, walking, turning and stopping with uneven time steps match the naive one."""
    model, settings = small_model(), SteerSettings()
    player, slow = LocomotionPlayer(model, settings), naive_character(model, settings)
    command = naive_wish(model, player._start)
    kinds = set()
    for number, (seconds, given) in enumerate(SCRIPT):
        command = command if given is None else naive_wish(model, given)
        dt = 0.05 if number % 2 else 0.04
        for _ in range(round(seconds / dt)):
            pose = player.step(dt, given)
            rotations, root = slow.step(dt, command)
            kinds.add(slow.mode)
            assert np.abs(root - pose.root_position).max() < 1e-6
            assert half_angle(pose.rotations, rotations).max() < 1e-5
    assert kinds == {"staying", "leaving", "arriving"} | ({"between"} & kinds)


def test_first_frames_are_the_naive_ones() -> None:
    """The same over a few frames, short enough for interpreted kernels."""
    model, settings = small_model(), SteerSettings()
    player, slow = LocomotionPlayer(model, settings), naive_character(model, settings)
    given = Command("walk", speed=1.1, turn=0.2)
    for _ in range(4):
        pose = player.step(0.21, given)
        rotations, root = slow.step(0.21, naive_wish(model, given))
        assert np.abs(root - pose.root_position).max() < 1e-6
        assert half_angle(pose.rotations, rotations).max() < 1e-5


def test_on_uneven_ground_poses_are_the_naive_ones() -> None:
    """Feet on other heights and slopes are held, carried and tilted as by the naive one."""
    model, settings = small_model(), SteerSettings()
    player, slow = LocomotionPlayer(model, settings), naive_character(model, settings)
    given = Command("walk", speed=1.2)
    for number in range(20):
        slow.ground, slow.grade = (0.01 * number, 0.1 - 0.004 * number), (0.01 * number, -0.1)
        command = given if number else player._start
        if number == 1:
            player._command, player._intent = command_array(model, given), given
        slow.base = min(slow.ground)
        player._command[k.GROUND : k.WANTED] = *slow.ground, *slow.grade, slow.base
        pose = player.step(0.12, command)
        rotations, root = slow.step(0.12, naive_wish(model, command))
        assert np.abs(root - pose.root_position).max() < 1e-6
        assert half_angle(pose.rotations, rotations).max() < 1e-5


@pytest.mark.parametrize("spread", [0.2, 3.0])
def test_logarithms_and_exponentials(spread: float) -> None:
    """Sums of rotation vectors and products match the naive ones, near and half a circle apart, compiled or not."""
    chance = np.random.default_rng(3)
    samples, count = np.empty(10 + 2 * 3 * 128), 3
    reference = _unit(chance.normal(size=(4, 20)))
    turns = _unit(reference + spread * chance.normal(size=(count, 4, 20)))
    other = _unit(turns + 0.05 * chance.normal(size=turns.shape))
    flip = np.where(np.arange(20) % 3 == 1, -1.0, 1.0)  # q and -q are one rotation
    turns, other = turns * flip, other * flip
    samples[10:] = np.concatenate([in_blocks(one, 32).ravel() for one in (turns, other)])
    flat, weights, total = in_blocks(reference, 32).ravel(), np.array([0.7, -0.2, 0.5]), np.empty(96)
    meant = np.zeros((20, 3))
    for j in range(20):
        for i, weight in enumerate(weights):
            between = 0.75 * turns[i, :, j] + 0.25 * other[i, :, j]
            meant[j] += weight * naive.log(naive.times(naive.inverse(reference[:, j]), between))
    for function in (sum_logs, _compiled().sums):
        function(samples, 10, 0.25, weights, flat, total)
        found = np.moveaxis(total.reshape(2, 3, 16), 1, 2).reshape(-1, 3)
        assert np.abs(found[:20] - meant).max() < 1e-8
        assert np.all(found[20:] == 0.0)
    out = np.empty(128)
    for function in (multiply_exp, _compiled().turns):
        function(flat, total, out)
        found = np.moveaxis(out.reshape(2, 4, 16), 1, 2).reshape(-1, 4)
        for j in range(20):
            turned = naive.times(reference[:, j], naive.exp(meant[j]))
            assert np.abs(found[j] - turned).max() < 1e-7


def test_turns_next_to_nothing_are_none() -> None:
    """Components below 1e-60 of a unit quaternion become 0, compiled or interpreted, which avoids slow denormals."""
    still = in_blocks(np.array([[1.0], [1e-61], [0.0], [-1e-59]]), 16).ravel()
    for function in (multiply_exp, _compiled().turns):
        out = np.full(64, 7.0)
        function(still, np.zeros(48), out)
        assert out[::16].tolist() == [1.0, 0.0, 0.0, -1e-59]


def test_weighted_rows() -> None:
    """Rows of two moments are summed by weight, compiled or interpreted, from any start."""
    chance = np.random.default_rng(5)
    samples, weights, total = chance.normal(size=7 + 2 * 3 * 32), chance.normal(size=3), np.empty(32)
    for function in (sum_rows, _compiled().rows):
        function(samples, 7, 0.3, weights, total)
        for c in range(32):
            one, two = ([samples[start + 32 * i + c] for i in range(3)] for start in (7, 7 + 96))
            meant = sum(w * (0.7 * a + 0.3 * b) for w, a, b in zip(weights, one, two, strict=True))
            assert abs(total[c] - meant) < 1e-14


def _unit(rotations: np.ndarray) -> np.ndarray:
    return rotations / np.linalg.norm(rotations, axis=-2, keepdims=True)


@lru_cache(maxsize=1)
def _compiled() -> SimpleNamespace:
    """Compiled functions that each call one kernel."""
    import numba

    @numba.njit
    def sums(samples: Any, at: Any, between: Any, weights: Any, reference: Any, total: Any) -> None:
        sum_logs(samples, at, between, weights, reference, total)

    @numba.njit
    def rows(samples: Any, at: Any, between: Any, weights: Any, total: Any) -> None:
        sum_rows(samples, at, between, weights, total)

    @numba.njit
    def turns(reference: Any, total: Any, out: Any) -> None:
        multiply_exp(reference, total, out)

    return SimpleNamespace(sums=sums, rows=rows, turns=turns)


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
    """Alternating projections agree with a general optimiser, in two and in three dimensions."""
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
        assert np.allclose(
            damped_spring(1.0, -2.0, 0.3, 7.0, dt, np.exp(-7.0 * dt)),
            naive.spring(1.0, -2.0, 0.3, 7.0, dt),
            atol=1e-12,
        )
