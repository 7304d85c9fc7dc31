"""Embeddings: residual variance as defined, its knee by the rule, and three methods on known data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import manifold as naive
from segue.errors import MissingExtraError, SettingError
from segue.manifold import embedding
from segue.manifold.embedding import classical_scaling, embedded, knee, principal, residual_variances
from small_spaces import captured_space, learn

SEEDS = st.integers(0, 2**32 - 1)


def _apart(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


@given(SEEDS)
def test_residual_variance_is_that_of_loops(seed):
    """It is one minus the squared correlation, for every number of dimensions."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(7, 3))
    distances = _apart(rng.normal(size=(7, 4)))
    found = residual_variances(distances, points)
    wanted = [naive.residual_variance(distances.tolist(), points[:, : k + 1].tolist()) for k in range(3)]
    assert np.allclose(found, wanted, atol=1e-9)


@given(SEEDS, st.floats(0.01, 100.0))
def test_residual_variance_knows_no_scale_and_no_turn(seed, scale):
    """Scaled, rotated and shifted coordinates have the same residual variance."""
    rng = np.random.default_rng(seed)
    points, distances = rng.normal(size=(8, 2)), _apart(rng.normal(size=(8, 3)))
    turn, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    other = scale * points @ turn + 3.0
    assert np.isclose(residual_variances(distances, points)[-1], residual_variances(distances, other)[-1])


@given(SEEDS)
def test_classical_scaling_gives_back_what_lies_in_few_dimensions(seed):
    """Distances of points in three dimensions are kept exactly by three coordinates."""
    points = np.random.default_rng(seed).normal(size=(12, 3))
    assert np.allclose(_apart(classical_scaling(_apart(points), 3)), _apart(points), atol=1e-6)
    assert np.allclose(np.abs(classical_scaling(_apart(points), 3)), np.abs(principal(points, 3)), atol=1e-5)


@pytest.mark.parametrize(
    ("variances", "wanted"),
    [
        ([0.46, 0.046, 0.054, 0.056], 2),
        ([0.441, 0.115, 0.038, 0.028, 0.023], 3),
        ([0.523, 0.207, 0.110, 0.069, 0.045, 0.038], 4),
        ([0.5, 0.4, 0.3, 0.2], 4),
        ([0.0, 0.0], 1),
        ([0.3], 1),
    ],
)
def test_the_knee_is_the_last_dimension_worth_having(variances, wanted):
    """One dimension more removes less than a twentieth of what remains."""
    assert knee(np.array(variances)) == wanted


@learn
def test_isomap_unrolls_a_strip():
    """A strip rolled up in space has two dimensions over neighbours; the path lengths equal plain loops."""
    rng = np.random.default_rng(4)
    along, across = np.sort(rng.uniform(0.0, 3 * np.pi, 150)), rng.uniform(0.0, 3.0, 150)
    rolled = np.column_stack([(3 + along) * np.cos(along), (3 + along) * np.sin(along), across])
    fine = np.linspace(0.0, 3 * np.pi, 2000)
    arc = np.interp(along, fine, np.cumsum(np.sqrt((3 + fine) ** 2 + 1)) * fine[1])
    found = embedded(_apart(rolled), rolled, neighbours=8)
    assert found.parts == 1
    assert found.variances[1] < 0.02
    flat = embedded(_apart(rolled), rolled, by="pca")
    unrolled, as_rolled = (abs(np.corrcoef(one.coordinates[:, 0], arc)[0, 1]) for one in (found, flat))
    assert as_rolled < 0.9 < 0.999 < unrolled
    few = _apart(rolled[:40])
    _, lengths, _ = embedding._isomap(few, 5, 2)
    wanted = np.array(naive.path_over_neighbours(few.tolist(), 5))
    assert np.allclose(lengths[np.isfinite(wanted)], wanted[np.isfinite(wanted)])


@learn
def test_pieces_are_counted_and_joined():
    """Two clouds far apart are two pieces, and still get finite coordinates."""
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 50.0])
    found = embedded(_apart(points), points, neighbours=4)
    assert found.parts == 2
    assert np.isfinite(found.coordinates).all()


def test_what_cannot_be_is_refused():
    """Unknown methods and impossible numbers of neighbours are refused."""
    points = np.arange(6.0)[:, None]
    with pytest.raises(SettingError, match="choose isomap, pca, mds"):
        embedded(_apart(points), points, by="tsne")
    with pytest.raises(SettingError, match="give 2 to 5"):
        embedded(_apart(points), points, by="pca", neighbours=6)


def test_without_scikit_learn_isomap_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    points = np.arange(9.0)[:, None]
    with pytest.raises(MissingExtraError, match="learn"):
        embedded(_apart(points), points)


@learn
def test_a_captured_walk_winds_once_a_cycle(data):
    """In the first two of three coordinates the curve winds once per stride."""
    space = captured_space(data / "asf_amc/16/16_15.amc")
    assert space.dimensions == 3
    assert space.fit().variances[1] < 0.06 < 0.38 < space.fit().variances[0] < 0.48
    assert space.fit().knee == 2
    turns = naive.turns(space.coordinates[:, :2].tolist())
    seconds = len(space.coordinates) / space.fps
    assert turns == pytest.approx(seconds / _stride(space), abs=0.35)
    assert turns > 3


def _stride(space):
    """Seconds after which the decoded pose is nearest to itself."""
    apart = _apart(space.coordinates)
    lags = np.arange(20, 60)
    best = lags[np.argmin([np.diagonal(apart, lag).mean() for lag in lags])]
    return best / space.fps
