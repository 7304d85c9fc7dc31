"""Fixed faults of joins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.maths.planar import PlanarMotion
from segue.measures.seams import seam_ranges, seams
from segue.motion.facing import moved
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import resampled
from segue.synthesis.assemble import Join, Plan, assemble


def test_a_blend_at_the_very_end_is_one_seam() -> None:
    """With a resampled source that is only ever blended in, every blended frame became a seam."""
    walk, run = (resampled(segue.sample(name, 120.0), 30.0) for name in ("walk", "run"))
    made = assemble([walk, run], Plan(0, 20, (Join(0, 40, 1, 20, 10, PlanarMotion()),), 30))
    assert seam_ranges(made.origin) == [(20, 30)]


def test_a_cut_between_two_frames_can_be_measured() -> None:
    """A motion of two frames has no acceleration; measuring its seam failed."""
    walk, run = segue.sample("walk"), segue.sample("run")
    made = assemble([walk, run], Plan(0, 0, (Join(0, 1, 1, 20, 0, PlanarMotion()),), 21))
    (seam,) = seams(made, [walk, run])
    assert np.all(seam.acceleration == 0)
    assert seam.speed.max() > 0


def test_splicing_onto_another_body_far_away_keeps_the_place(data: Path) -> None:
    """Travel scales with the legs, so a clip far from the origin landed elsewhere on another body."""
    a = resampled(segue.load(data / "asf_amc/16/16_15.amc"), 30.0)
    b = segue.sample("walk", 30.0)
    far = PlanarMotion(1.0, 400.0, -900.0)
    point = segue.transition_points(a, moved(b, far), threshold=0.02)[0]
    motion = segue.splice(a, moved(b, far), point, length="cut")
    steps = np.linalg.norm(np.diff(motion.root_positions[:, [0, 2]], axis=0), axis=1)
    assert steps.max() < 1.3 * np.delete(steps, point.a_frame - 1).max()


@pytest.mark.parametrize(("a_start", "b_start", "wrong"), [(40, -3, "run"), (355, 20, "walk")])
def test_blends_outside_a_clip_are_refused(a_start: int, b_start: int, wrong: str) -> None:
    """A blend that reaches out of one of its clips ended in an array error."""
    walk, run = segue.sample("walk"), segue.sample("run")
    plan = Plan(0, 0, (Join(0, a_start, 1, b_start, 10, PlanarMotion()),), run.n_frames)
    with pytest.raises(segue.SettingError, match=rf"'{wrong}' has frames 0 to \d+; the plan needs \["):
        assemble([walk, run], plan)


def test_plans_that_lose_the_thread_are_refused() -> None:
    """A join must leave the clip that is playing, and there must be something to play."""
    walk, run = segue.sample("walk"), segue.sample("run")
    with pytest.raises(segue.SettingError, match=r"plays clip 'walk' but the next join leaves clip 'run'"):
        assemble([walk, run], Plan(0, 0, (Join(1, 40, 0, 20, 10, PlanarMotion()),), 50))
    with pytest.raises(segue.SettingError, match=r"from frame 7 to 7 of 'walk' has no frames"):
        assemble([walk, run], Plan(0, 7, (), 7))


def test_a_cut_knows_the_ways_of_blending() -> None:
    """A misspelt method of blending the root was silently accepted when the length was a cut."""
    walk, stop = segue.sample("walk"), segue.sample("stop")
    point = segue.transition_points(walk, stop)[0]
    with pytest.raises(segue.SettingError, match="root='place' is not known"):
        segue.splice(walk, stop, point, length="cut", root="place")  # type: ignore[arg-type]


def test_heels_of_another_body_land_on_the_same_floor(data: Path) -> None:
    """Another foot shape sank a heel 3 cm into the floor."""
    walk = segue.sample("walk")
    out = segue.retarget(walk, segue.load(data / "asf_amc/16/16_15.amc").skeleton)
    planted = segue.contacts(walk).flags
    heights = foot_positions(out.skeleton, world(out))[..., 1]
    for heel in (0, 2):
        assert abs(np.median(heights[planted[:, heel], heel])) < 0.005
