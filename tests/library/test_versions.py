"""Corresponding frames of a changed clip, compared with the naive reference; and labels that follow them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.library as naive
import segue
from segue.library.labels import Label
from segue.library.versions import EQUAL, SHORTEST, agreeing, carried_label, runs
from segue.maths.quaternions import from_yaw, multiply


def taken(clip: segue.Clip, rows: object) -> segue.Clip:
    """Clip of chosen frames."""
    return segue.Clip(
        clip.skeleton, clip.rotations[rows], clip.root_positions[rows], clip.fps, name=clip.name
    )


values = st.integers(0, 3)


@given(
    st.lists(values, min_size=1, max_size=24),
    st.lists(values, min_size=1, max_size=24),
    st.integers(0, 2**31),
)
def test_runs_are_those_of_the_naive_twin(a: list[int], b: list[int], seed: int) -> None:
    """Few values make many runs of equal length; the noise is between the close limit and the loose one."""
    rng = np.random.default_rng(seed)
    old, new = (np.array(rows, dtype=float)[:, None] * 3 + np.zeros(4) for rows in (a, b))
    new = new + np.where(rng.random(new.shape) < 0.1, 0.5, 0.0)
    out = np.full(len(old), -1)
    for start, at, length in runs(old, new):
        out[start : start + length] = np.arange(at, at + length)
    assert out.tolist() == naive.agreeing(old.tolist(), new.tolist(), (EQUAL, 1.0), SHORTEST)


@given(st.integers(0, 300), st.integers(8, 361), st.integers(0, 40))
def test_frames_cut_out_shift_the_rest(first: int, last: int, more: int) -> None:
    """Every frame kept in a trimmed clip with a cut in its middle is found again."""
    walk = segue.sample("walk")
    rows = [row for row in range(first, last) if not first + 20 <= row < first + 20 + more]
    if len(rows) < 30:
        return
    found = agreeing(walk, taken(walk, rows))
    wanted = np.full(walk.n_frames, -1)
    wanted[rows] = np.arange(len(rows))
    if rows[-1] - (first + 20 + more) < SHORTEST:  # the rest behind the cut is too short to be recognised
        wanted[first + 20 + more :] = found[first + 20 + more :]
    assert found.tolist() == wanted.tolist()


def test_frames_put_in_between_are_nobodys() -> None:
    """Thirty frames of a run in the middle of a walk match no old frame."""
    walk, run = segue.sample("walk"), segue.sample("run")
    new = segue.Clip(
        walk.skeleton,
        np.concatenate([walk.rotations[:100], run.rotations[:30], walk.rotations[100:]]),
        np.concatenate([walk.root_positions[:100], run.root_positions[:30], walk.root_positions[100:]]),
        walk.fps,
    )
    frames = agreeing(walk, new)
    assert frames.tolist() == [*range(100), *range(130, 391)]
    label = Label(90, 110, "middle", "me")
    assert carried_label(label, frames) == Label(90, 140, "middle", "me")


@pytest.mark.parametrize("change", ["digits", "moved", "turned", "scaled"])
def test_the_same_motion_told_otherwise_keeps_its_frames(change: str, rng: np.random.Generator) -> None:
    """Fewer digits, another position, heading or unit change nothing."""
    walk = segue.sample("walk")
    rotations, roots, body = walk.rotations.copy(), walk.root_positions.copy(), walk.skeleton
    if change == "digits":
        rotations += rng.uniform(-1e-4, 1e-4, rotations.shape)
        rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
        rotations *= rng.choice([-1.0, 1.0], (len(rotations), body.n_joints, 1))
        roots += rng.uniform(-2e-4, 2e-4, roots.shape)
    elif change == "moved":
        roots += [3.0, 0.0, -1.0]
    elif change == "turned":
        rotations[:, 0] = multiply(from_yaw(1.0), rotations[:, 0])
    else:
        roots *= 2.54
        body = segue.Skeleton(body.names, body.parents, body.offsets * 2.54)
    new = segue.Clip(body, rotations, roots, walk.fps)
    assert agreeing(walk, new).tolist() == list(range(walk.n_frames))


def test_another_motion_or_body_has_no_frame_in_common() -> None:
    """A run is no walk, and a body with another joint is another body."""
    walk, run = segue.sample("walk"), segue.sample("run")
    assert not np.any(agreeing(walk, run) >= 0)
    names = ["Other", *walk.skeleton.names[1:]]
    other = walk.with_skeleton(segue.Skeleton(names, walk.skeleton.parents, walk.skeleton.offsets))
    assert not np.any(agreeing(walk, other) >= 0)


def test_a_body_of_one_joint_is_where_it_is() -> None:
    """Without joints below the root only its own position and rotation can agree."""
    body = segue.Skeleton(["prop"], [-1], [[0, 1, 0]])
    turns = np.tile([1.0, 0, 0, 0], (20, 1, 1))
    places = np.linspace([0.0, 1, 0], [1.0, 1, 0], 20)
    prop = segue.Clip(body, turns, places, 30)
    assert agreeing(prop, taken(prop, slice(5, None))).tolist() == [-1] * 5 + list(range(15))
    assert not np.any(agreeing(prop, segue.Clip(body, turns, places + 1.0, 30)) >= 0)


@given(st.lists(st.integers(-1, 30), min_size=1, max_size=30), st.data())
def test_labels_go_where_the_naive_twin_puts_them(found: list[int], data: st.DataObject) -> None:
    """A label covers the first to the last agreeing frame, or is dropped."""
    start = data.draw(st.integers(0, len(found) - 1))
    stop = data.draw(st.integers(start + 1, len(found)))
    new = carried_label(Label(start, stop, "x", "me"), np.array(found))
    wanted = naive.carried(start, stop, found)
    assert new == (None if wanted is None else Label(*wanted, "x", "me"))
