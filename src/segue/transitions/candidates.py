"""Candidates of one clip pair: every minimum of its cost matrix, independent of the threshold.

`Bands` finds them in bands of rows, without holding the entire matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from segue.arrays import Costs, Floats, Ints, frozen
from segue.costs.protocol import Cost, Prepared
from segue.settings import SearchSettings
from segue.transitions.copies import (
    Run,
    SharedMotion,
    limits_of,
    longer_run,
    of_both_signs,
    shared_motion,
    shared_run,
)
from segue.transitions.minima import local_minima, sector_minima
from segue.transitions.pruning import (
    Candidates,
    blend_cells,
    blend_fits,
    candidates_of,
    find_candidates,
    kept_order,
    means_along,
)
from segue.transitions.threshold import Jumps


def candidates(
    a: Prepared,
    b: Prepared,
    *,
    cost: Cost,
    settings: SearchSettings,
    values: Costs | None = None,
    next_frame: tuple[Floats, Floats] | None = None,
) -> Candidates:
    """Return the minima of one clip pair with everything a threshold needs, without applying one.

    Parameters
    ----------
    a, b
        Clips prepared by ``cost``; the same object twice means a clip against itself, where only jumps
        forward by more than window and blend length are searched (their reverses are the jumps back).
    cost
        The cost that prepared them.
    settings
        Search settings.
    values
        (N, M) their cost matrix, if already computed.
    next_frame
        Next-frame costs of both clips (`segue.costs.matrix.next_frame_costs`), needed to recognise two copies of one
        motion: see ``shared`` of the result. Complete copies give no candidates; clips that share only a part do.

    Returns
    -------
    `Candidates`; none if a clip is shorter than the window.
    """
    values = cost.matrix(a, b) if values is None else values
    rows = (-a.half_window, a.cost_frames - a.half_window)
    columns = (-b.half_window, b.cost_frames - b.half_window)
    same = a is b
    shared: SharedMotion | None = None
    if not same and next_frame is not None:
        one, other = next_frame
        found_by_cost = shared_motion(values, next_frame_a=one, next_frame_b=other, rate=a.rate)
        shared = of_both_signs(a, b, found_by_cost)
    least = settings.band(a) + 1 if same else None
    if values.size == 0 or (shared is not None and shared.whole):
        cells = np.empty((0, 2), dtype=np.int64)
    elif settings.method == "local":
        cells = local_minima(values, least=least)
    else:
        cells = sector_minima(values, settings.sector(a.rate), least=least)
    return find_candidates(
        values,
        cells,
        mode=settings.mode,
        length=settings.length(a.rate),
        rate=a.rate,
        rows=rows,
        columns=columns,
        shared=shared,
    )


def jumps(
    found: Candidates,
    a: Prepared,
    b: Prepared,
    *,
    settings: SearchSettings,
    a_index: int = 0,
    b_index: int = 1,
) -> Jumps:
    """Return every candidate in both directions as jumps between cost frames: first all A to B, then all B to A.

    Each leaves its clip where the blend starts and arrives in the other where the blend ends. Its cost is the
    lowest threshold at which it passes, infinite where its blend does not fit.
    """
    there, back = blend_cells(settings.mode, settings.length(a.rate))
    a_frame, b_frame = found.cells[:, 0] + a.first, found.cells[:, 1] + b.first
    count = len(found)
    one, other = np.full(count, a_index), np.full(count, b_index)
    return Jumps(
        frozen(np.concatenate([one, other]), np.int64),
        frozen(np.concatenate([a_frame + there.first[0], b_frame + back.first[1]]), np.int64),
        frozen(np.concatenate([other, one]), np.int64),
        frozen(
            np.concatenate(
                [b_frame + there.first[1] + there.count - 1, a_frame + back.first[0] + back.count - 1]
            ),
            np.int64,
        ),
        frozen(found.lowest.ravel()),
    )


def halo(settings: SearchSettings, rate: float) -> int:
    """Rows that a band needs above and below it: those of its points' blends and their neighbours."""
    blends = blend_cells(settings.mode, settings.length(rate))
    return max(1, *(max(-blend.first[0], blend.first[0] + blend.count - 1) for blend in blends))


class Bands:
    """Bands of one pair's costs, taken from the first row to the last, as `segue.transitions.candidates.candidates`."""

    def __init__(
        self, pair: tuple[Prepared, Prepared], settings: SearchSettings, next_frame: tuple[Floats, Floats]
    ) -> None:
        a, b = pair
        self.pair, self.settings, self.next_frame = pair, settings, next_frame
        self.length = settings.length(a.rate)
        self.least = settings.band(a) + 1 if a is b else None
        self.limits = None if a is b else limits_of(*next_frame)
        self._run = np.zeros(b.n + 1, dtype=np.int64)
        self._best: Run = (0, 0, 0)
        self._parts: list[tuple[Ints, Floats, Floats, Floats]] = []

    def ranges(self, rows: int) -> Iterator[tuple[int, int]]:
        """Row ranges of the bands, each of about ``rows`` rows; no sector spans two bands."""
        whole = self.settings.sector(self.pair[0].rate) if self.settings.method == "sectors" else 1
        step = max(1, rows // whole) * whole
        for start in range(0, self.pair[0].n, step):
            yield start, min(start + step, self.pair[0].n)

    def take(self, values: Costs, first: int, start: int, stop: int) -> None:
        """Take the band ``start`` to ``stop`` from ``values``, rows from ``first`` on that include its surroundings."""
        values = np.ascontiguousarray(values)
        if self.limits is not None:
            band = values[start - first : stop - first]
            self._best = longer_run(band, self.limits[start:stop], start, self._run, self._best)
        cells = self._minima(values, first, start, stop)
        here = cells - np.array([first, 0])
        there, back = blend_cells(self.settings.mode, self.length)
        self._parts.append(
            (
                cells,
                values[here[:, 0], here[:, 1]].astype(np.float64),
                *means_along(values, here, there, back),
            )
        )

    def _minima(self, values: Costs, first: int, start: int, stop: int) -> Ints:
        """Minima of the band's own rows; adjacent rows only serve as neighbours."""
        local = self.settings.method == "local"
        low = max(start - 1, first) if local else start
        high = min(stop + 1, first + len(values)) if local else stop
        least = None if self.least is None else self.least + low
        part = values[low - first : high - first]
        if local:
            cells = local_minima(part, least=least)
        else:
            cells = sector_minima(part, self.settings.sector(self.pair[0].rate), least=least)
        cells = cells + np.array([low, 0])
        inside: Ints = cells[(cells[:, 0] >= start) & (cells[:, 0] < stop)]
        return inside

    def finish(self, diagonal: Callable[[int, int, int], Costs]) -> Candidates:
        """Candidates after all bands; ``diagonal`` returns costs along the diagonal from a row and column."""
        a, b = self.pair
        shape, mode = (a.n, b.n), self.settings.mode
        shared = None
        if self.limits is not None:
            shared = of_both_signs(a, b, shared_run(self._best, shape, self.next_frame, a.rate, diagonal))
        cells, cost, *means = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        if shared is not None and shared.whole:
            cells, cost, *means = (part[:0] for part in (cells, cost, *means))
        order = kept_order(cells, cost, mode=mode, length=self.length, shape=shape)
        rows = (-a.half_window, a.cost_frames - a.half_window)
        columns = (-b.half_window, b.cost_frames - b.half_window)
        along = [
            np.where(blend_fits(cells[order], blend, rows=rows, columns=columns), mean[order], np.inf)
            for blend, mean in zip(blend_cells(mode, self.length), means, strict=True)
        ]
        return candidates_of(
            cells[order], cost[order], along, minima=len(cells), rate=a.rate, shape=shape, shared=shared
        )
