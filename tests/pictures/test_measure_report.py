"""The picture of measures over time."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.measures.curves import measure_curves
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.pictures.measure_report import curves_picture, scale_tops


def test_curves_tint_the_seams_and_keep_their_scales() -> None:
    """Two motions share the scales of the livelier one."""
    walk, run = measure_curves(sample("walk", 30)), measure_curves(sample("run", 30))
    tops = scale_tops(walk, run)
    assert tops == pytest.approx([max(a, b) for a, b in zip(scale_tops(walk), scale_tops(run), strict=True)])
    one = curves_picture(walk, seams=[(20, 30), (50, 50)], tops=tops)
    other = curves_picture(run, tops=tops)
    assert one.notes["seams"] == 2
    assert one.notes["tops"] == other.notes["tops"]
    assert one.png != curves_picture(walk, tops=tops).png


def test_a_long_motion_loses_no_peak() -> None:
    """A single outlying frame among 10,000 is still drawn."""
    walk = measure_curves(sample("walk", 30))
    n = 10_000
    flat = type(walk)(
        np.arange(n) / 120.0,
        *(np.zeros(n) for _ in range(3)),
        np.zeros((n, 4)),
        np.zeros((n, 4), dtype=bool),
        np.zeros(n),
        np.zeros(n),
    )
    jerk = np.zeros(n)
    jerk[7777] = 5.0
    peak = type(walk)(**{**vars(flat), "jerk": jerk})
    assert curves_picture(peak, tops=(1.0, 1.0, 6.0)).png != curves_picture(flat, tops=(1.0, 1.0, 6.0)).png


def test_one_frame_has_no_curves() -> None:
    with pytest.raises(SettingError, match="a single frame has no curves"):
        curves_picture(measure_curves(cut(sample("walk", 30), 0, 1)))
