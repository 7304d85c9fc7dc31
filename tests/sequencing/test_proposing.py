"""Takes cut into elementary motions: ranges that fit, cores around bursts, steps outside."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.measures.curves import half_speeds
from segue.motion.samples import SAMPLES
from segue.sequencing.proposing import propose, proposed_core

TAKES = ("Boxing_Toes.bvh", "17_10.amc", "05_02.amc", "02_05.amc", "14_27.amc")


def check(clip: segue.Clip, shortest: float, longest: float) -> None:
    """Check that ranges are in order within the clip, each with frames before and after its core."""
    found = propose(clip, shortest=shortest, longest=longest)
    assert found
    assert len({one.name for one in found}) == len(found)
    for one, other in pairwise(found):
        assert one.stop_frame <= other.start_frame
    for one in found:
        assert (
            0
            <= one.start_frame
            < one.core_start_frame
            < one.core_stop_frame
            < one.stop_frame
            <= clip.n_frames
        )
        if len(found) > 1:
            assert (one.stop_frame - one.start_frame) / clip.fps >= shortest - 2 / clip.fps


@pytest.mark.parametrize("name", SAMPLES)
def test_any_motion_is_cut(name: str) -> None:
    """This includes motions that never rest, and motions that never move."""
    check(segue.sample(name), 0.8, 4.0)


@pytest.mark.parametrize("take", TAKES)
def test_captured_takes_are_cut_at_rests(data: Path, take: str) -> None:
    """Cuts are where the body is calmer than in the adjacent cores, and pieces have the given length."""
    clip = segue.load(next(data.rglob(take)))
    check(clip, 0.8, 4.0)
    check(clip, 1.5, 3.0)
    found = propose(clip)
    speeds = half_speeds(clip)
    fast = np.maximum(speeds.lower, speeds.upper)
    calmer = [
        fast[one.start_frame] < np.median(fast[one.core_start_frame : one.core_stop_frame])
        for one in found[1:]
    ]
    assert np.mean(calmer) > 0.9


def test_a_core_holds_the_fastest_moment() -> None:
    """The core of a stop is its last steps and not the standing after it."""
    clip = segue.sample("stop")
    first, last = proposed_core(clip)
    speeds = half_speeds(clip)
    fast = np.maximum(speeds.lower, speeds.upper)
    assert fast[first:last].mean() > 2 * fast[-30:].mean()


@pytest.mark.parametrize("seconds", [(0.0, 4.0), (2.0, 1.0), (1.0, float("nan"))])
def test_seconds_that_are_no_range_are_refused(seconds: tuple[float, float]) -> None:
    """The error says what would work."""
    with pytest.raises(SettingError, match=r"give 0\.3 s or more"):
        propose(segue.sample("walk"), shortest=seconds[0], longest=seconds[1])
    with pytest.raises(SettingError, match="no range"):
        proposed_core(segue.sample("walk"), start_frame=9, stop_frame=9)
