"""Weights from labels: planted ones are recovered, tables match the cost's sum, the cost reads the files."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from segue.costs.joint_angle.weights import PARTS
from segue.costs.registry import cost
from segue.errors import FileError, SettingError
from segue.learning import Label, examples, feature_scales, learn, leave_one_out, weights_text
from segue.learning.weights import solve
from segue.motion.clip import Clip
from segue.motion.roles import given as given_roles
from segue.motion.samples import sample

NAMES = ("walk", "run", "step_touch", "walk_turn_left")


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return four()


@cache
def four() -> list[Clip]:
    """Return the clips of the fixture: a named function that hypothesis can print."""
    return [sample(name, 60.0) for name in NAMES]


def drawn(rng, clips, count, good=None):
    """Labels of random moments; frames are even, so that they fall on rows at 30 a second."""
    out = []
    for k in range(count):
        a, b = (clips[int(rng.integers(len(clips)))] for _ in range(2))
        i, j = (2 * int(rng.integers(2, clip.n_frames // 2 - 2)) for clip in (a, b))
        out.append(Label(a.name, i, b.name, j, bool(rng.random() < 0.5) if good is None else good, k + 1))
    return out


@pytest.mark.parametrize("name", ["joint_angle", "relative_distance"])
def test_rows_are_what_the_cost_sums(rng, clips, name):
    """A row times the weights is the cost with these weights, without the root's own terms."""
    found = examples(drawn(rng, clips, 12), clips, cost=name)
    weights = rng.uniform(0.1, 1.0, found.table.shape[1])
    made = replace(found.terms.cost(weights), dtype="float64")
    used = found.terms.clips
    for row, (a, b, i, j) in zip(found.table @ weights, found.places, strict=True):
        whole = float(made.pairs(made.prepare(used[a]), made.prepare(used[b]), [i], [j])[0])
        if name == "joint_angle":
            root = made.prepare(used[a]).features, made.prepare(used[b]).features
            whole -= sum(
                float(np.sum((root[0][term][i] - root[1][term][j]) ** 2)) for term in ("places", "steps")
            )
        else:
            whole *= weights.sum()  # that cost scales its weights to sum 1
        assert row == pytest.approx(whole, rel=1e-9)


def test_columns_merge_the_sides(rng, clips):
    """Left and right share a column; a pose and its mirror image give the same weights."""
    found = examples(drawn(rng, clips, 4), clips)
    assert set(found.terms.columns) <= set(PARTS)
    assert {"hip", "knee", "shoulder", "elbow"} <= set(found.terms.columns)
    assert "wrist" not in found.terms.columns  # sample clips never bend it: any weight would fit
    pairs = examples(drawn(rng, clips, 4), clips, cost="relative_distance")
    assert len(set(pairs.terms.columns)) == len(pairs.terms.columns)
    assert not [c for c in pairs.terms.columns if "right" in c[0] and "right" in c[1]]
    assert ("left_hip", "left_knee") not in pairs.terms.columns  # a bone keeps its length


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_planted_weights_come_back(seed):
    """Labels that are exactly a weighted sum give back its weights, including zeros."""
    rng, clips = np.random.default_rng(seed), four()
    found = examples(drawn(rng, clips, 60), clips)
    count = len(found.terms.columns)
    planted = rng.uniform(0.05, 1.0, count) * (rng.random(count) < 0.5)
    planted[int(rng.integers(count))] = 1.0
    given_values = replace(found, bad=found.table @ planted)
    np.testing.assert_allclose(solve(given_values), planted / planted.max(), atol=1e-6)


def test_planted_weights_come_back_from_good_and_bad(rng, clips):
    """Labels are good below a twentieth of a scale and bad near one; the weights are recovered within 0.05."""
    found = examples(drawn(rng, clips, 6000), clips)
    columns = found.terms.columns
    planted = np.zeros(len(columns))
    for part, weight in (("hip", 1.0), ("knee", 0.1), ("shoulder", 0.8)):
        planted[columns.index(part)] = weight
    sums = found.table @ planted
    scale = np.quantile(sums, 0.5)
    good, bad = sums < 0.05 * scale, np.abs(sums / scale - 1) < 0.05
    assert min(good.sum(), bad.sum()) > 15
    keep = good | bad
    reported = replace(found, table=found.table[keep], bad=bad[keep].astype(float))
    weights = solve(reported)
    assert np.abs((weights - planted)[planted > 0]).max() < 0.05
    shares = weights * reported.table.mean(axis=0)
    assert shares[planted == 0].sum() < 0.05 * shares.sum()
    assert learn(reported).right == 1.0


def test_equals_the_plain_solver(rng, clips):
    """Learning is SciPy's solver on the table, with the largest weight scaled to 1."""
    found = examples(drawn(rng, clips, 80), clips)
    plain = nnls(found.table, found.bad)[0]
    np.testing.assert_allclose(solve(found), plain / plain.max(), atol=1e-8)
    learnt = learn(found)
    free = np.linalg.lstsq(found.table, found.bad, rcond=None)[0]
    np.testing.assert_allclose(learnt.pseudo_inverse, free / np.abs(free).max(), atol=1e-8)
    assert learnt.good + learnt.bad == 80
    assert 0.5 <= learnt.right <= 1.0


@pytest.mark.parametrize("name", ["joint_angle", "relative_distance"])
def test_the_file_is_what_the_cost_reads(rng, clips, name, tmp_path):
    found = examples(drawn(rng, clips, 40), clips, cost=name)
    learnt = learn(found, ridge=0.1)
    file = tmp_path / "learnt.toml"
    file.write_text(weights_text(learnt, source="labels.csv"), encoding="utf-8")
    made, direct = (
        cost(name, weights=str(file), dtype="float64"),
        cost(name, weights=learnt.settings["weights"], dtype="float64"),
    )
    a, b = (made.prepare(clip) for clip in clips[:2])
    c, d = (direct.prepare(clip) for clip in clips[:2])
    np.testing.assert_allclose(made.matrix(a, b), direct.matrix(c, d), rtol=1e-4)
    assert "labels.csv" in file.read_text()


def test_frames_are_at_the_clips_own_rate(clips):
    """Frame 60 of a clip at 60 a second is cost frame 30, which is row 29 of a cost with a frame before it."""
    found = examples([Label("walk", 60, "run", 2, True), Label("walk", 62, "run", 2, False)], clips)
    assert found.places == ((0, 1, 29, 0), (0, 1, 30, 0))


def test_labels_of_what_there_is_not(clips):
    """Unknown clips and frames are named with their line."""
    with pytest.raises(FileError, match=r"mine.csv:7: no clip is called 'wolk'; nearest: walk"):
        examples([Label("walk", 4, "wolk", 4, True, 7)], clips, where="mine.csv")
    for frame in (0, 10**6):
        with pytest.raises(
            FileError, match=rf":3: frame {frame} of clip 'walk' cannot be compared: .* of which 2 to \d+ can"
        ):
            examples([Label("walk", frame, "run", 4, True, 3)], clips)


def test_what_cannot_be_learnt(clips):
    """Labels of one kind, labels without information and costs without weights are refused."""
    same = [Label("walk", 4, "walk", 4, k == 0) for k in range(2)]
    backwards = [Label("walk", 4, "walk", 4, False), Label("walk", 4, "walk", 30, True)]
    with pytest.raises(SettingError, match="both kinds"):
        learn(examples(backwards[1:], clips))
    with pytest.raises(SettingError, match="name the same moments twice"):
        examples(same, clips)
    with pytest.raises(SettingError, match="every weight is zero"):
        learn(examples(backwards, clips))
    with pytest.raises(SettingError, match="joint_angle and relative_distance can"):
        examples(backwards, clips, cost="features")


def test_columns_that_a_body_lacks_are_left_out(rng, clips):
    """A part without a joint in one of the clips gets no weight."""
    walk = clips[0]
    body = given_roles(walk.skeleton, {"left_elbow": "", "right_elbow": ""})
    bare = walk.with_skeleton(body).with_motion(name="bare")
    labels = [*drawn(rng, clips, 6), Label("bare", 20, "run", 30, True)]
    assert "elbow" not in examples(labels, [*clips, bare]).terms.columns


def test_leaving_one_out_moves_nothing_when_examples_agree(rng, clips):
    """Without any one of them, labels of one weighted sum give the same weights."""
    labels = drawn(rng, clips, 24)
    found = examples(labels, clips)
    given_values = replace(found, bad=found.table @ rng.uniform(0.1, 1.0, len(found.terms.columns)))
    left = leave_one_out(given_values, unrelated=(clips[1], clips[2]))
    assert left.dropped.tolist() == left.unrelated.tolist() == [0.0] * 24
    assert np.ptp(left.weights, axis=0).max() < 1e-6
    assert "the same in 24 of 24" in left.sentence()


def test_leaving_one_out_tells_how_far_transitions_go(rng, clips):
    """Random labels move the optimum, by as much as matrices made with the learnt weights."""
    labels = [Label("walk", 40, "walk", 42, True), *drawn(rng, clips, 5, good=False)]
    found = examples(labels, clips)
    left = leave_one_out(found)
    assert np.isnan(left.dropped[0])
    whole = solve(found)
    for k in range(1, 6):
        a, b = (found.terms.clips[n] for n in found.places[k][:2])
        if a is b:
            continue
        at = []
        for weights in (whole, left.weights[k]):
            made = found.terms.cost(weights)
            values = made.matrix(made.prepare(a), made.prepare(b))
            at.append(np.array(np.unravel_index(values.argmin(), values.shape)))
        assert left.dropped[k] == np.abs(at[0] - at[1]).max()
    assert np.nanmax(left.dropped) > 0


def test_scales_of_features(clips):
    """Each is the mean standard deviation of its group, whatever the clips' rates and bodies."""
    scales = feature_scales(clips)
    made = cost("features", scales=scales, weights=(1.0,) * 5)
    rows = np.concatenate([made.prepare(clip).features["vectors"] for clip in clips])
    spread = rows.std(axis=0)
    assert [spread[a:b].mean() for a, b in ((0, 6), (6, 12), (12, 15), (15, 21), (21, 27))] == pytest.approx(
        [1.0] * 5
    )
    with pytest.raises(SettingError, match="no clip has the 32 frames"):
        feature_scales([sample("walk", 30.0, seconds=0.9)])
    one, count = clips[0], clips[0].n_frames
    still = one.with_motion(one.rotations[:1].repeat(count, 0), one.root_positions[:1].repeat(count, 0))
    with pytest.raises(SettingError, match="do not vary"):
        feature_scales([still])
