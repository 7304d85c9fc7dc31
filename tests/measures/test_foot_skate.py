"""Foot skate: slides of plants equal the twin's, are zero where feet stand, and complete where they slide."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import seams as naive
from segue.maths.planar import PlanarMotion
from segue.measures.foot_skate import (
    PARTS,
    carried_contacts,
    foot_skate,
    planted_speeds,
    source_contacts,
)
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import cut, resampled
from segue.motion.samples import ground_truth
from segue.synthesis.assemble import Join, Plan, assemble


def _places(clip: Clip) -> np.ndarray:
    return foot_positions(clip.skeleton, world(clip))


def _check_twin(clip: Clip, flags: np.ndarray) -> None:
    found = foot_skate(clip, planted=flags)
    twin = naive.slides(_places(clip).tolist(), flags.tolist(), PARTS)
    assert [(slide.part, slide.start, slide.stop) for slide in found] == [row[:3] for row in twin]
    np.testing.assert_allclose(
        np.array([(slide.start_to_end, slide.along_path) for slide in found]).reshape(-1, 2),
        np.array([row[3:] for row in twin]).reshape(-1, 2),
        atol=1e-12,
    )


@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 1.0))
def test_slides_are_their_twin(seed: int, share: float) -> None:
    """For any flags the plants and slides are the naive ones, also at the ends of the clip."""
    flags = np.random.default_rng(seed).random((60, 4)) < share
    _check_twin(cut(segue.sample("walk_turn_left", 30.0), 20, 80), flags)


@pytest.mark.parametrize(
    "name", ["asf_amc/16/16_15.amc", "asf_amc/127/127_04.amc", "cmu/max_friendly/131_01.bvh"]
)
def test_twin_on_real_clips(data: Path, name: str) -> None:
    """The same holds for the contacts detected in real walks and runs."""
    clip = cut(segue.load(data / name), 0, 130)
    _check_twin(clip, segue.contacts(clip).flags)


@pytest.mark.parametrize("name", ["walk", "walk_turn_left", "run", "step_touch", "stand"])
def test_planted_feet_of_samples_do_not_slide(name: str) -> None:
    """Where the ground truth has a plant, the part moves less than a millimetre."""
    slides = foot_skate(segue.sample(name), planted=ground_truth(name).contacts)
    assert slides
    assert max(slide.along_path for slide in slides) < 1e-3


def test_a_sliding_walk_skates_as_far_as_it_slides() -> None:
    """Pushed sideways by 20 cm/s, every plant slides that speed times its duration."""
    walk = segue.sample("walk")
    push = np.outer(np.arange(walk.n_frames) / walk.fps, [0.2, 0.0, 0.0])
    slid = walk.with_motion(root_positions=walk.root_positions + push)
    for slide in foot_skate(slid, planted=ground_truth("walk").contacts):
        expected = 0.2 * (slide.stop - 1 - slide.start) / walk.fps
        assert slide.start_to_end == pytest.approx(expected, abs=1e-3)
        assert slide.along_path == pytest.approx(expected, abs=1e-3)


def test_sliding_is_not_standing(cases: Path) -> None:
    """A rigid stance moved at 1 m/s is not planted; with flags set as planted, it slides 1 m/s."""
    clip = segue.load(next(cases.glob("case177-*.bvh")))
    assert not segue.contacts(clip).flags.any()
    slides = foot_skate(clip, planted=np.ones((clip.n_frames, 4), dtype=bool))
    assert len(slides) == 4
    for slide in slides:
        assert 100 * slide.along_path / clip.seconds == pytest.approx(100.0, abs=1.0)


@given(seed=st.integers(0, 2**32 - 1))
def test_where_the_clip_lies_does_not_matter(seed: int) -> None:
    """A ground motion of the clip does not change any slide."""
    rng = np.random.default_rng(seed)
    clip = cut(segue.sample("walk", 30.0), 0, 60)
    flags = segue.contacts(clip).flags
    there = moved(clip, PlanarMotion(*(float(v) for v in rng.normal(0.0, 10.0, 3))))
    one, two = foot_skate(clip, planted=flags), foot_skate(there, planted=flags)
    np.testing.assert_allclose([s.along_path for s in one], [s.along_path for s in two], atol=1e-9)
    np.testing.assert_allclose([s.start_to_end for s in one], [s.start_to_end for s in two], atol=1e-9)


def _made() -> tuple[Clip, list[Clip]]:
    """A walk blended into a faster one, cut back, with one resampled source."""
    sources = [segue.sample("walk", 30.0), resampled(segue.sample("walk_fast", 120.0), 30.0)]
    joins = (Join(0, 50, 1, 20, 10, PlanarMotion(0.1, 0.0, 3.0)), Join(1, 60, 0, 70, 0, PlanarMotion()))
    return assemble(sources, Plan(0, 5, joins, 100)), sources


def test_contacts_are_carried_from_the_sources() -> None:
    """Each frame has the contacts of its source frame; a blended frame has those of the source with more weight."""
    made, sources = _made()
    own = [segue.contacts(source).flags for source in sources]
    first, second = source_contacts(made, sources)
    step = (1.0, 4.0)
    for frame in range(made.n_frames):
        rows = made.origin.frame[frame] / [step[max(k, 0)] for k in made.origin.clip[frame]]
        number = int(made.origin.clip[frame, 0])
        np.testing.assert_array_equal(first[frame], own[number][round(rows[0])])
        if made.origin.clip[frame, 1] >= 0:
            np.testing.assert_array_equal(second[frame], own[int(made.origin.clip[frame, 1])][round(rows[1])])
        else:
            assert not second[frame].any()
        heavier = first if made.origin.weight[frame, 0] >= 0.5 else second
        np.testing.assert_array_equal(carried_contacts(made, sources)[frame], heavier[frame])


def test_planted_speeds_are_their_twin() -> None:
    """Horizontal speeds are taken exactly at blended frames and parts that both sources plant."""
    made, sources = _made()
    first, second = source_contacts(made, sources)
    blended = [frame for start, stop in seam_ranges(made.origin) for frame in range(start, stop)]
    assert len(blended) == 10
    twin = naive.planted_speeds(_places(made).tolist(), (first & second).tolist(), blended, made.fps)
    found = planted_speeds(made, sources)
    assert len(twin) > 0
    np.testing.assert_allclose(found, twin, atol=1e-9)


def test_a_clip_blended_with_itself_keeps_its_feet() -> None:
    """Two copies in step keep planted feet planted through the blend."""
    walk = segue.sample("walk", 30.0)
    twin = Clip(walk.skeleton, walk.rotations, walk.root_positions, 30.0, name="twin")
    made = assemble([walk, twin], Plan(0, 0, (Join(0, 60, 1, 60, 10, PlanarMotion()),), 100))
    speeds = planted_speeds(made, [walk, twin])
    assert speeds.size > 0
    assert speeds.max() < 0.05


def test_bodies_without_legs_are_refused() -> None:
    """The error names the missing role."""
    body = segue.Skeleton(("base", "tip"), [-1, 0], [[0, 1, 0], [0, 1, 0]])
    clip = Clip(body, np.tile([1.0, 0, 0, 0], (5, 2, 1)), np.zeros((5, 3)), 30.0)
    with pytest.raises(segue.SkeletonError, match=r"role 'left_hip'; nearest: "):
        foot_skate(clip)
