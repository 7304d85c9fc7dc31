"""Networks: their outputs equal plain loops, and inconsistent ones are refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import manifold as naive
from segue.errors import SettingError
from segue.manifold.network import Network


def _network(seed=0, widths=(2, 5, 4, 3)):
    rng = np.random.default_rng(seed)
    weights = tuple(rng.normal(size=pair) for pair in itertools.pairwise(widths))
    biases = tuple(rng.normal(size=width) for width in widths[1:])
    return Network(weights, biases, rng.normal(size=widths[0]), 1.7, rng.normal(size=widths[-1]), 0.4)


@given(st.integers(0, 2**32 - 1))
def test_outputs_are_those_of_loops(seed):
    """The law includes the scaling of inputs and outputs."""
    net = _network(seed)
    inputs = np.random.default_rng(seed + 1).normal(size=(3, 2))
    layers = [(w.tolist(), b.tolist()) for w, b in zip(net.weights, net.biases, strict=True)]
    for row, found in zip(inputs, net(inputs), strict=True):
        wanted = naive.network(layers, ((row - net.centre) / net.scale).tolist())
        assert np.allclose(found, np.array(wanted) * net.spread + net.mean)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": ()}, "needs as many biases"),
        ({"weights": (np.ones((2, 5)), np.ones((4, 4)), np.ones((4, 3)))}, "does not take 5 numbers"),
        ({"mean": np.zeros(7)}, "gives 3 numbers"),
        ({"mean": np.full(3, np.nan)}, "finite"),
        ({"scale": 0.0}, "positive"),
    ],
)
def test_layers_that_do_not_fit_are_refused(change, words):
    """The error names the mismatch."""
    net = _network()
    parts = {name: getattr(net, name) for name in ("weights", "biases", "centre", "scale", "mean", "spread")}
    with pytest.raises(SettingError, match=words):
        Network(**(parts | change))
