"""Assembling: pieces and blends alternate as in the twin; everything of the sources is kept except their place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import random_clips as chance
import segue
from naive import assemble as naive
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.settings.words import CROSSFADES
from segue.synthesis.assemble import Join, Plan, assemble

seeds = st.integers(0, chance.SEEDS)
roots = st.sampled_from(["position", "displacement"])
ways = st.sampled_from(CROSSFADES)


def _clips(rng: np.random.Generator, *, joints: int = 4) -> list[Clip]:
    body = chance.body(rng, joints)
    return [chance.clip(rng, body, int(rng.integers(18, 40)), name=f"clip{k}") for k in range(3)]


def _plan(rng: np.random.Generator, clips: list[Clip], *, joins: int = 3, hard: bool | None = None) -> Plan:
    """A random plan: pieces of any length, including zero; blends of 0 to 6 frames."""
    clip, at = int(rng.integers(0, len(clips))), int(rng.integers(0, 3))
    first = at
    out: list[Join] = []
    number = clip
    for _ in range(joins):
        length = 0 if hard else int(rng.integers(0 if hard is None else 1, 7))
        latest = clips[number].n_frames - length
        if at > latest:
            break
        leave = int(rng.integers(at, min(at + 8, latest) + 1))
        to = int(rng.integers(0, len(clips)))
        arrive = int(rng.integers(0, 6))
        out.append(Join(number, leave, to, arrive, length, chance.ground_motion(rng)))
        number, at = to, arrive + length
    return Plan(clip, first, tuple(out), int(rng.integers(at, clips[number].n_frames)) + 1)


def _as_lists(plan: Plan) -> list[naive.Join]:
    return [
        (j.a_clip, j.a_start, j.b_clip, j.b_start, j.length, (j.alignment.turn, j.alignment.x, j.alignment.z))
        for j in plan.joins
    ]


def _check_twin(clips: list[Clip], plan: Plan, root: str, way: str) -> None:
    made = assemble(clips, plan, root=root, way=way)  # type: ignore[arg-type]
    poses, sources = naive.assemble(
        [chance.poses(clip) for clip in clips],
        plan.clip,
        plan.start_frame,
        _as_lists(plan),
        plan.end_frame,
        root=root,
        fps=clips[0].fps if way == "equal_power" else 0.0,
    )
    assert made.n_frames == plan.n_frames == len(poses)
    assert chance.apart(made.rotations, np.array([pose[0] for pose in poses])) < 1e-9
    np.testing.assert_allclose(made.root_positions, np.array([pose[1] for pose in poses]), atol=1e-8)
    for frame, row in enumerate(sources):
        given_values = [
            (made.origin.clips[made.origin.clip[frame, k]], made.origin.frame[frame, k])
            for k in range(len(row))
        ]
        assert given_values == [(clips[clip].name, clips[clip].origin.frame[at, 0]) for clip, at, _ in row]
        np.testing.assert_allclose(
            made.origin.weight[frame, : len(row)], [weight for *_, weight in row], atol=1e-12
        )
        assert len(row) == 2 or made.origin.clip[frame, 1] == -1


@given(seed=seeds, root=roots, way=ways)
def test_assembling_is_its_twin(seed: int, root: str, way: str) -> None:
    """Random plans with cuts, consecutive blends and empty pieces are played as by the twin."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    _check_twin(clips, _plan(rng, clips), root, way)


@pytest.mark.parametrize("way", CROSSFADES)
@pytest.mark.parametrize("root", ["position", "displacement"])
def test_twin_on_real_clips(data: Path, root: str, way: str) -> None:
    """The same holds for a walk, a turn and a run of one subject, blended, cut and blended again."""
    clips = [
        resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in ("16_15", "16_13", "16_35")
    ]
    there = PlanarMotion(0.7, 1.0, -2.0)
    joins = (
        Join(0, 20, 1, 5, 10, there),
        Join(1, 30, 2, 3, 0, there),
        Join(2, 13, 0, 4, 10, there.inverse()),
    )
    _check_twin(clips, Plan(0, 3, joins, 40), root, way)


@given(seed=seeds, root=roots)
def test_results_are_motions(seed: int, root: str) -> None:
    """Unit quaternions, bones as long as the body's, weights that sum to 1."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    made = assemble(clips, _plan(rng, clips), root=root)  # type: ignore[arg-type]
    np.testing.assert_allclose(np.linalg.norm(made.rotations, axis=-1), 1.0, atol=1e-12)
    places = world_positions(made)
    parents = made.skeleton.parents[1:]
    bones = np.linalg.norm(places[:, 1:] - places[:, parents], axis=-1)
    np.testing.assert_allclose(
        bones, np.broadcast_to(np.linalg.norm(made.skeleton.offsets[1:], axis=-1), bones.shape), atol=1e-9
    )
    np.testing.assert_allclose(made.origin.weight.sum(axis=1), 1.0, atol=1e-12)
    assert np.all(made.origin.weight >= 0)
    assert np.all((made.origin.clip[:, 1] >= 0) | (made.origin.weight[:, 1] == 0))


@given(seed=seeds, root=roots)
def test_unblended_frames_are_the_source_moved_along_the_ground(seed: int, root: str) -> None:
    """Within a piece the result differs from its source by one ground motion, the same for every joint."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    plan = _plan(rng, clips)
    made = assemble(clips, plan, root=root)  # type: ignore[arg-type]
    at = 0
    for (number, start, stop), length in zip(
        plan.pieces(), [*(join.length for join in plan.joins), 0], strict=True
    ):
        n = stop - start
        if n:
            ours, theirs = made.root_positions[at : at + n], clips[number].root_positions[start:stop]
            turn = heading(made)[at] - heading(clips[number])[start]
            back = PlanarMotion(turn).apply(theirs)
            move = PlanarMotion(turn, *(float(v) for v in (ours[0] - back[0])[[0, 2]]))
            np.testing.assert_allclose(
                world_positions(made)[at : at + n],
                move.apply(world_positions(clips[number])[start:stop]),
                atol=1e-8,
            )
        at += n + length


@given(seed=seeds, root=roots)
def test_where_sources_lie_does_not_matter(seed: int, root: str) -> None:
    """Any ground motion of the sources and their alignments is the first source's ground motion of the result."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    plan = _plan(rng, clips)
    moves = [chance.ground_motion(rng) for _ in clips]
    joins = tuple(
        Join(
            j.a_clip,
            j.a_start,
            j.b_clip,
            j.b_start,
            j.length,
            moves[j.b_clip].inverse().then(j.alignment).then(moves[j.a_clip]),
        )
        for j in plan.joins
    )
    made = assemble(clips, plan, root=root)  # type: ignore[arg-type]
    there = assemble(
        [moved(clip, move) for clip, move in zip(clips, moves, strict=True)],
        Plan(plan.clip, plan.start_frame, joins, plan.end_frame),
        root=root,  # type: ignore[arg-type]
    )
    expected = moved(made, moves[plan.clip])
    np.testing.assert_allclose(there.root_positions, expected.root_positions, atol=1e-7)
    assert chance.apart(there.rotations, expected.rotations) < 1e-8


@given(seed=seeds)
def test_by_displacement_nothing_ever_jumps(seed: int) -> None:
    """Whatever the alignment, blended by displacement no ground step is larger than the sources' own."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    made = assemble(clips, _plan(rng, clips, hard=False), root="displacement")

    def longest(clip: Clip) -> float:
        return float(np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1).max(initial=0.0))

    assert longest(made) <= max(longest(clip) for clip in clips) + 1e-9


@given(seed=seeds)
def test_a_matched_cut_keeps_place_and_heading(seed: int) -> None:
    """Where B's first frame is aligned with the frame A would play next, the root steps and turns as A's would."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)[:2]
    i, j = 9, 4
    turn = float(heading(clips[0])[i] - heading(clips[1])[j])
    back = PlanarMotion(turn).apply(clips[1].root_positions[j])
    shift = clips[0].root_positions[i] - back
    join = Join(0, i, 1, j, 0, PlanarMotion(turn, float(shift[0]), float(shift[2])))
    made = assemble(clips, Plan(0, 0, (join,), clips[1].n_frames))
    own = clips[0]
    np.testing.assert_allclose(made.root_positions[i, [0, 2]], own.root_positions[i, [0, 2]], atol=1e-9)
    assert abs(np.sin(heading(made)[i] - heading(own)[i])) < 1e-9


def test_a_made_motion_can_be_assembled_again(rng: np.random.Generator) -> None:
    """Pieces of a made motion still name their first sources, frame by frame."""
    clips = _clips(rng)
    once = assemble(clips, Plan(0, 0, (Join(0, 5, 1, 3, 4, PlanarMotion()),), 15), name="once")
    twice = assemble([once, clips[2]], Plan(0, 2, (Join(0, 12, 1, 1, 3, PlanarMotion()),), 10))
    assert set(twice.origin.clips) == {"clip0", "clip1", "clip2"}
    names = np.array(twice.origin.clips)[twice.origin.clip[:, 0]]
    n = 12 - 2
    assert names[: n + 3].tolist() == np.array(once.origin.clips)[once.origin.clip[2:15, 0]].tolist()
    np.testing.assert_array_equal(twice.origin.frame[:n], once.origin.frame[2:12])
    np.testing.assert_array_equal(twice.origin.weight[:n], once.origin.weight[2:12])


def test_misfits_are_refused(rng: np.random.Generator) -> None:
    """Other rates, other bodies and frames outside a clip are refused by name and number."""
    a, b, _ = _clips(rng)
    whole = Plan(0, 0, (Join(0, 5, 1, 3, 4, PlanarMotion()),), 10)
    with pytest.raises(segue.SettingError, match=r"'clip0' and 'clip1' have 30.0 and 60.0 fps; resample"):
        assemble([a, b.with_motion(fps=60.0)], whole)
    other = chance.clip(rng, chance.body(rng, 4), 20, name="other")
    with pytest.raises(segue.SkeletonError, match=r"'clip0' and 'other' have different skeletons.*retarget"):
        assemble([a, other], whole)
    with pytest.raises(segue.SettingError, match=rf"'clip0' has frames 0 to {a.n_frames - 1}.*\[0, 999\)"):
        assemble([a, b], Plan(0, 0, (), 999))
