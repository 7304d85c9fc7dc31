"""A motion matcher follows its wish, finds the frame of a naive search, and jumps without a jolt."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.maths.quaternions import half_angle
from segue.motion.resample import cut, resampled
from segue.runtime.match_frames import AHEAD, match_frames
from segue.runtime.motion_matcher import MatchSettings, MotionMatcher, _wanted
from segue.runtime.steered.player import Command


@pytest.fixture(scope="module")
def matcher() -> MotionMatcher:
    """A matcher of standing, starting, walking straight and to the left."""
    return MotionMatcher([segue.sample(name) for name in ("stand", "start", "walk", "walk_left")], fps=30.0)


def test_it_walks_when_wished_and_turns(matcher: MotionMatcher) -> None:
    """From standing it reaches about the wished walking speed, and turns left."""
    matcher.reset()
    for _ in range(150):
        pose = matcher.step(1 / 30, Command("walk", speed=1.3))
    before = pose.root_position
    for _ in range(60):
        pose = matcher.step(1 / 30)
    assert np.linalg.norm((pose.root_position - before)[[0, 2]]) / 2 == pytest.approx(1.3, rel=0.2)
    facing = matcher.save().place[2]
    for _ in range(60):
        matcher.step(1 / 30, Command("walk", speed=1.2, turn=0.4))
    assert matcher.save().place[2] - facing > 0.2


def test_a_search_finds_the_naive_searchs_frame(matcher: MotionMatcher) -> None:
    """The query has the current frame's features with the wished path; a loop finds the same nearest frame."""
    matcher.reset()
    frames, jumps = matcher._frames, 0
    for k in range(48):
        matcher.step(1 / 30, Command("walk", speed=1.3))
        if k % 6:
            continue
        now = matcher.save()
        low = int(now.frame)
        wanted = _wanted(now.speed, now.turn, now.command, matcher.settings.follow)
        query = [*frames.features[low, :-9], *(wanted / frames.scale[-9:])]
        costs = [
            sum((a - b) ** 2 for a, b in zip(row, query, strict=True)) if far else np.inf
            for row, far in zip(frames.features.tolist(), frames.open, strict=True)
        ]
        best, found = int(np.argmin(costs)), matcher._sought(now).frame
        if found == now.frame:
            same = (
                frames.last[best] == frames.last[low] and abs(best - now.frame) < 30 * matcher.settings.near
            )
            assert same or costs[best] >= costs[low] - 1e-9
        else:
            assert found == best
            jumps += 1
    assert jumps > 0


def test_jumps_do_not_jolt(matcher: MotionMatcher) -> None:
    """No joint rotates in a frame more than half as much again as the fastest in the clips."""
    matcher.reset()
    poses = [
        matcher.step(1 / 30, Command("walk", speed=1.3 if k // 45 % 2 else 0.0)).rotations for k in range(270)
    ]
    made = np.array(poses)
    fastest = max(
        float(half_angle(clip.rotations[1:, 1:], clip.rotations[:-1, 1:]).max())
        for clip in (segue.sample(name, 30.0) for name in ("start", "walk", "walk_left"))
    )
    assert float(half_angle(made[1:, 1:], made[:-1, 1:]).max()) < 1.5 * fastest


def test_clips_too_short_to_look_ahead_are_refused() -> None:
    with pytest.raises(SettingError, match="long enough to be matched"):
        MotionMatcher([cut(segue.sample("walk"), 0, 20)])
    with pytest.raises(SettingError, match="there are none"):
        MotionMatcher([])


def test_where_a_guide_will_be() -> None:
    """A constant wish leads along a circle; at a clip's last frame the guide continues at its velocity."""
    speed, turn = 1.2, 0.7
    wanted = _wanted(speed, turn, Command("walk", speed, turn), 5.0).reshape(3, 3)
    radius, angle = speed / turn, turn * np.array(AHEAD)
    circle = np.column_stack([radius * (1 - np.cos(angle)), radius * np.sin(angle), angle])
    assert np.allclose(wanted, circle, atol=1e-3)
    frames = match_frames([segue.sample("walk", 30.0)], 30.0, future=1.0)
    features = frames.features[-1] * frames.scale
    assert features[-2] == pytest.approx(features[13], rel=0.05)  # in a second, as far as it travels in one
    assert not frames.open[-1]
    assert frames.open[0]
    few = match_frames([resampled(segue.sample("walk"), 1.0)], 1.0, future=1.0)
    assert np.all(np.isfinite(few.features))


def test_settings_are_checked() -> None:
    with pytest.raises(SettingError, match="follow of a motion matcher is positive, not 0"):
        MatchSettings(follow=0.0)
