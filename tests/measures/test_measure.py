"""`segue.measure`: the meaning of a motion's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.settings import SeamBounds
from segue.synthesis.assemble import Join, Plan, assemble


def _made(*placings: PlanarMotion) -> tuple[Clip, list[Clip]]:
    """Walk and run alternately, one cut per alignment."""
    clips = [segue.sample("walk", 30.0), segue.sample("run", 30.0)]
    joins = tuple(Join(k % 2, 40 + k, (k + 1) % 2, 20 + k, 0, placing) for k, placing in enumerate(placings))
    return assemble(clips, Plan(0, 0, joins, 60 + len(placings))), clips


def test_root_speed_is_the_grounds() -> None:
    """Root speed is metres per second over the ground; vertical motion does not count."""
    walk = segue.sample("walk", 30.0)
    roots = np.column_stack([np.arange(10) * 0.3, np.sin(np.arange(10)), np.arange(10) * 0.4])
    clip = walk.with_motion(
        walk.rotations[:10], roots, origin=walk.origin.take(np.arange(10)), name="straight"
    )
    np.testing.assert_allclose(segue.measure(clip).root_speed, 15.0)


def test_without_sources_seams_are_only_counted() -> None:
    """The origin gives the number of seams; their measures need the sources."""
    made, clips = _made(PlanarMotion(), PlanarMotion(1.0))
    alone, held = segue.measure(made), segue.measure(made, sources=clips)
    assert (alone.n_seams, len(alone.seams)) == (2, 0)
    assert (held.n_seams, len(held.seams)) == (2, 2)
    assert alone.planted_speeds.size == 0


def test_worst_seams_come_worst_first() -> None:
    """Seams are listed from the worst on, each with its time and both its sources."""
    made, clips = _made(
        PlanarMotion(), PlanarMotion(2.0, 3.0), PlanarMotion(0.0, 0.2), PlanarMotion(0.0, 9.0)
    )
    found = segue.measure(made, sources=clips)
    bounds = SeamBounds()
    worst = found.worst_seams()
    assert len(worst) == 3
    every = sorted((seam.badness(bounds) for seam in found.seams), reverse=True)
    assert [seam.badness(bounds) for seam in worst] == every[:3]
    assert {seam.seconds for seam in found.seams} == {seam.start / 30.0 for seam in found.seams}
    first = found.seams[0]
    assert (first.a_clip, first.a_frame, first.b_clip, first.b_frame) == ("walk", 39.0, "run", 20.0)


def test_badness_is_the_worst_joint_of_speed_and_acceleration() -> None:
    """Badness is 1 where the worst joint just meets the bound, and grows in proportion."""
    made, clips = _made(PlanarMotion(0.0, 5.0))
    (seam,) = segue.measure(made, sources=clips).seams
    bounds = SeamBounds()
    allowed = 1.5 * seam.source_speed + np.radians(10.0)
    by_hand = max(
        (seam.speed / allowed).max(),
        (seam.acceleration / np.maximum(seam.source_acceleration, 1e-3)).max() / 1.5,
    )
    assert seam.badness(bounds) == pytest.approx(by_hand)
    looser = SeamBounds(bounds.speed_factor, bounds.speed_extra, 2.0 * bounds.acceleration_factor)
    assert seam.badness(looser) == pytest.approx(max(by_hand / 2, (seam.speed / allowed).max()))


def test_mean_slides_are_means_over_plants() -> None:
    """Mean slides take every plant once; without plants they are NaN."""
    found = segue.measure(segue.sample("walk", 30.0))
    assert found.mean_slide[0] == pytest.approx(np.mean([p.start_to_end for p in found.plants]))
    assert found.mean_slide[1] == pytest.approx(np.mean([p.along_path for p in found.plants]))
    walk = segue.sample("walk", 30.0)
    gliding = walk.with_motion(
        root_positions=walk.root_positions + np.outer(np.arange(walk.n_frames), [0.3, 0, 0])
    )
    assert segue.measure(gliding).plants == ()
    assert np.isnan(segue.measure(gliding).mean_slide).all()


def test_one_frame_can_be_measured() -> None:
    """A motion of a single frame has no speed and no seams."""
    walk = segue.sample("walk", 30.0)
    still = walk.with_motion(walk.rotations[:1], walk.root_positions[:1], origin=walk.origin.take([0]))
    found = segue.measure(still)
    assert (found.n_seams, found.root_speed.size) == (0, 0)
