"""Knees at seams: angular acceleration relative to that near the seam in both sources."""

from __future__ import annotations

import numpy as np
import pytest

import naive.knees as naive
import segue
from segue.maths.quaternions import from_axis_angle, multiply
from segue.measures.seams import seam_ranges, seams
from segue.measures.smoothness import knee_motion, knee_peaks, knee_ratios
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.limb_ik import Leg
from segue.synthesis.feet.seams import with_feet


def made(feet: str = "free") -> tuple[Clip, list[Clip]]:
    """A motion with a few joins of two walks, and the walks."""
    sources = [segue.sample("walk", 30), segue.sample("walk_slow", 30)]
    graph = segue.MotionGraph.build(sources)
    return segue.render(graph.wander(seconds=20, seed=3), feet=feet), list(graph.clips)


def bends(clip: Clip, side: str) -> list[float]:
    """Flexion of a knee in every frame."""
    leg, at = Leg.of(clip.skeleton, side), world_positions(clip).tolist()
    return [naive.bend(frame[leg.hip], frame[leg.knee], frame[leg.ankle]) for frame in at]


def test_ratios_equal_their_twin() -> None:
    """Each seam is divided by the larger peak of both sources within half a second."""
    clip, sources = made()
    found = knee_ratios(clip, sources)
    by_name = {source.name: source for source in sources}
    assert len(found) == len(seam_ranges(clip.origin)) > 0
    for row, seam in zip(found, seams(clip, sources), strict=True):
        for column, side in enumerate(("left", "right")):
            top = naive.hardest(bends(clip, side), seam.start - 1, max(seam.stop, seam.start), clip.fps)
            usual = [
                naive.hardest(bends(by_name[name], side), round(frame) - 15, round(frame) + 15, clip.fps)
                for name, frame in ((seam.a_clip, seam.a_frame), (seam.b_clip, seam.b_frame))
            ]
            assert row[column] == pytest.approx(top / max(*usual, 0.5), rel=1e-6)


def test_a_knee_that_pops_is_seen_and_a_faster_source_excuses_it() -> None:
    """A kink of 25 degrees in one frame of a blend more than triples the ratio."""
    clip, sources = made()
    start, stop = next(span for span in seam_ranges(clip.origin) if span[1] > span[0] + 2)
    rotations, knee = np.array(clip.rotations), Leg.of(clip.skeleton, "left").knee
    kink = from_axis_angle(np.array([1.0, 0, 0]), np.radians(25.0))
    rotations[start + 1, knee] = multiply(rotations[start + 1, knee], kink)
    popped = clip.with_motion(rotations)
    number = seam_ranges(clip.origin).index((start, stop))
    assert knee_ratios(popped, sources)[number, 0] > 3 * knee_ratios(clip, sources)[number, 0]
    spoilt = [source.with_motion(multiply(source.rotations, np.array([1.0, 0, 0, 0]))) for source in sources]
    assert knee_ratios(clip, spoilt) == pytest.approx(knee_ratios(clip, sources))


def test_a_jump_of_one_step_is_no_speed() -> None:
    """A captured knee that jumps within one frame does not raise the speed allowed for a blend near it."""
    walk = segue.sample("walk", 60)
    turned, knee = np.array(walk.rotations), Leg.of(walk.skeleton, "left").knee
    turned[100:, knee] = multiply(
        turned[100:, knee], from_axis_angle(np.array([1.0, 0, 0]), np.radians(20.0))
    )
    jumped = walk.with_motion(turned)
    (speed, hard), (usual, usual_hard) = (knee_peaks(clip)[:, 100, 0] for clip in (jumped, walk))
    assert np.abs(np.diff(bends(jumped, "left"))).max() * 60 > 2 * usual
    assert speed < 1.2 * usual
    assert hard > 2 * usual_hard


def test_speed_and_acceleration_equal_their_twin() -> None:
    walk = segue.sample("walk_fast", 30)
    found = knee_motion(walk, [(20, 40)])
    for column, side in enumerate(("left", "right")):
        mine = bends(walk, side)
        expected = [f(mine, 19, 40, 30.0) for f in (naive.fastest, naive.hardest)]
        assert found[:, 0, column] == pytest.approx(expected, rel=1e-6)


def test_held_feet_leave_knees_within_half_as_much_again() -> None:
    """A finished motion has at a seam at most the ratio of its blend, or 1.5 times the sources."""
    clip, sources = made()
    held = with_feet(clip, sources, "planted").clip
    free, found = knee_ratios(clip, sources), knee_ratios(held, sources)
    assert (found <= np.maximum(1.5, 1.05 * free + 0.05) + 1e-6).all()


@pytest.mark.data
def test_knees_of_a_captured_walk_are_soft(data) -> None:
    """In a walk made of one subject's walks, at least 99 % of the knee ratios are at most 1.5."""
    from segue.app.stages import make_graph, read
    from segue.settings import Settings

    graph = make_graph(
        read([str(data / "asf_amc" / "16" / f"16_{n}.amc") for n in (15, 16, 17, 21, 22)]), Settings()
    )
    motion = segue.render(graph.wander(seconds=30, seed=1))
    assert (knee_ratios(motion, graph.clips) <= 1.5 + 1e-6).mean() >= 0.99
