"""Sequences of elementary motions: cores, feet, times, recomputed parts, and live changes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.maths.quaternions import half_angle
from segue.measures.seams import seam_ranges
from segue.motion.kinematics import world
from segue.motion.resample import cut, resampled
from segue.sequencing.decisions import PairDecision
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.footholds import unheld
from segue.sequencing.joining import join_pair
from segue.sequencing.replanning import replan, withdraw
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import MotionSequence, make_sequence

pytestmark = pytest.mark.data
PIECES = {
    "reach": ("05/05_02", 0.8, 3.6, 0.9, 1.5),
    "stand": ("05/05_02", 2.0, 4.4, 0.9, 1.5),
    "turn": ("05/05_02", 4.2, 7.0, 1.1, 1.7),
    "leap": ("05/05_16", 0.2, 2.6, 0.6, 0.9),
    "box": ("17/17_10", 7.0, 9.5, 1.0, 1.6),
    "stroll": ("16/16_15", 0.2, 3.6, 1.2, 1.8),
}


@pytest.fixture(scope="module")
def elements(data: Path) -> dict[str, ElementaryMotion]:
    """Six elementary motions of a dancer, a boxer and a walker, on one body at 60 frames a second."""
    out, body = {}, None
    for name, (path, begin, end, first, last) in PIECES.items():
        clip = segue.load(data / "asf_amc" / f"{path}.amc")
        body = body or clip.skeleton
        clip = segue.retarget(resampled(clip, 60.0), body)
        piece = cut(clip, round(begin * 60), round(end * 60))
        out[name] = ElementaryMotion(name, piece, (round(first * 60), round(last * 60)))
    return out


def scripted(*placements: Placement, smoothness: float = 0.5) -> SequenceScript:
    """A script of placements."""
    return SequenceScript(placements, smoothness=smoothness)


MINUTE = (
    Placement("stroll", at=1.0),
    Placement("box", at=3.2),
    Placement("stand"),
    Placement("box", at=8.0),
    Placement("leap"),
    Placement("turn", at=12.5),
    Placement("reach"),
    Placement("stand", at=18.0),
    Placement("stroll"),
)


@pytest.fixture(scope="module")
def minute(elements: Mapping[str, ElementaryMotion]) -> MotionSequence:
    """A sequence of nine motions."""
    return make_sequence(elements, scripted(*MINUTE))


def local(made: MotionSequence, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles (n, J - 1) between executed and source core frames, without the root; root height differences (n,)."""
    one = made.placed[number]
    first, stop = one.motion.motion.core
    at = one.start + first - made.first_frame
    rows = slice(at, at + stop - first)
    clip = one.motion.motion.clip
    angles = 2.0 * half_angle(made.clip.rotations[rows, 1:], clip.rotations[first:stop, 1:])
    return angles, made.clip.root_positions[rows, 1] - clip.root_positions[first:stop, 1]


def test_cores_are_as_captured(minute: MotionSequence) -> None:
    """Core frames equal the input's up to the ground alignment; after an adaptation the upper body's do."""
    methods = set()
    for number, pair in enumerate((None, *minute.pairs)):
        angles, heights = local(minute, number)
        upper = minute.placed[number].motion.motion.halves.upper[1:]
        assert angles[:, upper].max(initial=0.0) < 1e-6
        if pair is not None:
            methods.add(pair.method)
        if pair is None or not pair.method.startswith("adaptation"):
            assert angles.max(initial=0.0) < 1e-6
            assert np.abs(heights).max() < 1e-6
    assert {"transition", "connection"} <= methods


def test_planted_feet_stay(minute: MotionSequence) -> None:
    """Held feet slip less than 2 mm while planted, and feet as blended slip more."""
    slips = [pair.slip_after for pair in minute.pairs]
    assert max(slips) < 0.002
    assert max(pair.slip_before for pair in minute.pairs) > 0.01


def test_ranges_lie_between_the_cores(minute: MotionSequence) -> None:
    """Every segment except an adaptation's step is between the cores, and its weights rise from 0 to 1."""
    for pair, one, other in zip(minute.pairs, minute.cores, minute.cores[1:], strict=False):
        for segment in pair.segments:
            assert segment.begin_frame < segment.end_frame
            assert len(segment.weights) == segment.end_frame - segment.begin_frame + 1
            if segment.kind == "foothold kept" or (segment.name == "S0" and "adaptation" in pair.method):
                continue
            assert one.end_frame - 1 <= segment.begin_frame
            assert segment.end_frame <= other.begin_frame
            assert (np.diff(segment.weights) >= 0).all()
            assert segment.weights[0] == 0.0
            assert segment.weights[-1] == 1.0


def test_nothing_jumps(minute: MotionSequence) -> None:
    """Between two frames no joint moves more than twice as fast as any in the elementary motions."""
    speed = np.linalg.norm(np.diff(world(minute.clip).positions, axis=0), axis=-1).max()
    own = max(
        np.linalg.norm(np.diff(world(one.motion.motion.clip).positions, axis=0), axis=-1).max()
        for one in minute.placed
    )
    assert speed < 2.0 * own


def test_origins_name_the_sources_of_both_halves(minute: MotionSequence) -> None:
    """Weights of both halves' origins sum to 1, and within a core both are the element's own."""
    for origin in (minute.clip.origin, minute.upper_origin):
        assert np.allclose(origin.weight.sum(axis=1), 1.0)
    core, fps = minute.cores[3], minute.fps
    at = core.begin_frame - minute.first_frame
    own = minute.placed[3].motion.motion.clip.origin
    assert minute.clip.origin.frame[at, 0] == own.frame[core.begin_frame - core.start_frame, 0]
    assert fps == 60.0


def test_a_pair_is_one_seam(elements: dict[str, ElementaryMotion]) -> None:
    """Frames played slower before they are blended belong to the blend: measures find one seam a pair."""
    drawn_out = 0
    for name, other in itertools.product(elements, repeat=2):
        for gap in (0.4, 0.9):
            at = 1.0 + elements[name].core_seconds + gap
            made = make_sequence(elements, scripted(Placement(name, at=1.0), Placement(other, at=at)))
            origin = made.clip.origin
            ((start, stop),) = seam_ranges(origin)
            assert start < stop
            drawn_out += int(((origin.clip[:, 1] >= 0) & (origin.weight[:, 1] == 0.0)).any())
    assert drawn_out > 0


def test_a_foothold_is_let_go_without_a_jerk(elements: dict[str, ElementaryMotion]) -> None:
    """The share of a kept foothold falls from 1 to 0, at both ends more slowly than on average."""
    found = 0
    for name, other in itertools.permutations(elements, 2):
        made = make_sequence(
            elements,
            scripted(Placement(name, at=1.0), Placement(other, at=1.6 + elements[name].core_seconds)),
        )
        footholds = made.placed[1].motion.footholds
        if footholds is None or made.pairs[0].method != "adaptation with step":
            continue
        for share in footholds.shares.T:
            falls = np.flatnonzero(np.diff(share) < 0.0)
            if not len(falls):
                continue
            steps = -np.diff(share)[falls[0] : falls[-1] + 1]
            assert (steps >= 0.0).all()
            assert max(steps[0], steps[-1]) < steps.mean()
            found += 1
    assert found > 2


def test_moving_one_motion_gives_what_a_synthesis_from_scratch_gives(
    elements: dict[str, ElementaryMotion],
) -> None:
    """After a motion is moved, frames agree with a new synthesis within 1e-9, and most pairs are kept."""
    moved = list(MINUTE)
    make_sequence(elements, scripted(*moved))
    moved[7] = Placement("stand", at=18.3)
    before = join_pair.cache_info()
    again = make_sequence(elements, scripted(*moved))
    _ = again.clip
    after = join_pair.cache_info()
    assert after.misses - before.misses <= 2
    join_pair.cache_clear()
    unheld.cache_clear()
    fresh = make_sequence(elements, scripted(*moved))
    assert np.abs(again.clip.rotations - fresh.clip.rotations).max() < 1e-9
    assert np.abs(again.clip.root_positions - fresh.clip.root_positions).max() < 1e-9


def test_overlapping_cores_reject_the_following(elements: dict[str, ElementaryMotion]) -> None:
    """A motion whose core begins within another's is rejected with a possible time, at which it is then executed."""
    script = [Placement("stroll", at=1.0), Placement("box", at=1.3), Placement("turn", at=4.0)]
    made = make_sequence(elements, scripted(*script))
    assert [core.motion for core in made.cores] == ["stroll", "turn"]
    (no,) = made.rejected
    assert (no.motion, no.number) == ("box", 1)
    assert "stroll" in no.reason
    script[1] = Placement("box", at=no.nearest_at)
    assert not make_sequence(elements, scripted(*script)).rejected


def test_a_core_right_behind_another_is_rejected(elements: dict[str, ElementaryMotion]) -> None:
    """Less than a tenth of a second between two cores is too short for a blend; the nearest time leaves just that."""
    stroll = elements["stroll"].core_seconds
    for gap, fits in ((1 / 60, False), (5 / 60, False), (6 / 60, True)):
        script = [Placement("stroll", at=1.0), Placement("box", at=1.0 + stroll - 1 / 60 + gap)]
        made = make_sequence(elements, scripted(*script))
        assert [no.motion for no in made.rejected] == ([] if fits else ["box"])
        if not fits:
            assert "cores must be at least 0.1 s apart" in made.rejected[0].reason
            script[1] = Placement("box", at=made.rejected[0].nearest_at)
            assert not make_sequence(elements, scripted(*script)).rejected


def test_a_rejection_names_the_motion_in_the_way(elements: dict[str, ElementaryMotion]) -> None:
    """Among motions as soon as possible the one whose core overlaps is named; a gap between two of them is used."""
    chain = [Placement("stroll", at=1.0), Placement("box"), Placement("turn")]
    cores = make_sequence(elements, scripted(*chain)).cores
    box, fps = cores[1], 60.0
    at = (box.begin_frame + 3) / fps
    made = make_sequence(elements, scripted(*chain, Placement("leap", at=at)))
    (no,) = made.rejected
    assert "within that of 'box'" in no.reason
    made = make_sequence(elements, scripted(*chain, Placement("leap", at=no.nearest_at)))
    assert not made.rejected
    free = [(a.end_frame, b.begin_frame) for a, b in itertools.pairwise(cores)]
    begin = max(free, key=lambda gap: gap[1] - gap[0])[0] + 6
    length = round(elements["leap"].core_seconds * fps)
    wide = any(stop - start >= length + 12 for start, stop in free)
    made = make_sequence(elements, scripted(*chain, Placement("leap", at=begin / fps)))
    assert len(made.cores) == (4 if wide else 3)
    times = [core.begin_frame for core in made.cores]
    assert times == sorted(times)


def test_the_nearest_time_works(elements: dict[str, ElementaryMotion]) -> None:
    """Each motion rejected from random scripts is executed at the time that is reported for it."""
    rng, names, count = np.random.default_rng(3), list(elements), 0
    for _ in range(8):
        script = [
            Placement(str(rng.choice(names)), at=None if rng.random() < 0.4 else float(rng.uniform(0, 4)))
            for _ in range(4)
        ]
        for no in make_sequence(elements, scripted(*script)).rejected:
            there = list(script)
            there[no.number] = Placement(no.motion, at=no.nearest_at)
            left = make_sequence(elements, scripted(*there)).rejected
            assert no.number not in {one.number for one in left}
            count += 1
    assert count > 3


def test_of_several_at_one_time_the_highest_priority_survives(
    elements: dict[str, ElementaryMotion],
) -> None:
    """At one time priority decides, then the position in the script."""
    at_once = [
        Placement("box", at=1.0),
        Placement("turn", at=1.0, priority=2),
        Placement("leap", at=1.0, priority=2),
    ]
    made = make_sequence(elements, scripted(*at_once))
    assert [core.motion for core in made.cores] == ["turn"]
    assert [no.motion for no in made.rejected] == ["leap", "box"]
    assert "priority" in made.rejected[1].reason


def test_responsive_is_sooner_than_smooth(elements: dict[str, ElementaryMotion]) -> None:
    """As soon as possible is sooner for W = 0 than for W = 1 on average of six pairs."""
    times = {}
    for smoothness in (0.0, 1.0):
        begins = []
        for name in ("box", "turn", "stand"):
            for other in ("stroll", "reach"):
                made = make_sequence(
                    elements, scripted(Placement(other, at=1.0), Placement(name), smoothness=smoothness)
                )
                begins.append(made.cores[1].begin_frame)
        times[smoothness] = np.mean(begins)
    assert times[0.0] < times[1.0]


def test_played_frames_never_change(elements: dict[str, ElementaryMotion]) -> None:
    """Motions executed at random playing times do not change a bit of the frames already played."""
    rng = np.random.default_rng(11)
    names = list(elements)
    for _ in range(4):
        made = make_sequence(elements, scripted(Placement("stroll", at=1.0), Placement("box", at=3.0)))
        now = 0.0
        for _ in range(4):
            now += float(rng.uniform(0.1, 0.9))
            at = None if rng.random() < 0.5 else now + float(rng.uniform(0.0, 2.5))
            other = replan(made, Placement(str(rng.choice(names)), at=at), now=now)
            rows = max(min(round(np.ceil(now * made.fps)) + 1 - made.first_frame, made.clip.n_frames), 0)
            assert np.array_equal(made.clip.rotations[:rows], other.clip.rotations[:rows])
            assert np.array_equal(made.clip.root_positions[:rows], other.clip.root_positions[:rows])
            made = other


def test_a_motion_can_be_withdrawn_until_it_begins(elements: dict[str, ElementaryMotion]) -> None:
    """Withdrawn before it begins a motion is removed; once it has begun it is executed."""
    made = make_sequence(elements, scripted(Placement("stroll", at=1.0), Placement("box", at=4.0)))
    assert [core.motion for core in withdraw(made, "box", now=1.0).cores] == ["stroll"]
    with pytest.raises(SettingError, match="has begun"):
        withdraw(made, "box", now=4.1)
    with pytest.raises(SettingError, match="not in the sequence"):
        withdraw(made, "leap", now=0.0)


def test_a_jump_blended_in_the_air_keeps_its_highest_pose(elements: dict[str, ElementaryMotion]) -> None:
    """The highest frame of a flying body is the captured one to 1e-6, whatever follows the core."""
    leap = elements["leap"]
    early = ElementaryMotion("leap", leap.clip, (30, 76))  # the core ends as the body leaves the ground
    for name in ("box", "stand", "stroll"):
        made = make_sequence(
            {"leap": early, name: elements[name]},
            scripted(Placement("leap", at=0.5), Placement(name, at=0.5 + 46 / 60 + 0.75)),
        )
        (pair,) = made.pairs
        phase: PairDecision = pair
        flight = next(
            (p for p in made.placed[0].motion.motion.phases if p.foot == "both" and p.begin_frame >= 70), None
        )
        if flight is None or phase.previous_phase is None or phase.previous_phase.foot != "both":
            continue
        height = leap.clip.root_positions[:, 1]
        top = flight.begin_frame + int(np.argmax(height[flight.begin_frame : flight.end_frame]))
        got = made.clip.rotations[top]
        assert 2.0 * half_angle(got, leap.clip.rotations[top]).max() < 1e-6


@pytest.mark.parametrize("method", ["pose-similarity", "constraint-only"])
def test_baselines_blend_the_whole_body_at_once(elements: dict[str, ElementaryMotion], method: str) -> None:
    """A baseline has one range for both halves, along a smoothstep."""
    made = make_sequence(
        elements,
        SequenceScript((Placement("stroll", at=1.0), Placement("box", at=2.4)), method=method),  # type: ignore[arg-type]
    )
    lower, upper = (next(s for s in made.pairs[0].segments if s.half == half) for half in ("lower", "upper"))
    assert (lower.begin_frame, lower.end_frame) == (upper.begin_frame, upper.end_frame)
    x = np.linspace(0.0, 1.0, len(lower.weights))
    assert np.allclose(lower.weights, x * x * (3 - 2 * x))


def test_other_bodies_are_retargeted(data: Path, elements: dict[str, ElementaryMotion]) -> None:
    """An element of another skeleton and rate is shown on the sequence's body."""
    box = segue.load(data / "misc" / "assimp" / "Boxing_Toes.bvh")
    foreign = ElementaryMotion("hook", cut(box, 680, 930), (100, 160))
    made = make_sequence(
        {**elements, "hook": foreign}, scripted(Placement("stroll", at=1.0), Placement("hook"))
    )
    assert made.clip.skeleton.same_as(elements["stroll"].clip.skeleton)
    assert [core.motion for core in made.cores] == ["stroll", "hook"]


def test_an_unknown_motion_is_named(elements: dict[str, ElementaryMotion]) -> None:
    """The error lists the nearest names."""
    with pytest.raises(SettingError, match="stroll"):
        make_sequence(elements, scripted(Placement("strol", at=1.0)))


def test_bodies_are_aligned_by_where_they_go(elements: dict[str, ElementaryMotion]) -> None:
    """With travel as the orientation the following motion continues in the direction of the one before."""
    script = scripted(Placement("stroll", at=1.0), Placement("stroll"))
    made = make_sequence(elements, script, orientation="travel")
    runs = []
    for core in made.cores:
        rows = [core.begin_frame - made.first_frame, core.end_frame - 1 - made.first_frame]
        first, last = made.clip.root_positions[rows][:, [0, 2]]
        runs.append((last - first) / np.linalg.norm(last - first))
    assert runs[0] @ runs[1] > np.cos(np.radians(30.0))
