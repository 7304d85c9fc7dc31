"""NPZ of segue's own layout: restored bit for bit, and refused where it is inconsistent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_clips import SEEDS, body, clip
from segue.errors import FileError
from segue.io import save
from segue.io.npz_segue import arrays_of, read_segue_npz, write_npz
from segue.io.smpl_body import KEYS
from segue.motion.clip import Clip
from segue.motion.samples import sample


def arrays(path: Path) -> dict[str, Any]:
    """Arrays of a file; pickles are refused."""
    with np.load(path, allow_pickle=False) as held:
        return {key: held[key] for key in held.files}


def assert_same(a: Clip, b: Clip) -> None:
    """Compare everything that a file holds, bit for bit."""
    assert (a.name, a.fps, a.skeleton.names) == (b.name, b.fps, b.skeleton.names)
    assert np.array_equal(a.rotations, b.rotations)
    assert np.array_equal(a.root_positions, b.root_positions)
    assert np.array_equal(a.skeleton.parents, b.skeleton.parents)
    assert np.array_equal(a.skeleton.offsets, b.skeleton.offsets)
    sites = [(site.joint, site.offset.tolist()) for site in a.skeleton.end_sites]
    assert sites == [(site.joint, site.offset.tolist()) for site in b.skeleton.end_sites]
    assert a.origin.clips == b.origin.clips
    for part in ("clip", "frame", "weight"):
        assert np.array_equal(getattr(a.origin, part), getattr(b.origin, part))


@given(seed=st.integers(0, SEEDS), joints=st.integers(1, 5), frames=st.integers(1, 5))
def test_there_and_back(
    tmp_path_factory: pytest.TempPathFactory, seed: int, joints: int, frames: int
) -> None:
    """Every clip is restored exactly."""
    rng = np.random.default_rng(seed)
    made = clip(rng, body(rng, joints), frames, name="Lauf, ü")
    path = tmp_path_factory.mktemp("npz") / "a.npz"
    write_npz(made, path)
    assert_same(made, read_segue_npz(path, arrays(path)))


def test_end_sites_and_equal_bytes(tmp_path: Path) -> None:
    """Bone tips are restored; equal clips give equal files."""
    walk = sample("walk")
    save(walk, tmp_path / "a.npz")
    save(walk, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert walk.skeleton.end_sites
    assert set(arrays(tmp_path / "a.npz")) == {*arrays_of(walk), *KEYS}
    assert_same(walk, read_segue_npz(tmp_path / "a.npz", arrays(tmp_path / "a.npz")))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segue_format": np.array(2)}, "segue_format is 2"),
        ({"segue_format": np.zeros(9)}, "array of shape"),
        ({"rotations": None}, "no array 'rotations'"),
        ({"fps": np.array("30")}, "'fps' has 0 axes"),
        ({"fps": np.array(0.0)}, "frame rate"),
        ({"names": np.array(["a"])}, "tips of the joints"),
        ({"parents": np.full(21, -1)}, "parents"),
        ({"root_positions": np.zeros((2, 3))}, "root positions"),
        ({"root_positions": np.full((361, 3), np.nan)}, "not numbers"),
        ({"rotations": np.zeros((361, 21, 4))}, "not a unit quaternion"),
        ({"end_joints": np.array([99] * 5)}, "tips of the joints"),
        ({"origin_clip": np.full((361, 2), 7)}, "source 7 of 1"),
        ({"origin_weight": np.zeros((3, 2))}, "origin"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], words: str) -> None:
    """A missing, misshapen or impossible array is a FileError that names it."""
    held = {**arrays_of(sample("walk")), **change}
    held = {key: value for key, value in held.items() if value is not None}
    with pytest.raises(FileError, match=words):
        read_segue_npz(Path("a.npz"), held)


def test_the_least_that_is_needed() -> None:
    """Name, tips and origin may be missing; the rate may be set."""
    held = {k: v for k, v in arrays_of(sample("walk")).items() if not k.startswith(("origin", "end", "name"))}
    held["names"] = arrays_of(sample("walk"))["names"]
    made = read_segue_npz(Path("stroll.npz"), held, fps=24)
    assert (made.name, made.fps, made.skeleton.end_sites) == ("stroll", 24, ())
    assert made.origin.clips == ("stroll",)
