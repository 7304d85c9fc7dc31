"""Seam, mismatch and slip of a transition: the twin's, the finished motion's, wherever the clips lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from naive import knees
from naive import transitions as naive
from segue.maths.planar import PlanarMotion
from segue.measures.seams import at_ends, excess, seams, source_ends
from segue.measures.smoothness import knee_bends, knee_peaks
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.feet import foot_positions, leg_length
from segue.motion.kinematics import world
from segue.settings import Blend, SeamBounds, SeamSettings
from segue.synthesis.assemble import Plan, assemble
from segue.synthesis.checks import CREEP, MISMATCH, PACE, SLIP, STANDING, Checks
from segue.synthesis.feet.softening import limits_of
from segue.synthesis.feet.steps import ground_places
from segue.synthesis.joins import JoinArrays, moved_points
from segue.synthesis.transition_check import TransitionChecker, check_joins

seeds = st.integers(0, chance.SEEDS)
MEASURES = ("badness", "excess", "mismatch", "pace", "slip", "share")


def walks(fps: float = 30.0) -> list[Clip]:
    return [segue.sample(name, fps) for name in ("walk", "walk_slow", "stop", "start")]


def joins_of(rng: np.random.Generator, clips: list[Clip], count: int, length: int) -> JoinArrays:
    """Random joins that fit; each clip arrives where the other is, within about ten centimetres."""
    numbers = rng.integers(0, len(clips), (2, count))
    frames = np.array([clip.n_frames for clip in clips])
    a_start = rng.integers(2, frames[numbers[0]] - length + 1)
    b_start = rng.integers(0, frames[numbers[1]] - length - 1)
    alignments = np.zeros((count, 3))
    for k in range(count):
        a, b = (clips[n].root_positions for n in numbers[:, k])
        here, there = a[min(int(a_start[k]), len(a) - 1)], b[int(b_start[k])]
        alignments[k] = rng.normal(0.0, 0.1), *(here - there)[[0, 2]] + rng.normal(0.0, 0.05, 2)
    return JoinArrays(numbers[0], a_start, numbers[1], b_start, alignments, length)


def sources_of(clips: list[Clip], joins: JoinArrays, k: int) -> tuple[Clip, Clip]:
    """The two clips of a join, the clip entered moved next to the clip left."""
    turn, x, z = (float(v) for v in joins.alignment[k])
    a, b = clips[joins.a_clip[k]], clips[joins.b_clip[k]]
    return a, moved(b, PlanarMotion(turn, x, z))


def spliced(clips: list[Clip], joins: JoinArrays, k: int, blend: Blend) -> Clip:
    """The clip left in full, one blend, the clip entered in full."""
    join = joins.join(k)
    plan = Plan(join.a_clip, 0, (join,), clips[join.b_clip].n_frames)
    return assemble(clips, plan, root=blend.root, way=blend.way)


@given(seeds)
def test_excess_is_that_of_the_twin(seed: int) -> None:
    """Speeds and accelerations of a few joints; the excess is at most 1 exactly where the badness is."""
    rng = np.random.default_rng(seed)
    speed, limit, acceleration, most = rng.uniform(0.01, 5.0, (4, 6))
    bounds = SeamBounds(*rng.uniform([1.1, 0.05, 1.1], [3.0, 0.5, 3.0]))
    found = excess((speed, limit), (acceleration, most), bounds)
    for k in range(6):
        turning = naive.excess(speed[k], limit[k], factor=bounds.speed_factor, extra=bounds.speed_extra)
        harder = naive.excess(acceleration[k], most[k], factor=bounds.acceleration_factor, extra=0.0)
        assert found[k] == pytest.approx(max(turning, harder), rel=1e-9, abs=1e-9)
    share = max(
        float(np.max(speed / (bounds.speed_factor * limit + bounds.speed_extra))),
        float(np.max(acceleration / (bounds.acceleration_factor * most))),
    )
    assert (found.max() <= 1.0) == (share <= 1.0)


@settings(max_examples=20)
@given(seed=seeds, length=st.integers(0, 12), fps=st.sampled_from([24.0, 30.0, 60.0]))
def test_pace_is_that_of_the_twin(seed: int, length: int, fps: float) -> None:
    """This holds for cuts and blends of samples that walk, stop and start."""
    clips = walks(fps)
    joins = joins_of(np.random.default_rng(seed), clips, 4, length)
    found = check_joins(clips, joins, blend=Blend(seconds=length / fps), feet="free")
    for k in range(4):
        places = [world(clip).positions.tolist() for clip in sources_of(clips, joins, k)]
        starts = int(joins.a_start[k]), int(joins.b_start[k])
        expected = naive.pace(*places, starts, length, fps=fps, most=PACE)
        assert found.pace[k] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_run_does_not_stop_within_a_third_of_a_second() -> None:
    """A run into standing changes its pace by more than allowed, a walk into a walk by much less."""
    clips = [segue.sample(name, 30.0) for name in ("run", "stand", "walk", "walk_fast")]
    pairs = JoinArrays(
        np.array([0, 2]), np.array([60, 60]), np.array([1, 3]), np.array([60, 60]), np.zeros((2, 3)), 10
    )
    stops, walks_on = check_joins(clips, pairs, blend=Blend()).pace
    assert stops > 1.0
    assert walks_on < 0.7


@settings(max_examples=20)
@given(seed=seeds, length=st.integers(0, 12), fps=st.sampled_from([24.0, 30.0, 60.0]))
def test_mismatch_is_that_of_the_twin(seed: int, length: int, fps: float) -> None:
    """This holds for cuts and blends of samples at several rates, and of a child's size."""
    clips = walks(fps)
    joins = joins_of(np.random.default_rng(seed), clips, 4, length)
    found = check_joins(clips, joins, blend=Blend(seconds=length / fps), feet="free")
    assert found.size == pytest.approx(leg_length(clips[0].skeleton) / 0.85)
    for k in range(4):
        places = [world(clip).positions.tolist() for clip in sources_of(clips, joins, k)]
        expected = naive.mismatch(
            places[0],
            places[1],
            (int(joins.a_start[k]), int(joins.b_start[k])),
            length,
            fps=fps,
            size=found.size,
        )
        assert found.mismatch[k] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=20)
@given(seed=seeds, length=st.integers(0, 12), fps=st.sampled_from([24.0, 30.0, 60.0]))
def test_slip_is_that_of_the_twin(seed: int, length: int, fps: float) -> None:
    """Slip is how far standing feet slide as blended beyond their sliding in the sources."""
    clips = walks(fps)
    joins = joins_of(np.random.default_rng(seed), clips, 4, length)
    blend = Blend(seconds=length / fps)
    found = check_joins(clips, joins, blend=blend, feet="free")
    for k in range(4):
        join, pair = joins.join(k), sources_of(clips, joins, k)
        made = spliced(clips, joins, k, blend)
        ground, first, second = (
            foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]] for clip in (made, *pair)
        )
        firm = [ground_places(clips[n])[1].tolist() for n in (join.a_clip, join.b_clip)]
        expected = naive.slip(
            ground[join.a_start - 2 : join.a_start + length + 2].tolist(),
            (first.tolist(), second.tolist()),
            (firm[0], firm[1]),
            (join.a_start, join.b_start),
            length,
        )
        assert found.slip[k] == pytest.approx(expected, rel=1e-7, abs=1e-9)


@settings(max_examples=10)
@given(seed=seeds, creep=st.floats(0.0, 0.03))
def test_creep_is_how_far_plants_go_from_their_mean_places(seed: int, creep: float) -> None:
    """The largest distance of a part from the mean of an unbroken plant, beyond the set creep or 1 cm if larger."""
    clips, rng = walks(), np.random.default_rng(seed)
    joins, ground = joins_of(rng, clips, 3, 10), 0.02 * rng.normal(size=(3, 10, 4, 2))
    checker = TransitionChecker(clips, SeamSettings(creep=creep))
    checker.check(joins)
    _, firm = checker._carried(joins, 0)
    found = checker._creep(ground, joins)
    for k in range(3):
        farthest = [0.0]
        for part in range(4):
            plants: list[list[np.ndarray]] = [[]]
            for frame in range(10):
                if firm[k, frame, part] > 0.5:
                    plants[-1].append(ground[k, frame, part])
                else:
                    plants.append([])
            for plant in filter(None, plants):
                mean = sum(plant) / len(plant)
                farthest += [float(np.hypot(*(at - mean))) - max(creep, 0.01) for at in plant]
        assert found[k] == pytest.approx(max(farthest), abs=1e-12)


@settings(max_examples=20)
@given(seed=seeds, length=st.integers(0, 12))
def test_with_feet_free_a_transition_is_measured_as_its_seam_is(seed: int, length: int) -> None:
    """Badness and largest excess are those of the seam of the assembled motion."""
    clips = walks()
    joins = joins_of(np.random.default_rng(seed), clips, 4, length)
    blend, bounds = Blend(seconds=length / 30.0), SeamBounds(1.3, 0.1, 1.4)
    found = check_joins(clips, joins, blend=blend, bounds=bounds, feet="free")
    for k in range(4):
        measured = seams(spliced(clips, joins, k, blend), clips)
        if len(measured) != 1:
            continue  # no seam at all: the clip continues
        assert found.badness[k] == pytest.approx(measured[0].badness(bounds), rel=1e-9)
        assert found.excess[k] == pytest.approx(float(measured[0].excess(bounds).max()), rel=1e-7)


@settings(max_examples=10)
@given(seed=seeds, length=st.sampled_from([0, 1, 10]), feet=st.sampled_from(["natural", "captured"]))
def test_a_transition_is_measured_alone_as_among_others(seed: int, length: int, feet: str) -> None:
    """With feet held, the result does not depend on the other joins of the batch or their order."""
    clips, rng = walks(), np.random.default_rng(seed)
    joins = joins_of(rng, clips, 70, length)
    how = {"blend": Blend(seconds=length / 30.0), "feet": feet, "worth": 30.0}
    together = check_joins(clips, joins, **how)
    order = rng.permutation(70)
    shuffled = check_joins(clips, joins.take(order), **how)
    for name in MEASURES:
        np.testing.assert_allclose(
            getattr(shuffled, name), getattr(together, name)[order], rtol=1e-11, atol=1e-12
        )
    for k in order[:5]:
        alone = check_joins(clips, joins.take(np.array([k])), **how)
        for name in MEASURES:
            assert getattr(alone, name)[0] == pytest.approx(getattr(together, name)[k], rel=1e-11, abs=1e-12)


@settings(max_examples=10)
@given(seed=seeds, length=st.sampled_from([0, 1, 10]))
def test_a_transition_is_measured_the_same_wherever_its_clips_lie(seed: int, length: int) -> None:
    """The clips and the alignment are turned and moved along the ground."""
    clips, rng = walks(), np.random.default_rng(seed)
    joins = joins_of(rng, clips, 20, length)
    moves = [chance.ground_motion(rng) for _ in clips]
    there = [moved(clip, move) for clip, move in zip(clips, moves, strict=True)]
    alignment = np.empty_like(joins.alignment)
    for k in range(20):
        back = moves[joins.b_clip[k]].inverse()
        move = back.then(PlanarMotion(*joins.alignment[k].tolist())).then(moves[joins.a_clip[k]])
        alignment[k] = move.turn, move.x, move.z
    how = {"blend": Blend(seconds=length / 30.0)}
    one = check_joins(clips, joins, **how)
    two = check_joins(there, replace(joins, alignment=alignment), **how)
    for name in MEASURES:
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "way", ["linear", "sigmoid", "timewarped", "registration", "inertialization", "dead"]
)
def test_other_ways_across_are_measured_as_their_seams_are(way: str) -> None:
    """Free feet: the badness is the assembled motion's, within 2 % for registration, which uses other source frames."""
    clips, blend = walks(), Blend(way=way)
    joins = joins_of(np.random.default_rng(3), clips, 6, 10)
    found = check_joins(clips, joins, blend=blend, feet="free")
    for k in range(6):
        (seam,) = seams(spliced(clips, joins, k, blend), clips)
        near = 0.02 if way == "registration" else 1e-9
        assert found.badness[k] == pytest.approx(seam.badness(SeamBounds()), rel=near)
    held = check_joins(clips, joins, blend=blend, worth=100.0)
    assert np.isfinite(held.share).all()
    assert (held.excess <= limits_of(found.excess) + 1e-6).all()


def test_feet_that_are_held_slip_less_and_leave_no_seam_beyond_its_limit() -> None:
    """Most feet that slipped slip far less, and no seam exceeds its blend or the bounds."""
    clips = walks()
    joins = joins_of(np.random.default_rng(5), clips, 200, 10)
    free = check_joins(clips, joins, blend=Blend(), feet="free")
    held = check_joins(clips, joins, blend=Blend())
    assert (held.excess <= limits_of(free.excess) + 1e-6).all()
    assert (held.excess >= free.excess).all()  # feet held here may have to be let go between other seams
    np.testing.assert_array_equal(held.mismatch, free.mismatch)
    slipped = (free.slip > 0.01) & (free.slip < 0.1) & (free.excess < 3.0) & (free.mismatch < MISMATCH)
    assert slipped.sum() > 8
    assert np.median(held.slip[slipped]) < 0.5 * np.median(free.slip[slipped])


@settings(max_examples=15)
@given(seed=seeds, length=st.sampled_from([0, 1, 10]), fps=st.sampled_from([30.0, 60.0]))
def test_knees_are_judged_as_in_the_finished_motion(seed: int, length: int, fps: float) -> None:
    """The share of the knees' limits around a join is that of the assembled motion and its sources."""
    clips = walks(fps)
    joins = joins_of(np.random.default_rng(seed), clips, 3, length)
    checker = TransitionChecker(clips, SeamSettings(blend=Blend(seconds=length / fps)))
    checker.check(joins)
    for k in range(3):
        made, start = spliced(clips, joins, k, checker.blend), int(joins.a_start[k])
        near = min(8, start - 1, made.n_frames - 1 - start - length)
        if near < 3:
            continue
        wide = slice(start - near, start + length + near)
        frames = made.rotations[None, wide], made.root_positions[None, wide]
        found = checker.knee_shares(joins.take(np.array([k])), *frames)[0]
        seam, first, last = [(start, start + length)], start - near + 1, start + length + near - 2
        bends = knee_bends(made)
        usual = at_ends(knee_peaks, source_ends(made, clips, seam), 2)
        for leg in (0, 1):
            mine = bends[:, leg].tolist()
            expected = naive.knee_share(
                knees.fastest(mine, first, last, fps),
                usual[0, 0, leg],
                knees.hardest(mine, first, last, fps),
                usual[1, 0, leg],
            )
            assert found[leg] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_share_is_the_largest_of_the_six() -> None:
    """Each measure is divided by its limit, and no share is below 0."""
    checks = Checks(
        np.ones(6),
        np.array([0.5, -0.3, 0.1, -1.0, 0.2, 0.3]),
        np.array([0.1, MISMATCH, 0.0, 0.0, 0.1, 0.0]),
        np.array([0.0, 0.2, 0.3, 0.0, 0.7, 0.0]),
        np.array([0.0, 0.0, SLIP, 0.0, 0.0, STANDING]),
        np.array([0.0, 0.0, 0.0, 0.0, 0.0, STANDING]),
        np.array([0.0, -CREEP, 0.0, 0.0, CREEP, 0.0]),
        0.5,
    )
    np.testing.assert_allclose(checks.share, [0.5, 1.0, 2.0, 0.0, 2.0, 2.0])


def test_bodies_without_legs_and_clips_without_contacts_show_no_slip() -> None:
    """Random bodies have no feet; swinging legs have no plants; every number is finite."""
    rng = np.random.default_rng(1)
    body = chance.body(rng, 4)
    loose = [chance.clip(rng, body, 40, name=f"clip{k}") for k in range(2)]
    found = check_joins(loose, joins_of(rng, loose, 5, 5), blend=Blend(seconds=1 / 6))
    assert (found.slip == 0.0).all()
    assert found.size == 1.0
    legged = chance.legged()
    swings = [chance.clip(rng, legged, 40, name=f"clip{k}") for k in range(2)]
    checks = check_joins(swings, joins_of(rng, swings, 5, 5), blend=Blend(seconds=1 / 6))
    assert np.isfinite(checks.share).all()


def test_the_first_frames_of_a_clip_are_as_fast_as_the_next() -> None:
    """A body that moves steadily has one speed from the first frame to the last."""
    walk = segue.sample("walk", 30.0)
    steady = Clip(
        walk.skeleton,
        np.repeat(walk.rotations[:1], 40, axis=0),
        np.linspace([0.0, 0.9, 0.0], [0.0, 0.9, 2.6], 40),
        30.0,
        name="steady",
    )
    checker = TransitionChecker([steady], SeamSettings(feet="free"))
    zero = np.zeros(1, dtype=np.int64)
    joins = JoinArrays(zero + 20, zero + 2, zero, zero, np.zeros((1, 3)), 10)
    joins = replace(joins, a_clip=zero)
    checker.check(joins)
    np.testing.assert_allclose(checker._speeds, 2.0, rtol=1e-9)


def test_points_move_as_clips_do() -> None:
    """Points moved for a batch of alignments are where the clip moved by each of them has them."""
    walk, rng = segue.sample("walk", 30.0), np.random.default_rng(2)
    moves = [chance.ground_motion(rng) for _ in range(3)]
    places = np.stack([world(walk).positions] * 3)
    found = moved_points(places, np.array([[move.turn, move.x, move.z] for move in moves]))
    for k, move in enumerate(moves):
        np.testing.assert_allclose(found[k], world(moved(walk, move)).positions, atol=1e-9)
