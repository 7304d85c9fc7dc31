"""The ground under the feet: a naive twin of which parts bear on it, and which clips are in place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import random_clips
import segue
from naive.root_motion import shares as naive_shares
from segue.io import motion_files
from segue.motion.clip import Clip
from segue.motion.faults import find_faults
from segue.motion.resample import cut
from segue.motion.support import is_in_place, passing, period_kind, shares
from segue.synthesis.loop import loop

PACK = ("Walking", "Running", "Sneaking", "Crouching")


def spot(clip: Clip) -> Clip:
    """The clip with its root over the origin."""
    return clip.with_motion(root_positions=clip.root_positions * [0.0, 1.0, 0.0])


@given(st.integers(0, random_clips.SEEDS), st.booleans())
def test_shares_are_those_of_the_formula(seed: int, wraps: bool) -> None:
    """Each part is weighted by how low it is and by the number of low parts near it in time at its velocity."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    steps, own = rng.normal(0.0, 0.3, (n, 4, 2)), rng.normal(0.0, 0.3, (n, 2))
    heights, fps = rng.uniform(-0.01, 0.15, (n, 4)), float(rng.uniform(10.0, 60.0))
    made = shares(steps, own, heights, leg=0.8, fps=fps, wraps=wraps)
    given_values = naive_shares(steps.tolist(), own.tolist(), heights.tolist(), 0.8, fps, wraps=wraps)
    assert np.allclose(made, given_values, atol=1e-12)
    assert made.min() >= 0.0
    assert made.max() <= 1.0


@pytest.mark.parametrize("name", ["walk", "run", "walk_turn_left"])
def test_what_walks_on_the_spot_is_in_place(name: str) -> None:
    """A computed walk or run is in place when its root stays, not when it travels; faults report the same."""
    clip = segue.sample(name)
    assert not is_in_place(clip)
    assert is_in_place(spot(clip))
    assert [fault.sentence for fault in find_faults(spot(clip)).of("sliding") if "in place" in fault.sentence]


@pytest.mark.parametrize("name", ["stand", "step_touch"])
def test_what_stands_is_not_in_place(name: str) -> None:
    """Feet that do not move while they are down show no travel, for any motion of the root."""
    assert not is_in_place(segue.sample(name))
    still = segue.sample(name)
    assert np.abs(passing(still).velocity.mean(axis=0)).max() < 0.05


def test_bodies_without_legs_and_single_frames_are_not_in_place() -> None:
    """Neither is an error."""
    rng = np.random.default_rng(1)
    assert not is_in_place(random_clips.clip(rng, random_clips.body(rng, 5), 20))
    assert not is_in_place(cut(spot(segue.sample("walk")), 3, 4))
    assert passing(cut(segue.sample("walk"), 3, 5)).velocity.tolist() == [[0.0, 0.0]]


def test_a_cycle_is_known_by_its_ends() -> None:
    """A loop repeats its first pose, or is followed by it where that is left out; half a loop is no cycle."""
    stride = loop(segue.sample("walk"), in_place=True).clip
    assert period_kind(stride) == "repeats"
    assert period_kind(cut(stride, 0, stride.n_frames - 1)) == "follows"
    assert period_kind(cut(stride, 0, stride.n_frames // 2)) == ""
    assert period_kind(cut(stride, 0, 1)) == ""
    held = stride.with_motion(np.repeat(stride.rotations[:1], stride.n_frames, axis=0))
    assert period_kind(held) == ""


def test_a_pack_is_told_apart(data: Path) -> None:
    """In a game pack the clips that walk or run are in place, and no idle, jump, hit, crawling or lying is."""
    for path in motion_files([str(data / "gltf" / "kaykit")]):
        name = str(path).rpartition("#")[2]
        if (
            name == "Spawn_Ground"
        ):  # it grows out of the ground by an animated scale, which bones do not follow
            continue
        assert is_in_place(segue.load(path)) == name.startswith(PACK), name


def test_captured_clips_are_not_in_place(data: Path) -> None:
    """Captured walks, jumps, dances, boxing and climbing are not in place; a walk made or put on the spot is."""
    for name in (
        "02/02_01",
        "02/02_04",
        "02/02_05",
        "05/05_02",
        "05/05_03",
        "14/14_21",
        "16/16_01",
        "16/16_35",
    ):
        assert not is_in_place(segue.load(data / "asf_amc" / f"{name}.amc")), name
    assert is_in_place(spot(segue.load(data / "asf_amc" / "02" / "02_01.amc")))
    assert is_in_place(segue.load(data / "misc" / "makehuman" / "walk1.bvh"))
