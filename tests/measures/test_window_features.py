"""Half-second windows as numbers: their twin, their invariances, and feet that are low."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import windows as naive
from segue.errors import SettingError, SkeletonError
from segue.maths.planar import PlanarMotion
from segue.measures.low_feet import low_feet, low_frames
from segue.measures.window_features import (
    BANDS,
    GROUPS,
    banded,
    groups_of,
    reach_frames,
    window_features,
)
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import cut
from segue.motion.roles import roles

REAL = ["asf_amc/16/16_15.amc", "asf_amc/127/127_04.amc", "cmu/max_friendly/131_01.bvh"]


def _check_twin(clip: Clip, middle: int) -> None:
    places, body = world_positions(clip), clip.skeleton
    numbers, what = window_features(body, places, clip.fps, middles=[middle])
    moving = [j for j in range(body.n_joints) if j == 0 or np.linalg.norm(body.offsets[j]) > 1e-6]
    known = {role: roles(body)[role] for role in roles(body)}
    twin = naive.features(
        places.tolist(), clip.fps, middle, names=list(body.names), moving=moving, known=known
    )
    assert sorted(twin) == sorted((one.joint, one.band, one.value) for one in what)
    given_values = [twin[one.joint, one.band, one.value] for one in what]
    # Logarithms of speeds near zero contain rounding errors.
    np.testing.assert_allclose(numbers[0], given_values, atol=1e-6)


@pytest.mark.parametrize(("name", "fps"), [("walk", 60.0), ("run", 30.0), ("stop", 120.0)])
def test_windows_are_their_twin(name: str, fps: float) -> None:
    """Every number of a window equals loops written from its definition, at three rates."""
    clip = cut(segue.sample(name, fps), 0, round(1.5 * fps))
    _check_twin(clip, round(0.75 * fps))


@pytest.mark.parametrize("name", REAL)
def test_twin_on_real_clips(data: Path, name: str) -> None:
    """The same holds for captured walks and runs of three bodies, where feet are low in parts of a window only."""
    clip = segue.load(data / name)
    reach = reach_frames(clip.fps)
    _check_twin(cut(clip, 0, 2 * reach + 40), reach + 7)


@given(turn=st.floats(-3.0, 3.0), x=st.floats(-50.0, 50.0), z=st.floats(-50.0, 50.0))
def test_place_and_heading_change_nothing(turn: float, x: float, z: float) -> None:
    """A motion that is turned and moved on the ground has the same numbers."""
    clip = segue.sample("walk_turn_left", 30.0)
    other = moved(clip, PlanarMotion(turn, x, z))
    one, two = (
        window_features(c.skeleton, world_positions(c), c.fps, middles=[25, 40])[0] for c in (clip, other)
    )
    np.testing.assert_allclose(one, two, atol=1e-3)  # logarithms of speeds that are rounding errors


@given(seed=st.integers(0, 2**32 - 1), fps=st.sampled_from([30.0, 50.0, 60.0]))
def test_bands_add_up(seed: int, fps: float) -> None:
    """The three bands of any series add up to it, and each equals plain loops."""
    values = np.random.default_rng(seed).normal(size=40)
    found = banded(values, fps)
    np.testing.assert_allclose(found.sum(axis=0), values, atol=1e-12)
    np.testing.assert_allclose(found, naive.bands(values.tolist(), fps), atol=1e-12)


@pytest.mark.parametrize(("hertz", "band"), [(0.5, 0), (3.5, 1), (12.0, 2)])
def test_a_wave_lies_in_its_band(hertz: float, band: int) -> None:
    """A slow, a medium and a fast wave each have most of their energy in the band of that name."""
    wave = np.sin(2.0 * np.pi * hertz * np.arange(600) / 60.0)
    energy = np.square(banded(wave, 60.0)[:, 100:-100]).mean(axis=1)
    assert np.argmax(energy) == band


@pytest.mark.parametrize("cutoff", [2.0, 6.0])
def test_filters_halve_the_energy_at_their_cutoff(cutoff: float) -> None:
    """Below its cutoff, a filter passes half of the energy of a wave of the cutoff frequency, to 0.01."""
    wave = np.sin(2.0 * np.pi * cutoff * np.arange(1200) / 60.0)
    split = banded(wave, 60.0)
    below = split[0] if cutoff == 2.0 else split[0] + split[1]
    share = np.square(below[300:-300]).mean() / np.square(wave[300:-300]).mean()
    assert share == pytest.approx(0.5, abs=0.01)


def test_windows_near_an_end_are_refused() -> None:
    """The error states the number of frames a window needs."""
    walk = segue.sample("walk", 30.0)
    with pytest.raises(SettingError, match="frames to either side"):
        window_features(walk.skeleton, world_positions(walk), walk.fps, middles=[3])


def test_what_lies_beyond_its_reach_changes_no_window() -> None:
    """Frames farther away than `reach_frames` have no influence if the feet's rests do not change."""
    walk = segue.sample("walk", 60.0)
    places = world_positions(walk)
    other, middle, reach = places.copy(), 60, reach_frames(60.0)
    other[: middle - reach, :, [0, 2]] += 0.5
    other[middle + reach + 1 :, :, [0, 2]] -= 0.5
    one, two = (window_features(walk.skeleton, p, 60.0, middles=[middle])[0] for p in (places, other))
    np.testing.assert_array_equal(one, two)


def test_every_joint_belongs_to_a_part() -> None:
    """Toes belong to the feet, hips to the root, hands to the upper body; a body without legs is refused."""
    body = segue.sample("walk").skeleton
    found, known = groups_of(body), roles(body)
    assert set(found) == set(GROUPS)
    parts = {"left_toe": "feet", "right_knee": "knees", "left_hip": "root", "left_wrist": "upper body"}
    assert {role: found[known[role]] for role in parts} == parts
    cube = segue.Skeleton(("cube",), np.array([-1]), np.zeros((1, 3)))
    with pytest.raises(SkeletonError):
        groups_of(cube)


def test_bands_are_named_once() -> None:
    """Every number has a name of its own."""
    walk = segue.sample("walk", 30.0)
    _, what = window_features(walk.skeleton, world_positions(walk), 30.0, middles=[30])
    assert len({(one.joint, one.band, one.value) for one in what}) == len(what)
    assert {one.group for one in what} == set(GROUPS)
    assert set(BANDS) <= {one.band for one in what}


@given(seed=st.integers(0, 2**32 - 1), fps=st.sampled_from([24.0, 30.0, 60.0, 120.0]))
def test_low_feet_are_their_twin(seed: int, fps: float) -> None:
    """Flags of any points are those of the plain rule in loops, also at the ends and in very short motions."""
    rng = np.random.default_rng(seed)
    frames = int(rng.integers(2, 30))
    places = np.cumsum(rng.normal(0.0, 0.004 * 60.0 / fps, (frames, 3, 3)), axis=0)
    flags = low_frames(places, fps)
    for point in range(3):
        assert flags[:, point].tolist() == naive.low(places[:, point].tolist(), fps)


@pytest.mark.parametrize("name", REAL)
def test_feet_of_captured_walks_are_low_in_turn(data: Path, name: str) -> None:
    """In walks and runs each foot is low in 20 to 90 % of the frames, as in its twin."""
    clip = segue.load(data / name)
    flags = low_feet(clip)
    assert flags.shape == (clip.n_frames, len(FOOT_PARTS))
    share = (flags[:, [0, 2]] | flags[:, [1, 3]]).mean(axis=0)
    assert np.all((share > 0.2) & (share < 0.9))
    places = foot_positions(clip.skeleton, world(clip))
    assert flags[:, 0].tolist() == naive.low(places[:, 0].tolist(), clip.fps)
