"""Transition points keep away from frames that hold no motion."""

from __future__ import annotations

import pytest

import segue
from segue.motion.clip import Clip
from segue.transitions.pruning import Mode


def broken(clip: Clip, frame: int) -> Clip:
    """Let the left arm hold zeros for two frames."""
    rotations = clip.rotations.copy()
    rotations[frame : frame + 2, clip.skeleton.index("LeftArm")] = [1.0, 0, 0, 0]
    return clip.with_motion(rotations)


@pytest.mark.parametrize("mode", ["centre", "source"])
def test_no_blend_shows_a_faulty_frame(mode: Mode) -> None:
    """Points of a walk with zeros inside, both ways."""
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
