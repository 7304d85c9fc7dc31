"""No transition touches a frame that holds no motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segue.arrays import Bools, Ints, frozen
from segue.costs.protocol import Prepared
from segue.motion.clip import Clip
from segue.motion.faults import carried_flags, unusable_frames
from segue.transitions.pruning import BlendCells, Candidates


def away_from_faults(
    found: Candidates,
    clips: tuple[Clip, Clip],
    prepared: tuple[Prepared, Prepared],
    blends: Sequence[BlendCells],
) -> Candidates:
    """Candidates whose blends over unusable frames of either clip cost infinitely much.

    A blend is over such a frame when it shows it, or the window around its point compared it. ``blends`` are the
    cells of the blend there and back.
    """
    counts = [_running_count(clip, one) for clip, one in zip(clips, prepared, strict=True)]
    if not any(count[-1] for count in counts):
        return found
    sound = np.stack([_sound(found.cells, blend, counts, prepared) for blend in blends])
    return replace(found, diagonal=frozen(np.where(sound, found.diagonal, np.inf)))


def _running_count(clip: Clip, prepared: Prepared) -> Ints:
    """Unusable frames before each frame at the cost's rate, and their sum at the end."""
    flags = carried_flags(
        unusable_frames(clip), ratio=clip.fps / prepared.rate, n_frames=prepared.cost_frames
    )
    return np.concatenate([[0], np.cumsum(flags)])


def _sound(cells: Ints, blend: BlendCells, counts: list[Ints], prepared: tuple[Prepared, Prepared]) -> Bools:
    out = np.ones(len(cells), dtype=bool)
    for side, (count, one) in enumerate(zip(counts, prepared, strict=True)):
        at = cells[:, side] + one.half_window
        first = at + min(blend.first[side], -one.half_window)
        last = at + max(blend.first[side] + blend.count, one.half_window + one.ahead + 1)
        low, high = (np.clip(edge, 0, len(count) - 1) for edge in (first, last))
        out &= count[low] == count[high]
    return out
