"""Fitting networks: disjoint splits, and a function that is learnt, not memorised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import MissingExtraError, SettingError
from segue.manifold.training import SPLITS, fitted, split
from small_spaces import learn


@given(st.integers(20, 500), st.sampled_from(SPLITS), st.integers(0, 99))
def test_each_pose_is_for_one_thing(count, by, seed):
    """Training, validation and test hold every pose once, the latter two 15 % each."""
    parts = split(count, by=by, seed=seed)
    rows = np.concatenate([parts.training, parts.validation, parts.test])
    assert np.array_equal(np.sort(rows), np.arange(count))
    assert len(parts.validation) == len(parts.test) == max(round(0.15 * count), 1)


def test_a_block_is_the_end_and_chance_has_a_seed():
    """The last frames are held out; another seed draws other frames."""
    assert split(100, by="block").test.tolist() == list(range(85, 100))
    assert split(100, seed=1).test.tolist() == split(100, seed=1).test.tolist()
    assert split(100, seed=1).test.tolist() != split(100, seed=2).test.tolist()


@learn
def test_a_curve_is_learnt_and_the_best_round_is_kept():
    """Held-out points are fitted, and the same seed gives the same network."""
    x = np.linspace(0.0, 1.0, 80)[:, None]
    y = np.column_stack([np.sin(5 * x[:, 0]), x[:, 0] ** 2])
    rows = split(80, seed=3)
    found = fitted(x, y, rows, hidden=(12,))
    assert np.abs(found.network(x)[rows.test] - y[rows.test]).max() < 0.05
    assert found.kept == int(np.argmin(found.errors))
    again = fitted(x, y, rows, hidden=(12,))
    assert all(
        np.array_equal(a, b) for a, b in zip(found.network.weights, again.network.weights, strict=True)
    )


def test_torch_learns_the_same_or_says_what_to_install():
    """If torch is installed it fits the curve as well; if not, the error names the command."""
    x = np.linspace(0.0, 1.0, 60)[:, None]
    y = np.sin(5 * x)
    rows = split(60, seed=3)
    try:
        import torch  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtraError, match="pip install torch"):
            fitted(x, y, rows, trainer="torch")
        return
    found = fitted(x, y, rows, hidden=(12,), trainer="torch")
    assert np.abs(found.network(x)[rows.test] - y[rows.test]).max() < 0.05


def test_unknown_words_are_refused():
    """Unknown splits and trainers are refused."""
    with pytest.raises(SettingError, match="random or block"):
        split(30, by="odd")
    with pytest.raises(SettingError, match="sklearn or torch"):
        fitted(np.zeros((9, 1)), np.zeros((9, 1)), split(9), trainer="jax")
