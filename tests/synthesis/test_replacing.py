"""A replaced stretch: frames outside, the ends of the piece, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.synthesis.replacing import replace_stretch


def steps(clip: Clip) -> np.ndarray:
    """Step of the fastest joint in every frame, in metres."""
    return np.linalg.norm(np.diff(segue.world_positions(clip), axis=0), axis=-1).max(axis=1)


@settings(max_examples=12)
@given(
    st.sampled_from(["walk_slow", "walk_fast", "walk_left", "stop"]),
    st.integers(40, 120),
    st.integers(60, 150),
    st.integers(0, 60),
    st.sampled_from(["free", "planted"]),
)
def test_frames_outside_are_the_same_bits(name: str, start: int, length: int, at: int, feet: str) -> None:
    """This holds for any piece, with or without held feet; nothing jumps."""
    walk, other = segue.sample("walk"), segue.sample(name)
    made = replace_stretch(
        walk,
        other,
        start_frame=start,
        stop_frame=start + length,
        piece_start=at,
        piece_stop=min(at + length, other.n_frames),
        feet=feet,
    ).clip
    outside = np.r_[0:start, start + length : walk.n_frames]
    assert np.array_equal(made.rotations[outside], walk.rotations[outside])
    assert np.array_equal(made.root_positions[outside], walk.root_positions[outside])
    assert np.array_equal(made.origin.frame[outside, 0], outside)
    assert made.n_frames == walk.n_frames
    assert steps(made).max() < 1.65 * max(steps(walk).max(), steps(other).max())


def test_the_piece_is_what_is_shown_between_the_blends() -> None:
    """Joints are those of the other clip at its own tempo, and the origin names it."""
    walk, run = segue.sample("walk"), segue.sample("run")
    made = replace_stretch(
        walk, run, start_frame=100, stop_frame=220, piece_start=50, piece_stop=170, feet="free"
    )
    middle = np.arange(115, 205)
    assert made.clip.rotations[middle, 1:] == pytest.approx(run.rotations[middle - 50, 1:], abs=1e-9)
    assert made.clip.origin.clips == ("walk", "run")
    assert (made.clip.origin.clip[middle, 0] == 1).all()
    assert made.clip.origin.frame[middle, 0] == pytest.approx(middle - 50)
    assert made.tempo == pytest.approx(1.0)
    blends = seam_ranges(made.clip.origin)
    assert [blends[0][0], blends[-1][1]] == pytest.approx([100, 220], abs=1)


def test_the_same_piece_changes_nothing() -> None:
    walk = segue.sample("walk")
    made = replace_stretch(
        walk, walk, start_frame=90, stop_frame=200, piece_start=90, piece_stop=200, feet="free"
    )
    assert segue.world_positions(made.clip) == pytest.approx(segue.world_positions(walk), abs=1e-9)
    assert made.shifted == pytest.approx(0, abs=1e-9)
    assert made.turned == pytest.approx(0, abs=1e-9)


def test_the_beginning_and_the_end_need_one_blend_only() -> None:
    """A piece at the edge of the motion begins or ends the motion, without a blend."""
    walk, slow = segue.sample("walk"), segue.sample("walk_slow")
    first = replace_stretch(walk, slow, start_frame=0, stop_frame=100, piece_stop=100, feet="free")
    assert np.array_equal(first.clip.rotations[0, 1:], slow.rotations[0, 1:])
    last = replace_stretch(
        walk, slow, start_frame=260, stop_frame=walk.n_frames, piece_stop=walk.n_frames - 260, feet="free"
    )
    end = walk.n_frames - 261
    assert last.clip.rotations[-1, 1:] == pytest.approx(slow.rotations[end, 1:], abs=1e-12)


def test_another_tempo_is_taken_and_said() -> None:
    """Half the frames play half as fast."""
    walk = segue.sample("walk")
    made = replace_stretch(walk, segue.sample("walk_fast"), start_frame=80, stop_frame=201, piece_stop=73)
    assert made.tempo == pytest.approx(72 / 120)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        ({"start_frame": 50, "stop_frame": 40}, "is no stretch of it"),
        ({"start_frame": 50, "stop_frame": 9999}, "is no stretch of it"),
        ({"start_frame": 50, "stop_frame": 60, "piece_stop": 10}, "too short for two blends"),
        ({"start_frame": 50, "stop_frame": 150, "piece_stop": 20}, "take a piece of"),
        ({"start_frame": 50, "stop_frame": 150, "piece_stop": 100, "feet": "loose"}, "feet='loose'"),
        ({"start_frame": 50, "stop_frame": 150, "piece_stop": 100, "across": "jump"}, "no blend method"),
    ],
)
def test_impossible_wishes_are_refused(ask: dict, sentence: str) -> None:
    """The error says what would work."""
    with pytest.raises(SettingError, match=sentence):
        replace_stretch(segue.sample("walk"), segue.sample("run"), **ask)
