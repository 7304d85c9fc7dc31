"""Transition points avoid frames without motion."""

from __future__ import annotations

import pytest

import segue
from segue.motion.clip import Clip
from segue.settings import SearchMode as Mode


def broken(clip: Clip, frame: int) -> Clip:
    """The clip with the left arm at zero for two frames."""
    rotations = clip.rotations.copy()
    rotations[frame : frame + 2, clip.skeleton.index("LeftArm")] = [1.0, 0, 0, 0]
    return clip.with_motion(rotations)


@pytest.mark.parametrize("mode", ["centre", "source"])
def test_no_blend_shows_a_faulty_frame(mode: Mode) -> None:
    """The points of a walk with a dropout avoid it in both directions."""
    walk, stop = segue.sample("walk"), segue.sample("stop")
    bad = broken(walk, 150)
    sound = segue.transition_points(walk, stop, mode=mode, threshold=1e9)
    found = segue.transition_points(bad, stop, mode=mode, threshold=1e9)
    half = 10 if mode == "centre" else 0
    length = 20
    for point in found:
        start = point.a_frame - half
        assert not start - 1 <= 150 <= start + length + 1
    for point in found.back:
        assert not 140 <= point.b_frame <= 161
    assert 0 < len(found) < len(sound)


@pytest.mark.parametrize("cost", ["features", "joint_angle"])
def test_no_moment_looks_at_a_faulty_frame(cost: str) -> None:
    """A cost that reads a second ahead keeps a second of distance; blends still reach into a clip's last second."""
    walk, stop = segue.sample("walk", 30.0), segue.sample("stop", 30.0)
    made = segue.cost(cost)
    prepared = made.prepare(walk)
    after = prepared.half_window + prepared.ahead
    assert after == (30 if cost == "features" else 1)
    found = segue.transition_points(broken(walk, 75), stop, cost=made, threshold=1e9)
    leaving = [point.a_frame for point in found]
    assert leaving
    assert not [frame for frame in leaving if frame - 1 <= 76 and frame + after >= 75]
    arriving = [point.b_frame for point in found.back]
    assert not [frame for frame in arriving if frame - 1 <= 76 and frame + after >= 75]
    sound = segue.transition_points(walk, stop, cost=made, threshold=1e9, mode="source")
    ends = {point.a_frame + 9 for point in sound}  # the last blended frame of the clip left
    assert max(ends) > walk.n_frames - 1 - after
    assert max(ends) <= walk.n_frames - 1
