"""Seams: found from the origin alone, measured as by the twin."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from naive import seams as naive
from segue.maths.planar import PlanarMotion
from segue.measures.seams import angular_speeds, seam_ranges, seams, source_peaks
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut, resampled
from segue.settings import SeamBounds
from segue.synthesis.assemble import Join, Plan, assemble

seeds = st.integers(0, chance.SEEDS)


def _clips(rng: np.random.Generator, *, step: int = 1) -> list[Clip]:
    """Random clips; with a step, as if resampled from that multiple of the rate."""
    body = chance.body(rng, 3)
    made = [
        chance.clip(rng, body, int(rng.integers(24, 50)) * step, fps=30.0 * step, name=f"clip{k}")
        for k in range(3)
    ]
    return [resampled(clip, 30.0) for clip in made]


def _play(rng: np.random.Generator, clips: list[Clip], joins: int = 3) -> tuple[Clip, list[tuple[int, int]]]:
    """A random motion and its planned seams; every join jumps to another frame."""
    number, at = int(rng.integers(0, 3)), int(rng.integers(0, 3))
    first = (number, at)
    out: list[Join] = []
    expected: list[tuple[int, int]] = []
    emitted = 0
    for _ in range(joins):
        length = int(rng.choice([0, 0, 1, 2, 5]))
        leave = int(rng.integers(at + 3, at + 9))
        to, arrive = int(rng.integers(0, 3)), int(rng.integers(0, 6))
        if leave + length > clips[number].n_frames or (to == number and arrive == leave):
            break
        emitted += leave - at
        out.append(Join(number, leave, to, arrive, length, chance.ground_motion(rng)))
        expected.append((emitted, emitted + length))
        emitted += length
        number, at = to, arrive + length
    made = assemble(clips, Plan(*first, tuple(out), at + int(rng.integers(3, 9))))
    return made, expected


@given(seed=seeds, step=st.sampled_from([1, 4]))
def test_seams_are_where_they_were_planned(seed: int, step: int) -> None:
    """Blends of any length, cuts and jumps within a clip are found from the origin, also for resampled sources."""
    rng = np.random.default_rng(seed)
    made, expected = _play(rng, _clips(rng, step=step))
    assert seam_ranges(made.origin) == expected


@given(seed=seeds)
def test_blends_back_to_back_are_two_seams(seed: int) -> None:
    """Where one blend begins as the other ends there are two seams, also between the same two clips."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    one, two = (int(v) for v in rng.integers(1, 6, 2))
    placing = PlanarMotion()
    joins = (
        Join(0, 5, 1, 3, one, placing),
        Join(1, 3 + one, 0, 11, two, placing),
        Join(0, 11 + two, 0, 2, 2, placing),
    )
    made = assemble(clips, Plan(0, 0, joins, 8))
    edges = [5, 5 + one, 5 + one + two, 5 + one + two + 2]
    assert seam_ranges(made.origin) == list(itertools.pairwise(edges))


@given(seed=seeds, step=st.sampled_from([1, 4]))
def test_a_motion_cut_anywhere_keeps_its_seams(seed: int, step: int) -> None:
    """Cutting off the start or the end, also within a blend, shifts the seams and clips the outermost ones."""
    rng = np.random.default_rng(seed)
    made, planned = _play(rng, _clips(rng, step=step))
    start = int(rng.integers(0, made.n_frames // 3))
    stop = int(rng.integers(2 * made.n_frames // 3 + 1, made.n_frames + 1))
    expected = [
        (max(a, start) - start, min(b, stop) - start)
        for a, b in planned
        if (start < a < stop if a == b else a < stop and b > start)
    ]
    assert seam_ranges(cut(made, start, stop).origin) == expected


def test_untouched_clips_have_no_seams(data: Path) -> None:
    """A file has no seam, nor has it after resampling to any rate or cutting."""
    clip = segue.load(data / "asf_amc/16/16_15.amc")
    for fps in (120.0, 60.0, 50.0, 30.0, 24.0, 29.97, 240.0):
        again = resampled(clip, fps)
        assert seam_ranges(again.origin) == []
        assert seam_ranges(cut(again, 3, again.n_frames - 2).origin) == []


def _check_twin(made: Clip, sources: list[Clip], planned: list[Join]) -> None:
    found = seams(made, sources)
    assert len(found) == len(planned)
    body = (made.skeleton.parents.tolist(), made.skeleton.offsets.tolist())
    rotations = made.rotations.tolist()
    places = naive.world_places(rotations, made.root_positions.tolist(), *body)
    for seam, join in zip(found, planned, strict=True):
        assert seam.stop - seam.start == join.length
        speeds, accelerations = naive.made_peaks(rotations, places, seam.start, seam.stop, made.fps)
        np.testing.assert_allclose(seam.speed, speeds, rtol=1e-6, atol=1e-5)
        np.testing.assert_allclose(seam.acceleration, accelerations, rtol=1e-7, atol=1e-7)
        limits = []
        # The sources meet where the weight is one half; at a cut the last frame of A meets the first of B.
        half = max(join.length // 2 - 1, 0)
        ends = (join.a_start + (half if join.length else -1), join.b_start + half)
        for clip, middle in zip((sources[join.a_clip], sources[join.b_clip]), ends, strict=True):
            turned = clip.rotations.tolist()
            stood = naive.world_places(turned, clip.root_positions.tolist(), *body)
            limits.append(naive.source_peaks(turned, stood, middle, clip.fps))
        np.testing.assert_allclose(
            seam.source_speed, np.maximum(limits[0][0], limits[1][0]), rtol=1e-6, atol=1e-5
        )
        np.testing.assert_allclose(
            seam.source_acceleration, np.maximum(limits[0][1], limits[1][1]), rtol=1e-7
        )


@settings(max_examples=15)
@given(seed=seeds)
def test_measures_are_their_twin(seed: int) -> None:
    """Speeds and accelerations of every joint at every seam of random motions are the twin's."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    placing = chance.ground_motion(rng)
    joins = [Join(0, 8, 1, 3, int(rng.integers(1, 7)), placing)]
    joins.append(Join(1, 15, 2, 4, 0, placing.inverse()))
    _check_twin(assemble(clips, Plan(0, 1, tuple(joins), 12)), clips, joins)


def test_twin_on_real_clips(data: Path) -> None:
    """The same holds on a walk blended into a run and cut back."""
    clips = [resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in ("16_15", "16_35")]
    joins = [Join(0, 30, 1, 8, 10, PlanarMotion(0.3, 1.0, 2.0)), Join(1, 25, 0, 50, 0, PlanarMotion())]
    _check_twin(assemble(clips, Plan(0, 0, tuple(joins), 70)), clips, joins)


def test_speeds_are_the_whole_angle_a_second() -> None:
    """A joint that rotates by 3 degrees a frame at 30 fps rotates at 90 degrees a second."""
    half = np.radians(3.0) * np.arange(5) / 2
    q = np.column_stack([np.cos(half), 0 * half, np.sin(half), 0 * half])[:, None]
    np.testing.assert_allclose(angular_speeds(q, 30.0), np.radians(90.0), rtol=1e-9)


def test_a_fall_accelerates_as_gravity_does() -> None:
    """A body in free fall has an acceleration of 9.81 m/s^2 at any rate."""
    for fps in (30.0, 120.0):
        t = np.arange(20) / fps
        roots = np.column_stack([t, 2.0 - 9.81 * t**2 / 2, 3 * t])
        rotations = np.tile([1.0, 0, 0, 0], (20, 2, 1))
        body = segue.Skeleton(("hip", "knee"), [-1, 0], [[0, 0.9, 0], [0, -0.4, 0]])
        speed, acceleration = source_peaks(Clip(body, rotations, roots, fps))
        np.testing.assert_allclose(acceleration, 9.81, rtol=1e-9)
        assert np.all(speed == 0)


@given(seed=seeds)
def test_where_things_lie_does_not_matter(seed: int) -> None:
    """Moving the sources or the result along the ground changes no measure."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    join = Join(0, 8, 1, 3, 4, PlanarMotion())
    made = assemble(clips, Plan(0, 1, (join,), 20))
    (one,) = seams(made, clips)
    (two,) = seams(
        moved(made, chance.ground_motion(rng)), [moved(c, chance.ground_motion(rng)) for c in clips]
    )
    np.testing.assert_allclose(one.acceleration, two.acceleration, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(one.source_acceleration, two.source_acceleration, rtol=1e-6, atol=1e-8)
    bounds = SeamBounds()
    assert one.badness(bounds) == pytest.approx(two.badness(bounds), rel=1e-6)


def test_playing_on_is_never_bad(data: Path) -> None:
    """A seam at which the clip continues unchanged stays within its own source's speed and acceleration."""
    walk = resampled(segue.load(data / "asf_amc/16/16_15.amc"), 30.0)
    twin = Clip(walk.skeleton, walk.rotations, walk.root_positions, walk.fps, name="twin")
    for length in (0, 1, 10):
        for at in (20, 40, 60):
            made = assemble([walk, twin], Plan(0, 0, (Join(0, at, 1, at, length, PlanarMotion()),), 90))
            (seam,) = seams(made, [walk, twin])
            assert np.all(seam.speed <= seam.source_speed + 1e-6)
            assert np.all(seam.acceleration_ratio <= 1.0 + 1e-6)
            assert seam.badness(SeamBounds()) < 1.0


def test_wrong_sources_are_refused() -> None:
    """A missing source and one of another rate are named."""
    walk, run = segue.sample("walk", 30.0), segue.sample("run", 30.0)
    made = assemble([walk, run], Plan(0, 0, (Join(0, 40, 1, 20, 10, PlanarMotion()),), 60))
    with pytest.raises(segue.SettingError, match=r"made from run, not among the sources"):
        seams(made, [walk])
    with pytest.raises(
        segue.SettingError, match=r"source 'run' has 60.0 fps and 21 joints, the motion 30.0 fps"
    ):
        seams(made, [walk, segue.sample("run", 60.0)])
