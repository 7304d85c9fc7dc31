"""The blend curve: its ends, its slope, its symmetry."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from segue.errors import SettingError
from segue.maths.easing import ease_out
from segue.maths.quaternions import IDENTITY, from_axis_angle, half_angle, slerp

Z = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("length", [1, 2, 3, 10, 31, 100])
def test_weights_are_the_papers_cubic(length: int) -> None:
    """Each weight is 2x³ - 3x² + 1 at x = (p+1)/k."""
    for p, weight in enumerate(ease_out(length)):
        x = (p + 1) / length
        assert weight == pytest.approx(2 * x**3 - 3 * x**2 + 1, abs=1e-15)


@pytest.mark.parametrize("length", [2, 3, 10, 31, 100])
def test_weights_fall_from_one_to_exactly_zero(length: int) -> None:
    """The frame before has weight 1, the last exactly 0, and the weights fall strictly in between."""
    weights = np.concatenate([[1.0], ease_out(length)])
    assert weights[-1] == 0.0
    assert np.all(np.diff(weights) < 0)
    assert np.allclose(weights + weights[::-1], 1.0, atol=1e-15)


def test_no_blend_has_no_weights() -> None:
    assert ease_out(0).shape == (0,)


def test_negative_lengths_are_refused() -> None:
    """The error states the smallest length."""
    with pytest.raises(SettingError, match="0 is a hard cut"):
        ease_out(-1)


def test_the_last_blend_frame_is_the_target(cases: Path) -> None:
    """A fade of six frames starts next to the pose it leaves and ends on its target."""
    found = json.loads(next(cases.glob("case132-*.json")).read_text("utf-8"))
    a, b = np.array(found["inputs"]["a"]), np.array(found["inputs"]["b"])
    weights = np.concatenate([[1.0], ease_out(found["inputs"]["frames"] - 1)])
    faded = slerp(b, a, weights)
    assert np.allclose(faded[0], found["expect"]["first"], atol=1e-6)
    assert np.allclose(faded[-1], found["expect"]["last"], atol=1e-6)
    assert np.all(np.diff([half_angle(a, q) for q in faded]) > 0)


def test_a_fade_starts_and_ends_gently(cases: Path) -> None:
    """The first and the last angle step are less than a third of the middle one."""
    found = json.loads(next(cases.glob("case187-*.json")).read_text("utf-8"))
    target = from_axis_angle(Z, np.radians(found["inputs"]["degrees"]))
    weights = np.concatenate([[1.0], ease_out(found["inputs"]["frames"])])
    steps = np.diff([float(half_angle(IDENTITY, q)) for q in slerp(target, IDENTITY, weights)])
    assert max(steps[0], steps[-1]) / steps[len(steps) // 2] < found["expect"]["end_step_ratio_max"]
