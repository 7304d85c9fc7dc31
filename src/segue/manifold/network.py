"""A fitted network and its evaluation in numpy, so that making motion needs no framework."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import SettingError
from segue.summaries import one_line


@one_line
@dataclass(frozen=True, eq=False)
class Network:
    """Fully connected layers with tanh between them.

    Parameters
    ----------
    weights
        One (inputs, outputs) array a layer.
    biases
        One (outputs,) array a layer.
    centre, scale
        (D,) array subtracted from an input, and number by which the result is divided.
    mean, spread
        (M,) array added to an output, after multiplication by the number.

    Raises
    ------
    SettingError
        If the shapes do not match, or a number is not finite.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> half = Network((one, one), (np.zeros(1), np.zeros(1)), np.zeros(1), 2.0, np.ones(1), 3.0)
    >>> half(np.array([[0.0], [2.0]])).round(3).tolist()
    [[1.0], [3.285]]
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    centre: Floats
    scale: float
    mean: Floats
    spread: float

    def __post_init__(self) -> None:
        """Check the layers, which may come from a file."""
        for name in ("weights", "biases"):
            object.__setattr__(self, name, tuple(frozen(one) for one in getattr(self, name)))
        for name in ("centre", "mean"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if not self.weights or len(self.weights) != len(self.biases):
            got = f"{len(self.biases)} and {len(self.weights)}"
            msg = f"a network needs as many biases as weights, at least one; got {got}"
            raise SettingError(msg)
        width = len(self.centre)
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if weight.ndim != 2 or weight.shape[0] != width or bias.shape != weight.shape[1:]:
                msg = f"layer {number} of {weight.shape} weights and {bias.shape} biases does not take {width} numbers"
                raise SettingError(msg)
            width = weight.shape[1]
        if self.mean.shape != (width,):
            msg = f"the last layer gives {width} numbers and {self.mean.shape} are added"
            raise SettingError(msg)
        arrays = (*self.weights, *self.biases, self.centre, self.mean, np.array([self.scale, self.spread]))
        if not all(np.isfinite(one).all() for one in arrays) or not self.scale > 0 or not self.spread > 0:
            msg = "a network holds finite numbers, and its scales are positive"
            raise SettingError(msg)

    @property
    def hidden(self) -> tuple[int, ...]:
        """Widths of the hidden layers."""
        return tuple(len(one) for one in self.biases[:-1])

    def __call__(self, inputs: Floats) -> Floats:
        """Return outputs (N, M) of inputs (N, D)."""
        values = (np.asarray(inputs, dtype=np.float64) - self.centre) / self.scale
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            values = np.tanh(values @ weight + bias)
        out: Floats = (values @ self.weights[-1] + self.biases[-1]) * self.spread + self.mean
        return out
