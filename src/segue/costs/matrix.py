"""Cost matrices between clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, frozen
from segue.costs.protocol import Cost, Prepared
from segue.errors import SettingError, loaded
from segue.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class CostMatrix:
    """Costs of every moment of clip a against every moment of clip b.

    Parameters
    ----------
    values
        (N, M) costs in the unit of the cost.
    a_frames, b_frames
        (N,) and (M,) frame of the source clip, at its own rate, in the middle of each row's or column's window.
    rate
        Frames a second between neighbouring rows and columns.
    cost
        Cost and settings used.
    a_name, b_name
        Names of the clips.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=segue.PointCloudCost())
    >>> matrix.a_frames[:3].tolist()
    [10, 12, 14]
    """

    values: Costs
    a_frames: Ints
    b_frames: Ints
    rate: float
    cost: Cost
    a_name: str
    b_name: str

    def __repr__(self) -> str:
        return (
            f"<CostMatrix {self.a_name!r} by {self.b_name!r} {self.values.shape}, {self.rate:g} rows a second, "
            f"{type(self.cost).__name__}>"
        )


def cost_matrix(a: Clip, b: Clip, *, cost: Cost) -> CostMatrix:
    """Compare every moment of clip ``a`` with every moment of clip ``b``.

    Clips shorter than the cost's window give a matrix without rows or columns.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=segue.cost("point_cloud"))
    >>> matrix.values.shape == (matrix.a_frames.size, matrix.b_frames.size)
    True
    """
    loaded(a, b)
    prepared = cost.prepare(a)
    return matrix_between(prepared, prepared if b is a else cost.prepare(b), cost=cost)


def matrix_between(a: Prepared, b: Prepared, *, cost: Cost) -> CostMatrix:
    """Cost matrix of two prepared clips."""
    values = cost.matrix(a, b)
    values.flags.writeable = False
    return CostMatrix(values, a.frames, b.frames, cost.rate, cost, a.name, b.name)


def prepare_all(clips: Iterable[Clip], cost: Cost) -> tuple[Prepared, ...]:
    """Prepare every clip once, in order; clips too short for the window have ``n == 0``."""
    return tuple(cost.prepare(clip) for clip in clips)


def next_frame_costs(prepared: Prepared, cost: Cost) -> Floats:
    """Cost (n-1,) of each moment against the next one: the cost of a step of continuous motion."""
    rows = np.arange(max(prepared.n - 1, 0))
    return frozen(cost.pairs(prepared, prepared, rows, rows + 1))


def median_next_frame_cost(clips: Sequence[Floats]) -> float:
    """Median of the next-frame costs of several clips; NaN if no clip has two moments.

    Examples
    --------
    >>> import numpy as np
    >>> median_next_frame_cost([np.array([0.1, 0.2]), np.zeros(0), np.array([0.3])])
    0.2
    """
    steps = np.concatenate([np.zeros(0), *clips])
    return float(np.median(steps)) if steps.size else float("nan")


def require_rows(prepared: Prepared) -> None:
    """Refuse a clip that is shorter than the window.

    Raises
    ------
    SettingError
        Names the clip, its frames and the frames that the window needs.
    """
    sentence = prepared.too_short()
    if sentence is not None:
        raise SettingError(sentence.removesuffix(": skipped") + "; use a longer clip or a shorter window")


def least_cell(values: Costs, allowed: Bools | None = None) -> tuple[int, int] | None:
    """Row and column of the least allowed cell of a matrix (N, M), the first of equals; None if no cell is allowed.

    Examples
    --------
    >>> import numpy as np
    >>> least_cell(np.array([[3.0, 1.0], [2.0, 4.0]]), np.array([[True, False], [True, True]]))
    (1, 0)
    """
    looked = values if allowed is None else np.where(allowed, values, np.inf)
    if not looked.size:
        return None
    row, column = np.unravel_index(int(np.argmin(looked)), looked.shape)
    return (int(row), int(column)) if np.isfinite(looked[row, column]) else None
