"""A blend length for each transition by itself, where one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from segue.arrays import Floats, Ints
from segue.blending.durations import blend_length
from segue.blending.methods import Kind, LengthMethod
from segue.graph.checking import known_of
from segue.graph.matching import Matches
from segue.graph.pairs import NothingKept, StoredPairs
from segue.motion.clip import Clip
from segue.settings import Blend
from segue.synthesis.joins import JoinArrays


def with_lengths(
    matches: Matches,
    rows: Ints,
    clips: Sequence[Clip],
    *,
    blend: Blend,
    kind: Kind,
    kept: StoredPairs | None = None,
) -> Matches:
    """Give chosen rows the length that is found at their points, or as much of it as sound frames leave room for.

    Nothing changes where all lengths are the same. Lengths that are kept are taken.

    Parameters
    ----------
    matches
        From `segue.graph.matching.match` with the same ``blend`` and ``kept``.
    rows
        (P,) rows whose blend fits into the clips, rising.
    """
    if blend.length == "fixed":
        return matches
    seconds = known_of(matches, rows, NothingKept() if kept is None else kept).seconds
    joins = matches.joins
    for k in np.flatnonzero(np.isnan(seconds)):
        row = rows[k]
        seconds[k] = blend_length(
            clips[joins.a_clip[row]],
            clips[joins.b_clip[row]],
            a_frame=int(matches.a_frames[row]),
            b_frame=int(matches.b_frames[row]),
            kind=kind,
            method=cast("LengthMethod", blend.length),
        ).seconds
    fits = blend.frames(clips[0].fps)
    return replace(matches, joins=_lasting(matches, rows, seconds, clips, kind=kind, fits=fits))


def _lasting(
    matches: Matches, rows: Ints, seconds: Floats, clips: Sequence[Clip], *, kind: Kind, fits: int
) -> JoinArrays:
    """All joins, those of chosen rows with lengths of their own.

    The length ``fits``, which points were searched with, fits everywhere, and so does all that is shorter.
    """
    joins = matches.joins
    wanted = np.rint(seconds * clips[0].fps).astype(np.int64)
    few = joins.take(rows)
    while True:
        first_a, first_b = _starts(matches, rows, wanted, kind)
        few = replace(few, a_start=first_a, b_start=first_b, lengths=wanted)
        inside = few.fit(clips)
        for clip, start in ((few.a_clip, first_a), (few.b_clip, first_b)):
            inside &= matches.parts.clear(clip, start - 2, start + wanted + 2)
        too_long = ~inside & (wanted > fits)
        if not too_long.any():
            break
        wanted = wanted - too_long
    lengths, a_start, b_start = joins.each.copy(), joins.a_start.copy(), joins.b_start.copy()
    lengths[rows], a_start[rows], b_start[rows] = wanted, few.a_start, few.b_start
    return replace(
        joins,
        a_start=a_start,
        b_start=b_start,
        length=int(np.max(wanted, initial=0)) if len(rows) else joins.length,
        lengths=lengths,
    )


def _starts(matches: Matches, rows: Ints, lengths: Ints, kind: Kind) -> tuple[Ints, Ints]:
    """First frames (P,) of blends, as `segue.blending.methods.blend_starts` has them."""
    a, b = matches.a_frames[rows], matches.b_frames[rows]
    if kind == "start_end":
        return a, b - np.maximum(lengths - 1, 0)
    before = np.maximum(lengths // 2 - 1, 0)
    return a - before, b - before
