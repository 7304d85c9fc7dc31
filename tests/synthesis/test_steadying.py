"""Locked feet that lie flat do not tremble."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.maths.quaternions import exp, half_angle, multiply
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.roles import roles
from segue.synthesis.feet.steadying import steadied

FPS = 60.0


def shaken(size: float, seed: int, flags: np.ndarray) -> tuple[Clip, int]:
    """A stand whose left ankle trembles by the given angle in radians while its foot lies flat."""
    stand = segue.sample("stand", FPS)
    ankle = roles(stand.skeleton)["left_ankle"]
    rotations = np.array(stand.rotations)
    tremor = size * np.random.default_rng(seed).standard_normal((stand.n_frames, 3))
    tremor[~flags[:, 0]] = 0.0
    rotations[:, ankle] = multiply(rotations[:, ankle], exp(0.5 * tremor))
    return stand.with_motion(rotations=rotations), ankle


def flat(n: int, start: int, stop: int) -> np.ndarray:
    """Flags of a left foot that lies flat for some frames."""
    out = np.zeros((n, 4), dtype=bool)
    out[start:stop, :2] = True
    return out


@given(st.integers(10, 60), st.integers(6, 60), st.integers(0, 99))
def test_the_tilt_is_a_mean_of_what_it_was(start: int, length: int, seed: int) -> None:
    """Loops over the definition give the same; frames and joints outside are bit for bit unchanged."""
    n = segue.sample("stand", FPS).n_frames
    stop = min(start + length, n)
    flags = flat(n, start, stop)
    clip, ankle = shaken(0.02, seed, flags)
    made = steadied(clip, flags)
    spread, own = 0.03 * FPS, world(clip).rotations[:, ankle]
    found = world(made).rotations[:, ankle]
    for frame in range(start, stop):
        total, weights = np.zeros(4), 0.0
        for other in range(frame - int(4 * spread + 0.5), frame + int(4 * spread + 0.5) + 1):
            weight = math.exp(-0.5 * ((other - frame) / spread) ** 2)
            q = own[min(max(other, start), stop - 1)]
            total, weights = total + weight * q * (1.0 if q @ own[start] > 0 else -1.0), weights + weight
        share = min(min(frame - start + 1, stop - frame) / (spread + 1.0), 1.0)
        first = own[frame] * (1.0 if own[frame] @ own[start] > 0 else -1.0)
        expected = first + share * (total / weights - first)
        expected /= np.linalg.norm(expected)
        assert half_angle(found[frame], expected) < 1e-7
    elsewhere = np.ones(clip.rotations.shape[:2], dtype=bool)
    elsewhere[start:stop, ankle] = False
    assert np.array_equal(made.rotations[elsewhere], clip.rotations[elsewhere])


def test_a_trembling_foot_gets_calm() -> None:
    """Of the frame-to-frame changes of a foot that trembles by one degree less than 15 % are left."""
    n = segue.sample("stand", FPS).n_frames
    flags = flat(n, 20, n - 20)
    clip, ankle = shaken(math.radians(1.0), 1, flags)
    before, after = (
        half_angle(q[1:], q[:-1])[30:-30].mean()
        for q in (world(one).rotations[:, ankle] for one in (clip, steadied(clip, flags)))
    )
    assert after < 0.15 * before


@pytest.mark.parametrize("flags", [np.zeros((120, 4), dtype=bool), flat(120, 10, 13)])
def test_no_flat_foot_no_change(flags: np.ndarray) -> None:
    """The clip is returned unchanged where no foot lies flat for five frames."""
    clip = segue.sample("walk", FPS)
    whole = np.zeros((clip.n_frames, 4), dtype=bool)
    whole[: len(flags)] = flags
    assert steadied(clip, whole) is clip
