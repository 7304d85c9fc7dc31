"""Fit a network to poses: training, validation and test sets, and early stopping.

The split is made here and not by the fitting library, whose own early stopping would draw it at random. In a random
split nearly every test frame has neighbours in time among the training frames; a block at the end is unseen motion.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from segue.arrays import Floats, Ints
from segue.errors import MissingExtraError, SettingError, require_extra
from segue.manifold.network import Network

SplitBy: TypeAlias = Literal["random", "block"]
SPLITS: tuple[SplitBy, ...] = get_args(SplitBy)
Trainer: TypeAlias = Literal["sklearn", "torch"]
TRAINERS: tuple[Trainer, ...] = get_args(Trainer)
HIDDEN = (64, 64)
"""Widths of the hidden layers."""
HELD = 0.15
"""Share of the poses for validation, and the same share for the test."""
_DECAY = 1e-3
_ROUND = 25
"""Iterations of the solver between two evaluations on the validation poses."""
_ROUNDS, _PATIENCE = 60, 8
"""Maximum of rounds, and rounds without a better validation error after which fitting stops."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of poses for training, validation and test."""

    training: Ints
    validation: Ints
    test: Ints


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network and how it was fitted: mean squared validation errors by round, and the round that was kept."""

    network: Network
    errors: tuple[float, ...]
    kept: int


def split(count: int, *, by: SplitBy = "random", seed: int = 0) -> Split:
    """Split poses into training (70 %), validation and test (15 % each).

    Parameters
    ----------
    count
        Number of poses N, in order of time.
    by
        ``"random"``, or ``"block"``: the last ones are the test, those before them validation.
    seed
        Seed of the random split.

    Examples
    --------
    >>> made = split(20, by="block")
    >>> made.validation.tolist(), made.test.tolist()
    ([14, 15, 16], [17, 18, 19])
    """
    if by not in SPLITS:
        msg = f"there is no split by {by!r}; choose {' or '.join(SPLITS)}"
        raise SettingError(msg)
    held = max(round(HELD * count), 1)
    order = np.arange(count) if by == "block" else np.random.default_rng([seed, 15]).permutation(count)
    parts = order[: count - 2 * held], order[count - 2 * held : count - held], order[count - held :]
    return Split(*(np.sort(part) for part in parts))


def fitted(
    inputs: Floats,
    outputs: Floats,
    rows: Split,
    *,
    hidden: tuple[int, ...] = HIDDEN,
    trainer: Trainer = "sklearn",
    seed: int = 0,
) -> Fitted:
    """Fit a network to the training rows and keep the round with the lowest error on the validation rows.

    Parameters
    ----------
    inputs, outputs
        (N, D) coordinates and (N, M) vectors.
    rows
        Training and validation rows are used, test rows are not.
    hidden
        Widths of the hidden layers.
    trainer
        ``"sklearn"``, or ``"torch"`` where that is installed.
    seed
        Seed of the first weights.

    Raises
    ------
    SettingError
        If the trainer is unknown.
    MissingExtraError
        If its library is not installed.
    """
    if trainer not in TRAINERS:
        msg = f"there is no trainer {trainer!r}; choose {' or '.join(TRAINERS)}"
        raise SettingError(msg)
    known = rows.training
    centre, scale = inputs[known].mean(axis=0), float(inputs[known].std()) or 1.0
    # One scale for all outputs: they are in metres already, and larger movements count more.
    mean, spread = outputs[known].mean(axis=0), float(outputs[known].std(axis=0).max()) / 3.0 or 1.0
    x, y = (inputs - centre) / scale, (outputs - mean) / spread
    more = (_sklearn if trainer == "sklearn" else _torch)(x[known], y[known], hidden, seed)

    def network(layers: Layers) -> Network:
        return Network(layers[0], layers[1], centre, scale, mean, spread)

    errors: list[float] = []
    best, kept = network(more()), 0
    for number in range(_ROUNDS):
        latest = best if number == 0 else network(more())
        found = (latest(inputs[rows.validation]) - outputs[rows.validation]) / spread
        errors.append(float(np.mean(found * found)))
        if errors[-1] < errors[kept]:
            best, kept = latest, number
        elif number - kept >= _PATIENCE:
            break
    return Fitted(best, tuple(errors), kept)


Layers: TypeAlias = tuple[tuple[Floats, ...], tuple[Floats, ...]]
"""Weights and biases of every layer."""


def _sklearn(x: Floats, y: Floats, hidden: tuple[int, ...], seed: int) -> Callable[[], Layers]:
    """Rounds of scikit-learn's perceptron with L-BFGS, which needs a few hundred passes over this few poses."""
    require_extra("fitting a small space", "learn")
    from sklearn.neural_network import MLPRegressor

    model: Any = MLPRegressor(
        hidden_layer_sizes=hidden,
        activation="tanh",
        solver="lbfgs",
        alpha=_DECAY,
        max_iter=_ROUND,
        warm_start=True,
        random_state=seed,
    )

    def more() -> Layers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a round is meant to end before it has converged
            model.fit(x, y)
        return tuple(np.array(one) for one in model.coefs_), tuple(np.array(one) for one in model.intercepts_)

    return more


def _torch(x: Floats, y: Floats, hidden: tuple[int, ...], seed: int) -> Callable[[], Layers]:
    """Rounds of the same fit with torch."""
    try:
        import torch
    except ImportError:
        raise MissingExtraError("fitting a network by torch", "gpu") from None
    made = torch.Generator().manual_seed(seed)
    widths = (x.shape[1], *hidden, y.shape[1])
    kind = torch.float64
    weights, biases = [], []
    for a, b in itertools.pairwise(widths):
        bound = (6.0 / (a + b)) ** 0.5
        weights.append(((2.0 * torch.rand(a, b, generator=made, dtype=kind) - 1.0) * bound).requires_grad_())
        biases.append(torch.zeros(b, dtype=kind, requires_grad=True))
    inputs, wanted = torch.tensor(x, dtype=kind), torch.tensor(y, dtype=kind)
    solver = torch.optim.LBFGS(
        [*weights, *biases], max_iter=_ROUND, history_size=20, line_search_fn="strong_wolfe"
    )

    def loss() -> Any:
        solver.zero_grad()
        values = inputs
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            values = torch.tanh(values @ weight + bias)
        found = values @ weights[-1] + biases[-1]
        out = 0.5 * ((found - wanted) ** 2).mean()
        out = out + 0.5 * _DECAY / len(x) * sum((weight * weight).sum() for weight in weights)
        out.backward()
        return out

    def more() -> Layers:
        solver.step(loss)
        return tuple(one.detach().numpy().copy() for one in weights), tuple(
            one.detach().numpy().copy() for one in biases
        )

    return more
