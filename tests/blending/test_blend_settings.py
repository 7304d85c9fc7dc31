"""Blend settings: lengths in seconds, and the frames of both motions that a blend uses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive.assemble import starts
from naive.blending import alpha
from segue.blending.methods import HARD_CUT, blend_starts
from segue.maths.easing import ease_out
from segue.settings import Blend

frames = st.integers(-50, 500)
lengths = st.integers(0, 240)


@given(i=frames, j=frames, k=lengths, kind=st.sampled_from(["aligned", "start_end"]))
def test_frames_used_are_the_papers(i: int, j: int, k: int, kind: str) -> None:
    """Start-end blends use A_i ... A_(i+k-1) with B_(j-k+1) ... B_j; aligned ones meet where the weight is 0.5."""
    assert blend_starts(i, j, length=k, kind=kind) == starts(i, j, k, kind)  # type: ignore[arg-type]


@given(i=frames, j=frames, k=st.integers(1, 240))
def test_aligned_points_are_the_middle_of_their_blend(i: int, j: int, k: int) -> None:
    """An aligned blend pairs frame i with frame j, at weight one half or in the last frame above it."""
    a, b = blend_starts(i, j, length=k, kind="aligned")
    assert i - a == j - b
    weights = np.concatenate([[1.0], ease_out(k), [0.0]])
    at = i - a + 1
    if k > 1:
        assert weights[at] >= 0.5 > weights[at + 1]
        assert k % 2 or weights[at] == 0.5
    assert 0 <= i - a < k


@given(i=frames, j=frames, k=st.integers(2, 120), longer=st.integers(1, 60))
def test_only_start_end_blends_shift_with_their_length(i: int, j: int, k: int, longer: int) -> None:
    """A longer blend keeps the pairing of an aligned point and shifts that of a start-end point by the difference."""
    short, long = (blend_starts(i, j, length=n, kind="aligned") for n in (k, k + longer))
    assert short[1] - short[0] == long[1] - long[0] == j - i
    short, long = (blend_starts(i, j, length=n, kind="start_end") for n in (k, k + longer))
    assert (short[1] - short[0]) - (long[1] - long[0]) == longer


@given(k=st.integers(1, 100))
def test_weights_are_equation_4_6(k: int) -> None:
    """The curve of a blend is the published one, 1 before it and 0 from its last frame on."""
    assert np.allclose(ease_out(k), [alpha(p, k) for p in range(k)], atol=1e-15)
    assert alpha(-1, k) == 1.0
    assert alpha(k, k) == ease_out(k)[-1] == 0.0


def test_the_baseline_is_ten_frames_at_thirty() -> None:
    """A third of a second is 10 frames at 30 fps and 40 at 120 fps; a cut has none at any rate."""
    assert [Blend().frames(fps) for fps in (30.0, 60.0, 120.0)] == [10, 20, 40]
    assert [HARD_CUT.frames(fps) for fps in (24.0, 120.0)] == [0, 0]
    assert Blend(seconds=2.0).frames(30.0) == 60


@pytest.mark.parametrize("seconds", [-0.1, 2.1, float("nan"), float("inf")])
def test_impossible_lengths_are_refused(seconds: float) -> None:
    """A length outside 0 to 2 s is refused with the value and the range."""
    with pytest.raises(segue.SettingError, match=r"0 \(hard cut\) to 2 s") as caught:
        Blend(seconds=seconds)
    assert str(seconds) in str(caught.value)


def test_unknown_root_modes_are_refused() -> None:
    """An unknown root mode is refused with the valid ones."""
    with pytest.raises(segue.SettingError, match=r"'velocity'.*'position' or 'displacement'"):
        Blend(root="velocity")  # type: ignore[arg-type]
