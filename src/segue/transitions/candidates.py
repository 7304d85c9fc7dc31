"""Candidates of one clip pair: every minimum of its cost matrix, judged before any threshold is known."""

from __future__ import annotations

import numpy as np

from segue.arrays import Costs, Floats, frozen
from segue.costs.protocol import Cost, Prepared
from segue.settings import SearchSettings
from segue.transitions.copies import SharedMotion, of_both_signs, shared_motion
from segue.transitions.minima import local_minima, sector_minima
from segue.transitions.pruning import Candidates, blend_cells, find_candidates
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
    """Minima of one clip pair with all that a threshold has to judge, without a threshold.

    Parameters
    ----------
    a, b
        Clips prepared by ``cost``; the same object twice means a clip against itself, where only jumps
        ahead by more than window and blend length are looked at (those that lead back are the jumps back).
    cost
        The cost that prepared them.
    settings
        How to search.
    values
        (N, M) their cost matrix, if it is known already.
    next_frame
        Next-frame costs of both clips (`segue.costs.matrix.next_frame_costs`). With them two copies of one
        motion are recognised: see ``shared`` of the result. Copies as a whole give no candidates; clips that
        share a part are joined all the same.

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

    Each leaves its clip where the blend starts and is in the other where the blend ends. Its cost is the
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
