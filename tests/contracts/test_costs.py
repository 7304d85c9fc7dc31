"""The contract of every registered cost: shape, range, symmetry, invariance, settings, short clips, mixed bodies."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from segue.cli.options import cost_help
from segue.costs.engine.tiles import lay, tiles_of
from segue.costs.matrix import cost_matrix, matrix_between, next_frame_costs, prepare_all, require_rows
from segue.costs.protocol import Cost
from segue.costs.registry import COSTS, as_document, cost, cost_from
from segue.errors import SettingError
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut, resampled
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.settings.words import COSTS as COST_NAMES

NAMES = sorted(COSTS)
STATED = {"joint_angle": 1.4e-5, "features": 2e-4}
"""What float32 may err by, of costs whose docstring says more than 1e-6: 1.2e-6 times 10 + 1 for the original weights,
1e-6 times the squared lengths of two vectors of features, which stay under 100 on these clips."""
FLOAT64 = 1e-9


def errors(name: str) -> tuple[tuple[str, float], ...]:
    """Each type and the error stated for it."""
    return ("float32", STATED.get(name, 1e-6)), ("float64", FLOAT64)


@pytest.fixture(params=NAMES)
def name(request) -> str:
    return request.param


def test_settings_are_frozen_and_complete(name):
    """A cost is a frozen dataclass that fulfils the protocol, equal to another with the same settings."""
    made = cost(name)
    assert isinstance(made, Cost)
    assert made.name == name
    assert made == cost(name)
    assert hash(made) == hash(cost(name))
    assert dataclasses.replace(made, rate=15.0).rate == 15.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.rate = 10.0


def test_help_texts_name_every_cost():
    """The names listed without loading costs are the registry's."""
    assert list(COST_NAMES) == list(COSTS)
    assert all(name in cost_help() for name in COSTS)


def test_docstring_says_what_the_numbers_mean(name):
    """Unit, range, symmetry and invariances are documented."""
    text = COSTS[name].__doc__
    assert all(word in text for word in ("Unit:", "Range:", "Symmetric", "Invariant"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_matrix_shape_type_and_range(name, dtype):
    """Rows and columns have their source frames; values are finite and not negative."""
    walk, run = sample("walk"), sample("run")
    made = cost(name, dtype=dtype)
    matrix = cost_matrix(walk, run, cost=made)
    assert matrix.values.shape == (matrix.a_frames.size, matrix.b_frames.size)
    assert matrix.values.dtype == dtype
    assert not matrix.values.flags.writeable
    assert np.all(np.isfinite(matrix.values))
    assert matrix.values.min() >= 0
    assert (matrix.a_name, matrix.b_name, matrix.cost, matrix.rate) == ("walk", "run", made, 30.0)


def test_cells_are_what_pairs_says(name):
    for dtype, error in errors(name):
        made = cost(name, dtype=dtype)
        a, b = prepare_all([sample("walk"), sample("step_touch")], made)
        rows, columns = np.meshgrid(np.arange(0, a.n, 5), np.arange(0, b.n, 7), indexing="ij")
        direct = made.pairs(a, b, rows.ravel(), columns.ravel()).reshape(rows.shape)
        np.testing.assert_allclose(made.matrix(a, b)[::5, ::7], direct, atol=error)


def test_ground_motions_change_nothing(name):
    """This holds also 1 km away."""
    walk, run = sample("walk"), sample("run")
    gone = moved(run, PlanarMotion(-1.2, 800.0, 600.0))
    for dtype, error in errors(name):
        made = cost(name, dtype=dtype)
        before, after = (cost_matrix(walk, other, cost=made).values for other in (run, gone))
        assert np.abs(before - after).max() < error


def test_symmetric_with_zero_diagonal(name):
    """Exchanging clips transposes; a clip compared with itself has a zero diagonal."""
    made = cost(name)
    a, b = prepare_all([sample("walk"), sample("run")], made)
    np.testing.assert_allclose(made.matrix(a, b), made.matrix(b, a).T, atol=errors(name)[0][1])
    assert made.matrix(a, a).diagonal().max() < errors(name)[0][1]


def test_rows_name_source_frames(name):
    """Rows of a clip at 60 or 120 a second represent every second or fourth frame, centred in the window."""
    for fps in (30, 60, 120):
        walk = sample("walk", float(fps))
        prepared = cost(name).prepare(walk)
        step = fps // 30
        np.testing.assert_array_equal(prepared.frames, step * (prepared.first + np.arange(prepared.n)))
        assert prepared.n == (walk.n_frames - 1) // step + 2 - prepared.needed_frames
    odd = cost(name).prepare(resampled(sample("walk", 120.0), 100.0))
    seconds = (odd.first + np.arange(odd.n)) / 30
    assert np.abs(odd.frames / 100 - seconds).max() <= 0.5 / 100 + 1e-12


def test_the_rate_of_a_clip_hardly_matters(name):
    """The cost between captures of one motion at two rates is low."""
    made = cost(name)
    values = cost_matrix(sample("walk", 120.0), sample("walk", 50.0), cost=made).values
    typical = np.median(values)
    assert values.diagonal().max() < 0.02 * typical


def test_short_clips_give_no_rows_and_say_so(name):
    """A clip shorter than the window has no rows; the sentence names it and both numbers."""
    made = cost(name, rate=30.0)
    whole = made.prepare(sample("walk", 30.0))
    needed = whole.needed_frames
    stub = cut(sample("walk", 30.0), 0, max(needed - 1, 1)).with_motion(name="stub")
    least = cut(sample("walk", 30.0), 0, needed)
    prepared, walk = prepare_all([stub, sample("walk")], made)
    if needed > 1:
        assert prepared.n == 0
        assert prepared.too_short() is not None
        assert "'stub'" in prepared.too_short()
        assert f" {needed - 1} frames" in prepared.too_short()
        assert f" {needed}:" in prepared.too_short()
        with pytest.raises(SettingError, match="stub"):
            require_rows(prepared)
    assert made.prepare(least).n == 1
    assert made.prepare(least).too_short() is None
    require_rows(made.prepare(least))
    assert matrix_between(prepared, walk, cost=made).values.shape == (prepared.n, walk.n)
    assert matrix_between(walk, prepared, cost=made).values.shape == (walk.n, prepared.n)
    assert next_frame_costs(prepared, made).size == max(prepared.n - 1, 0)


def test_a_moment_takes_nothing_from_beyond_its_window(name):
    """The costs of a cut stretch are those of the same moments in the full clip."""
    made = cost(name, dtype="float64")
    walk, run = sample("walk", 30.0), sample("run", 30.0)
    start, stop = 31, 120
    whole, part, other = prepare_all([walk, cut(walk, start, stop), run], made)
    rows = start + np.arange(part.n)  # frame half_window of the stretch is row `start` of the full clip
    np.testing.assert_allclose(made.matrix(part, other), made.matrix(whole, other)[rows], atol=1e-9)
    assert part.n == stop - start + 1 - part.needed_frames


def test_the_size_of_a_body_changes_nothing(name):
    """A motion of a body a third as tall, or in centimetres, has the same cost."""
    made = cost(name, dtype="float64")
    walk, run = sample("walk", 30.0), sample("run", 30.0)
    before = cost_matrix(walk, run, cost=made).values
    for factor in (1 / 3, 100.0):
        old = run.skeleton
        offsets = factor * old.offsets
        sites = tuple(
            dataclasses.replace(site, offset=factor * np.asarray(site.offset)) for site in old.end_sites
        )
        body = Skeleton(old.names, old.parents, offsets, sites)
        small = Clip(body, run.rotations, factor * run.root_positions, run.fps)
        after = cost_matrix(walk, small, cost=made).values
        np.testing.assert_allclose(after, before, atol=1e-7 * before.max())


def test_streaming_and_blocks_are_the_matrix(name):
    """Strips of several concatenated clips, as the engine computes them, match the matrix of each pair."""
    made = cost(name)
    clips = prepare_all([sample(n, 30.0) for n in ("walk", "run", "stop")], made)
    a, b = lay(clips[:2]), lay(clips[1:])
    tiles = tiles_of(made, a, b)
    for first, last in ((0, 128), (64, 192)):
        fill = tiles.strip(first, last)
        for start, stop in ((0, 64), (64, 100)):
            out = np.full((stop - start, last - first), np.nan, dtype=made.dtype)
            fill(start, stop, out)
            whole = made.matrix(clips[0], clips[1])
            rows, columns = min(stop, clips[0].n) - start, min(last, clips[1].n) - first
            np.testing.assert_allclose(
                out[:rows, :columns],
                whole[start : start + rows, first : first + columns],
                atol=2 * errors(name)[0][1],
            )


@pytest.mark.parametrize("count", [1, 3, 126, 128, 129])
def test_any_number_of_moments(name, count):
    """A matrix with as many rows as a block, one less, one more, or hardly any, is a part of a larger one."""
    made = cost(name, rate=60.0)
    walk = sample("walk", 60.0)
    whole = cost_matrix(walk, walk, cost=made).values
    needed = made.prepare(walk).needed_frames
    part = cut(walk, 0, needed - 1 + count)
    values = cost_matrix(part, walk, cost=made).values
    assert values.shape == (count, whole.shape[1])
    np.testing.assert_allclose(values, whole[:count], atol=2 * errors(name)[0][1])
    np.testing.assert_allclose(
        cost_matrix(walk, part, cost=made).values, values.T, atol=2 * errors(name)[0][1]
    )


def test_no_number_is_refused(name):
    """Rates and clips that are not numbers are refused before a matrix is computed."""
    for bad in (np.nan, np.inf, 0.0, -30.0):
        with pytest.raises(SettingError, match="rate"):
            cost(name, rate=bad)
    walk = sample("walk")
    broken = np.array(walk.root_positions)
    broken[7] = np.nan
    with pytest.raises(SettingError, match="not numbers"):
        walk.with_motion(root_positions=broken)


def test_settings_go_through_json_and_back(name):
    """Stored settings make the same cost again; an invalid document is refused."""
    for made in (cost(name), cost(name, rate=15, dtype="float64")):
        document = json.loads(json.dumps(as_document(made)))
        again = cost_from(document)
        assert again == made
        assert as_document(again) == document
        assert set(document["settings"]) == {field.name for field in dataclasses.fields(made)}
    with pytest.raises(SettingError, match="describes no cost"):
        cost_from({"nam": name})
    with pytest.raises(SettingError, match="no setting"):
        cost_from({"name": name, "settings": {"frob": 1}})


def test_alignment_undoes_a_ground_motion(name):
    """A moved copy is aligned with the clip again, including at its ends."""
    made = cost(name)
    walk = sample("walk")
    move = PlanarMotion(0.8, 5.0, -2.0)
    a, b = prepare_all([walk, moved(walk, move)], made)
    for row in (0, 1, a.n // 2, a.n - 1):
        back = move.then(made.alignment(a, b, row, row))
        assert (np.sin(back.turn), back.x, back.z) == pytest.approx((0, 0, 0), abs=1e-6)


def armless(clip: Clip) -> Clip:
    """The clip without the role of the left elbow."""
    old = clip.skeleton
    names = [name.replace("LeftForeArm", "extra") for name in old.names]
    return Clip(Skeleton(names, old.parents, old.offsets), clip.rotations, clip.root_positions, clip.fps)


def test_bodies_with_other_joints_share_what_they_have(name):
    """A body without an elbow is compared by the joints that both have; the same motion still costs zero."""
    made = cost(name)
    a, b = prepare_all([sample("walk"), armless(sample("walk"))], made)
    assert made.matrix(a, b).diagonal().max() < 0.02 * np.median(made.matrix(a, b))
    np.testing.assert_allclose(made.matrix(a, b), made.matrix(b, a).T, atol=errors(name)[0][1])


@pytest.mark.data
def test_skeletons_of_two_formats_are_comparable(name, data):
    """For AMC and BVH of one capture equal moments have low costs, and the minimum of most rows is within one frame."""
    made = cost(name)
    amc, bvh = (load(data / file) for file in ("asf_amc/16/16_31.amc", "cmu/from_amc/16_31.bvh"))
    values = cost_matrix(amc, bvh, cost=made).values
    assert np.median(values.diagonal()) < 0.1 * np.median(values)
    assert np.median(np.abs(values.argmin(axis=1) - np.arange(values.shape[0]))) <= 1


def test_unknown_names_and_settings_are_listed(name):
    """The error for an unknown cost or setting lists the known ones."""
    with pytest.raises(SettingError, match=name):
        cost(name[:-1])
    with pytest.raises(SettingError, match="dtype"):
        cost(name, dtyp="float64")
