"""Told transitions: a file of them into a library, with costs and ground motions, and out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from segue.app.library.choosing import chosen
from segue.app.library.label_exchange import Imported
from segue.app.library.mogra import ToldTransition, read_mogra, write_mogra
from segue.app.library.verdicts import take_verdicts
from segue.arrays import Bools, Floats, Ints
from segue.costs.protocol import Cost, Prepared
from segue.costs.registry import cost as cost_named
from segue.errors import SegueError, SettingError
from segue.settings import SearchSettings
from segue.transitions.pruning import blend_cells
from segue.transitions.transition import TransitionPoint

if TYPE_CHECKING:
    from segue.app.library.library import Library

BY = "mogra"
"""Who told the transitions of a file."""


def import_transitions(library: Library, path: str | Path) -> Imported:
    """Take the transitions of a file with their mirrors, all or none; mirrors count as unverified.

    Cost, mean cost along a blend of a third of a second and ground motion are computed with the default cost. Near the
    ends of a clip, where no window fits, the cost is not a number.

    Raises
    ------
    FileError
        With the line that is wrong.
    SkeletonError
        If two bodies cannot be compared.
    """
    told = read_mogra(path, {entry.name: entry.n_frames for entry in library.clips()})
    known = {_way(point) for point in library.points(told=True, verified=None)}
    points = placed(library, told)
    library.tell(points, by=BY)
    words = [(one, f"{one.a_clip} {one.a_frame} to {one.b_clip} {one.b_frame}") for one in told]
    return Imported(
        tuple(word for one, word in words if one.way not in known),
        tuple(word for one, word in words if one.way in known),
    )


def _way(point: TransitionPoint) -> tuple[str, str, int, int]:
    return point.a_clip, point.b_clip, point.a_frame, point.b_frame


def placed(
    library: Library, told: Sequence[ToldTransition], *, cost: Cost | None = None
) -> tuple[TransitionPoint, ...]:
    """Told transitions as points: what each costs, and how the two clips lie on the ground there."""
    how = cost_named("point_cloud") if cost is None else cost
    names = dict.fromkeys(name for one in told for name in (one.a_clip, one.b_clip))
    prepared = {name: how.prepare(library.clip(name)) for name in names}
    by_pair: dict[tuple[str, str], list[int]] = {}
    for index, one in enumerate(told):
        by_pair.setdefault((one.a_clip, one.b_clip), []).append(index)
    out: list[TransitionPoint | None] = [None] * len(told)
    for (a, b), indices in by_pair.items():
        rows = _rows(prepared[a], [told[k].a_frame for k in indices])
        columns = _rows(prepared[b], [told[k].b_frame for k in indices])
        costs, means = _costs(how, (prepared[a], prepared[b]), rows, columns)
        for k, row, column, price, mean in zip(indices, rows, columns, costs, means, strict=True):
            place = how.alignment(prepared[a], prepared[b], int(row), int(column))
            one = told[k]
            out[k] = TransitionPoint(
                a, b, one.a_frame, one.b_frame, float(price), "aligned", place, float(mean), one.verified
            )
    return tuple(point for point in out if point is not None)


def _rows(prepared: Prepared, frames: Sequence[int]) -> Ints:
    """Row of each frame; before 0 or behind the last where no window fits around it."""
    at = np.rint(np.asarray(frames) * (prepared.rate / prepared.fps)).astype(np.int64)
    out: Ints = at - prepared.first
    return out


def _costs(how: Cost, pair: tuple[Prepared, Prepared], rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
    """Costs at points, not a number where no window fits; means along the blend where windows fit.

    Means are infinite where the blend does not fit into the clips, as the search has them.
    """
    a, b = pair
    way = blend_cells("centre", SearchSettings().length(how.rate))[0]
    steps = way.first[0] + np.arange(way.count)
    i, j = rows[:, None] + steps, columns[:, None] + steps
    inside = (i >= 0) & (i < a.n) & (j >= 0) & (j < b.n)
    cells = np.full(i.shape, np.nan)
    if inside.any():
        cells[inside] = how.pairs(a, b, i[inside], j[inside])
    middle = way.count // 2
    fits = _fits(i, a) & _fits(j, b) & inside.any(axis=1)
    means = np.full(len(rows), np.inf)
    means[fits] = np.nanmean(cells[fits], axis=1)
    return cells[:, middle], means


def _fits(rows: Ints, prepared: Prepared) -> Bools:
    """Flags of blends that lie within a clip; rows count from the first whose window fits."""
    first, last = rows[:, 0] + prepared.first, rows[:, -1] + prepared.first
    out: Bools = (first >= 0) & (last < prepared.cost_frames)
    return out


def export_transitions(
    library: Library, path: str | Path, *, names: Sequence[str] = (), overwrite: bool = True
) -> int:
    """Write the verified points between all or chosen clips, told and computed, as a file; return how many.

    Raises
    ------
    SettingError
        If there is none.
    """
    entries = {entry.name: number for number, entry in enumerate(chosen(library, names))}
    points = [point for point in library.points() if point.a_clip in entries and point.b_clip in entries]
    if not points:
        msg = (
            f"{library.path}: holds no verified transition between these clips; segue library match "
            f"{library.path} finds some, segue library import takes some from a file"
        )
        raise SettingError(msg)
    points.sort(key=lambda p: (entries[p.a_clip], entries[p.b_clip], p.a_frame, p.b_frame))
    told = [ToldTransition(p.a_clip, p.b_clip, p.a_frame, p.b_frame) for p in points]
    return write_mogra(told, path, overwrite=overwrite)


def take_told_points(library: Library, other: Library, names: Mapping[str, str]) -> int:
    """Take what was told of transitions in another library; ``names`` maps its clips to those of this one.

    What a person called good or bad there is good or bad here, unless he said otherwise here.
    """
    try:
        points = other.points(told=True, verified=None)
        take_verdicts(library.store, other.store, names)
    except SegueError:  # a damaged table: what was told there is lost, the clips are not
        return 0
    ours = [
        replace(point, a_clip=names[point.a_clip], b_clip=names[point.b_clip])
        for point in points
        if point.a_clip in names and point.b_clip in names
    ]
    return library.tell(ours, by=other.path.name) if ours else 0
