"""Splicing two clips: which frames are used, what continues, what is refused."""

from __future__ import annotations

import json
import re
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
from segue.transitions.transition import Kind, TransitionPoint

seeds = st.integers(0, chance.SEEDS)


def _point(a: Clip, b: Clip, i: int, j: int, kind: Kind = "aligned") -> TransitionPoint:
    """A point that places B's frame on A's."""
    turn = float(heading(a)[i] - heading(b)[j])
    shift = a.root_positions[i] - PlanarMotion(turn).apply(b.root_positions[j])
    alignment = PlanarMotion(turn, float(shift[0]), float(shift[2]))
    return TransitionPoint(a.name, b.name, i, j, 0.0, kind, alignment, 0.0, True)


def _two(seed: int) -> tuple[Clip, Clip]:
    rng = np.random.default_rng(seed)
    body = chance.body(rng, 4)
    return chance.clip(rng, body, 40, name="a"), chance.clip(rng, body, 36, name="b")


@given(
    seed=seeds,
    i=st.integers(8, 30),
    j=st.integers(9, 26),
    k=st.integers(0, 9),
    kind=st.sampled_from(["aligned", "start_end"]),
    root=st.sampled_from(["position", "displacement"]),
    how=st.sampled_from(CROSSFADES),
)
def test_splicing_is_its_twin(seed: int, i: int, j: int, k: int, kind: Kind, root: str, how: str) -> None:
    """A plays up to the blend, the frames of the papers are blended, B plays to its end."""
    a, b = _two(seed)
    point = _point(a, b, i, j, kind)
    made = segue.splice(a, b, point, length=k / 30.0, root=root, way=how)  # type: ignore[arg-type]
    a_start, b_start = naive.starts(i, j, k, kind)
    alignment = (point.alignment.turn, point.alignment.x, point.alignment.z)
    fps = 30.0 if how == "equal_power" else 0.0
    joins = [(0, a_start, 1, b_start, k, alignment)]
    poses, sources = naive.assemble(
        [chance.poses(a), chance.poses(b)], 0, 0, joins, b.n_frames, root=root, fps=fps
    )
    assert made.n_frames == len(poses) == a_start + k + b.n_frames - (b_start + k)
    assert chance.apart(made.rotations, np.array([pose[0] for pose in poses])) < 1e-9
    np.testing.assert_allclose(made.root_positions, np.array([pose[1] for pose in poses]), atol=1e-8)
    assert made.origin.frame[:, 0].tolist() == [row[0][1] for row in sources]


@given(seed=seeds, i=st.integers(8, 30), j=st.integers(9, 26))
def test_a_cut_of_aligned_frames_keeps_place_and_heading(seed: int, i: int, j: int) -> None:
    """After a hard cut the root has the place and heading of A's next frame."""
    a, b = _two(seed)
    made = segue.splice(a, b, _point(a, b, i, j), length="cut")
    assert made.n_frames == i + b.n_frames - j
    np.testing.assert_allclose(made.root_positions[i, [0, 2]], a.root_positions[i, [0, 2]], atol=1e-9)
    assert abs(np.sin(heading(made)[i] - heading(a)[i])) < 1e-9
    own = world_positions(b)[j:]
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(world_positions(made)[i:], axis=0), axis=-1),
        np.linalg.norm(np.diff(own, axis=0), axis=-1),
        atol=1e-9,
    )


def test_the_jump_of_a_cut_keeps_moving(cases: Path) -> None:
    """In the first frame after a hard cut the root moves with the motion, neither by zero nor by the gap."""
    document = json.loads(next(cases.glob("case033-*.json")).read_text())
    clip = segue.load(next(cases.glob("case033-*.bvh")))
    i, j = document["inputs"]["a_frame"], document["inputs"]["b_frame"]
    made = segue.splice(clip, clip, _point(clip, clip, i, j), length="cut")
    step = 100 * np.linalg.norm(np.diff(made.root_positions, axis=0), axis=1)[i - 1]
    assert abs(step - document["expect"]["delta_cm"]) < document["expect"]["tol"]
    assert segue.measure(made, sources=[clip]).n_seams == 1


def test_a_blend_past_the_end_is_refused_with_what_fits(cases: Path) -> None:
    """At the last frame of A no blend of the given length fits; the error gives the number of frames left."""
    document = json.loads(next(cases.glob("case028-*.json")).read_text())["inputs"]
    body = segue.Skeleton(("root",), [-1], [[0.0, 0.0, 0.0]])
    half = np.radians(document["degrees"]) / 2
    still, turned = ([1.0, 0, 0, 0], [np.cos(half), np.sin(half), 0, 0])
    a, b = (
        Clip(
            body,
            np.tile(q, (document["a_frames"], 1, 1)),
            np.zeros((document["a_frames"], 3)),
            30.0,
            name=name,
        )
        for q, name in ((still, "a"), (turned, "b"))
    )
    point = TransitionPoint("a", "b", document["a_frames"] - 1, 3, 0.0, "aligned", PlanarMotion(), 0.0, True)
    with pytest.raises(
        segue.SettingError, match=r"needs frames 7 to 12 of 'a', which has 0 to 9; at most length="
    ):
        segue.splice(a, b, point, length=document["blend"] / 30.0)


@given(seed=seeds, i=st.integers(0, 39), j=st.integers(0, 35), k=st.integers(1, 30))
def test_the_length_an_error_offers_is_the_longest(seed: int, i: int, j: int, k: int) -> None:
    """Where a blend does not fit, the offered length does, and one frame more does not."""
    a, b = _two(seed)
    for kind in ("aligned", "start_end"):
        point = _point(a, b, i, j, kind)  # type: ignore[arg-type]
        try:
            segue.splice(a, b, point, length=k / 30.0)
        except segue.SettingError as error:
            found = re.search(r"at most length=([\d.]+) fits", str(error))
            assert found is not None
            fits = round(float(found[1]) * 30)
            assert fits < k
            segue.splice(a, b, point, length=float(found[1]))
            with pytest.raises(segue.SettingError):
                segue.splice(a, b, point, length=(fits + 1) / 30.0)


@given(seed=seeds, i=st.integers(0, 38), j=st.integers(0, 34))
def test_fixed_blends_are_cut_near_the_ends(seed: int, i: int, j: int) -> None:
    """The default length is cut to what fits around an aligned point; the pairing of frames stays."""
    a, b = _two(seed)
    made = segue.splice(a, b, _point(a, b, i, j))
    blended = np.flatnonzero(made.origin.clip[:, 1] >= 0)
    assert 1 <= blended.size <= 10
    assert np.all(np.diff(blended) == 1)
    apart = made.origin.frame[blended, 1] - made.origin.frame[blended, 0]
    assert np.all(apart == j - i)
    roomy = min(i, j) >= 4 and i + 6 <= a.n_frames and j + 6 <= b.n_frames
    assert (blended.size == 10) == roomy


@pytest.mark.parametrize("root", ["position", "displacement"])
@pytest.mark.parametrize(("first", "second"), [("16_15", "16_13"), ("16_13", "16_15"), ("16_35", "16_36")])
def test_real_joins_keep_going(data: Path, first: str, second: str, root: str) -> None:
    """At transition points of real clips neither step nor turn of the root is larger than in the clips."""
    a, b = (resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in (first, second))

    def peaks(clip: Clip) -> np.ndarray:
        steps = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1)
        return np.array([steps.max(), np.abs(np.diff(heading(clip))).max()])

    points = segue.transition_points(a, b, threshold=0.003)
    assert len(points) > 0
    for point in points[:4]:
        made = segue.splice(a, b, point, root=root)  # type: ignore[arg-type]
        assert np.all(peaks(made) <= 1.1 * np.maximum(peaks(a), peaks(b)))


def test_self_transitions_name_one_clip_twice() -> None:
    """A jump within one clip blends two of its stretches, and each frame's origin names both."""
    walk = segue.sample("walk", 30.0)
    point = segue.transition_points(walk, walk)[0]
    made = segue.splice(walk, walk, point)
    assert made.origin.clips == ("walk",)
    blended = made.origin.clip[:, 1] == 0
    assert blended.sum() == 10
    gap = made.origin.frame[blended, 1] - made.origin.frame[blended, 0]
    assert np.all(gap == point.b_frame - point.a_frame)


def test_other_rates_are_brought_to_the_first_clips() -> None:
    """A clip of 120 frames a second plays at the first clip's 30; its origin counts its own frames."""
    walk, run = segue.sample("walk", 30.0), segue.sample("run", 120.0)
    point = segue.transition_points(walk, run, threshold=1.0)[0]
    made = segue.splice(walk, run, point)
    assert made.fps == 30.0
    rows = np.flatnonzero(made.origin.clip[:, 0] == 1)
    assert np.all(np.diff(made.origin.frame[rows, 0]) == 4.0)
    blended = np.flatnonzero(made.origin.clip[:, 1] == 1)
    middle = blended[blended.size // 2 - 1]
    assert abs(made.origin.frame[middle, 1] - point.b_frame) <= 2


@pytest.mark.parametrize(("first", "second"), [("16/16_15", "127/127_04"), ("127/127_04", "16/16_15")])
def test_other_bodies_are_carried_over_in_place(data: Path, first: str, second: str) -> None:
    """Between two subjects no step at the join is more than 15 % larger than the largest of both motions."""
    a, b = (resampled(segue.load(data / f"asf_amc/{name}.amc"), 30.0) for name in (first, second))
    far = moved(b, PlanarMotion(-2.0, 30.0, 50.0))
    point = segue.transition_points(a, far, threshold=0.02)[0]
    made = segue.splice(a, far, point)
    assert made.skeleton is a.skeleton
    steps = np.linalg.norm(np.diff(made.root_positions[:, [0, 2]], axis=0), axis=1)
    own = [np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1).max() for clip in (a, b)]
    assert steps.max() < 1.15 * max(own)


def test_impossible_wishes_are_refused() -> None:
    """Unknown or impossible lengths and points outside a clip are refused with what would work."""
    a, b = _two(1)
    point = _point(a, b, 20, 15)
    with pytest.raises(
        segue.SettingError, match=r"blend length 'short' is not known; it can be auto, fixed, cut"
    ):
        segue.splice(a, b, point, length="short")  # type: ignore[arg-type]
    with pytest.raises(segue.SettingError, match=r"3 s is not possible; choose 0 \(hard cut\) to 2 s"):
        segue.splice(a, b, point, length=3)
    outside = TransitionPoint("a", "b", 20, 36, 0.0, "aligned", PlanarMotion(), 0.0, True)
    with pytest.raises(segue.SettingError, match=r"clip 'b' has frames 0 to 35; the point names 36"):
        segue.splice(a, b, outside)
