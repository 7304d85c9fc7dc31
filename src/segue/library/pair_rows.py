"""Compared pairs as rows of a library: `LibraryPairs` is the store that graphs query.

The pairs of a tile are written in one transaction; results for clips and points are collected for a quarter of a second
and then written in one. A killed process loses at most these and the tiles in progress, and matching continues where it
stopped.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Annotated, Any, NamedTuple, Self

import msgspec
import numpy as np

from segue.arrays import Ints
from segue.documents import as_kind
from segue.errors import FileError
from segue.graph.pairs import CheckedPoints, ClipMatch, Comparison, PairJumps
from segue.library.connection import Store
from segue.library.rows import (
    clip_match_of,
    comparison_document,
    floats,
    hold_against,
    ints,
    pair_of,
    ruled_out,
    setting_id,
    write_points,
    write_ruled_out,
    write_setting,
)
from segue.motion.clip import Clip
from segue.motion.cyclic import period_played
from segue.transitions.pruning import Candidates
from segue.transitions.threshold import Threshold, given_threshold

BATCH = 0.25
"""Seconds of results in a transaction, except a tile's pairs: the most that is lost and that another writer waits."""


_Number = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class _Point(NamedTuple):
    """Columns of the row of a point that are read."""

    row: Annotated[int, msgspec.Meta(ge=0)]
    turn: _Number
    x: _Number
    z: _Number
    badness: float | None
    blend_seconds: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)]


class LibraryPairs:
    """Pairs of a library's clips; a `segue.graph.pairs.PairStore`.

    Parameters
    ----------
    store
        The open library. If opened for reading, nothing is stored.
    clip_id
        Returns the id of a clip, None for clips that are not in the library, for which nothing is stored.
    must_keep
        Whether a failure to write results raises; otherwise ``trouble`` has its message and writing ends.
    verdicts
        Verdicts on points: clip and frame left, clip and frame entered, good or bad, with the clips' names in the
        graph; by default the library's.
    """

    def __init__(
        self,
        store: Store,
        clip_id: Callable[[Clip], int | None],
        *,
        must_keep: bool = True,
        verdicts: Sequence[Sequence[Any]] | None = None,
    ) -> None:
        self.store = store
        self.verdicts = verdicts
        self.document = ""
        self.trouble = ""
        self.new_pairs = 0
        self.kept_pairs = 0
        self._clip_id = clip_id
        self._must_keep = must_keep
        self._waiting: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._since = time.monotonic()

    def bound(self, clips: Sequence[Clip], comparison: Comparison) -> LibraryKept:
        """Return the stored results for these clips under these settings."""
        self.document = comparison_document(comparison)
        return LibraryKept(self, clips, [self._clip_id(clip) for clip in clips], comparison)

    def hold(self, action: Callable[..., None], *values: Any) -> None:
        """Queue a write for the next `flush`."""
        if self.store.mode == "r" or self.trouble:
            return
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append((action, values))

    def write(self, action: Callable[..., None], *values: Any) -> None:
        """Queue a write; flush if the oldest one has waited longer than `BATCH`."""
        self.hold(action, *values)
        if self._waiting and time.monotonic() - self._since > BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the queue in one transaction."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            with self.store.writing() as db:
                for action, values in waiting:
                    action(db, *values)
        except FileError as error:
            if self._must_keep:
                raise
            self.trouble = str(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the queue, also if the work was interrupted."""
        self.flush()


class _Stored(NamedTuple):
    """Row of a pair; ``turned`` if its clips are stored in the opposite order."""

    id: int
    turned: bool


def _drop_pair(db: sqlite3.Connection, row: int) -> None:
    db.execute("DELETE FROM pair WHERE id = ?", (row,))


class LibraryKept:
    """Results stored in a library for the clips of one graph; a `segue.graph.pairs.StoredPairs`."""

    def __init__(
        self, owner: LibraryPairs, clips: Sequence[Clip], ids: Sequence[int | None], comparison: Comparison
    ) -> None:
        self.owner = owner
        self.document = owner.document
        self.setting: int | None = None
        first = {clip: number for number, clip in reversed(list(enumerate(ids)))}
        self._ids = [clip if first[clip] == number else None for number, clip in enumerate(ids)]
        self._sources = [(clip.fps / comparison.fps, clip.n_frames - 1) for clip in clips]
        self._periods = [period_played(clip) for clip in clips]
        self._kind = "aligned" if comparison.search.mode == "centre" else "start_end"
        self._clips: dict[int, ClipMatch] = {}
        self._stored: dict[tuple[int, int], _Stored] = {}
        self._verdicts: dict[tuple[int, int], list[tuple[int, int, bool]]] = {}
        with owner.store.reading() as db:
            self._read(db)
            self._hear(db, [clip.name for clip in clips])

    def _read(self, db: sqlite3.Connection) -> None:
        """Read stored data of clips and ids of pairs; the caller holds a transaction."""
        number_of = {clip: number for number, clip in enumerate(self._ids) if clip is not None}
        self.setting = setting_id(self.owner.store, self.document)
        if self.setting is None:
            return
        for clip, frames, steps in db.execute(
            "SELECT clip_id, frames, next_frame FROM compared WHERE setting_id = ?", (self.setting,)
        ):
            if clip in number_of and (found := clip_match_of(frames, steps)) is not None:
                self._clips[number_of[clip]] = found
        for a, b, row in db.execute(
            "SELECT a_clip, b_clip, id FROM pair WHERE setting_id = ? ORDER BY id", (self.setting,)
        ):
            if a in number_of and b in number_of:
                one, other = number_of[a], number_of[b]
                key = min(one, other), max(one, other)
                self._stored.setdefault(key, _Stored(row, one > other))

    def _hear(self, db: sqlite3.Connection, names: Sequence[str]) -> None:
        """Read the verdicts, by numbers of the clips."""
        reported: Iterable[Sequence[Any]] = self.owner.verdicts or ()
        number_of: dict[Any, int] = {name: number for number, name in enumerate(names)}
        if self.owner.verdicts is None:
            reported = db.execute("SELECT a_clip, a_frame, b_clip, b_frame, good FROM verdict")
            number_of = {clip: number for number, clip in enumerate(self._ids)}
        for a, a_frame, b, b_frame, good in reported:
            if a in number_of and b in number_of:
                key = number_of[a], number_of[b]
                self._verdicts.setdefault(key, []).append((a_frame, b_frame, good))

    def clip(self, number: int) -> ClipMatch | None:
        """Return the stored data of a clip."""
        return self._clips.get(number)

    def keep_clip(self, number: int, found: ClipMatch) -> None:
        """Store the data of a clip."""
        self._clips[number] = found
        if (clip := self._ids[number]) is not None:
            self.owner.write(self._write_clip, clip, found)

    def pair(self, a: int, b: int) -> Candidates | None:
        """Return the points of a pair; one stored in the opposite order is transposed."""
        stored, clips = self._stored.get((a, b)), self._rows_of(a, b)
        if stored is None or clips is None:
            return None
        with self.owner.store.reading() as db:
            row = db.execute(
                "SELECT minima, copies, cells, costs, diagonal, once FROM pair "
                "WHERE setting_id = ? AND a_clip = ? AND b_clip = ?",
                (self.setting, *(clips[::-1] if stored.turned else clips)),
            ).fetchone()
        if row is None or (found := pair_of(*row)) is None:
            return None
        self.owner.kept_pairs += 1
        return found.turned if stored.turned else found

    def pairs(self) -> Iterable[tuple[int, int]]:
        """Return the pairs that have a row."""
        return tuple(self._stored)

    def ruled_out(self, below: Threshold) -> tuple[frozenset[int], Threshold]:
        """Return the clips whose pairs without a row have no point at or below a threshold, and that threshold."""
        with self.owner.store.reading():
            limit, rows = ruled_out(self.owner.store, self.document)
        if limit < below.value:
            return frozenset(), below
        known = frozenset(rows)
        return frozenset(number for number, clip in enumerate(self._ids) if clip in known), given_threshold(
            limit
        )

    def keep_ruled_out(self, below: Threshold, clips: Sequence[int]) -> None:
        """Store that pairs of these clips without a row have no point at or below a threshold."""
        rows = [clip for number in clips if (clip := self._ids[number]) is not None]
        self.owner.hold(write_ruled_out, self.document, below.value, rows)
        self.owner.flush()

    def keep_pairs(self, found: Sequence[tuple[tuple[int, int], Candidates]]) -> None:
        """Store the points of pairs in one transaction."""
        for (a, b), points in found:
            self.owner.new_pairs += 1
            if (damaged := self._stored.pop((a, b), None)) is not None:
                self.owner.hold(_drop_pair, damaged.id)
            if (clips := self._rows_of(a, b)) is not None:
                self.owner.hold(self._write_pair, clips, points)
        self.owner.flush()

    def checked(self, jumps: PairJumps) -> CheckedPoints | None:
        """Return the stored results for jumps of a pair, with a person's verdicts on them."""
        out = CheckedPoints.nothing(len(jumps.number))
        if (stored := self._stored.get(jumps.clips)) is not None:
            place = {number: k for k, number in enumerate(_numbers(jumps, stored).tolist())}
            with self.owner.store.reading() as db:
                for values in db.execute(
                    f"SELECT {', '.join(_Point._fields)} FROM point WHERE pair_id = ?", (stored.id,)
                ):
                    path = self.owner.store.path
                    point = as_kind(values, _Point, path, what="the row of a transition point")
                    if (k := place.get(point.row)) is not None:
                        out.alignment[k] = point.turn, point.x, point.z
                        out.seconds[k] = point.blend_seconds
                        out.share[k] = np.nan if point.badness is None else point.badness
        self._judge(jumps, out)
        return out

    def _judge(self, jumps: PairJumps, out: CheckedPoints) -> None:
        a, b = jumps.clips
        for back, key in enumerate(((a, b), (b, a))):
            if verdicts := self._verdicts.get(key):
                left, entered = self._own_frames(jumps)
                for a_frame, b_frame, good in verdicts:
                    hit = (left == a_frame) & (entered == b_frame) & (jumps.back == bool(back))
                    (out.good if good else out.bad)[hit] = True

    def keep_checked(self, jumps: PairJumps, found: CheckedPoints) -> None:
        """Store the results for jumps of a pair."""
        clips = self._rows_of(*jumps.clips)
        if clips is None:
            return
        stored = self._stored.get(jumps.clips, _Stored(0, False))
        ends = np.array(clips)[np.where(jumps.back, [[1], [0]], [[0], [1]])]
        columns = (
            *(_numbers(jumps, stored), *ends, *self._own_frames(jumps), jumps.cost, jumps.diagonal),
            *(*found.alignment.T, found.seconds, found.share),
        )
        points = list(zip(*(column.tolist() for column in columns), strict=True))
        self.owner.write(self._write_points, clips[::-1] if stored.turned else clips, points)

    def _rows_of(self, a: int, b: int) -> tuple[int, int] | None:
        """Return the ids of two clips; None if the library lacks one."""
        one, other = self._ids[a], self._ids[b]
        return None if one is None or other is None else (one, other)

    def _own_frames(self, jumps: PairJumps) -> Ints:
        """Return frames (2, N) of the clips left and entered, each at its own rate."""
        ends = np.where(jumps.back, [[1], [0]], [[0], [1]])
        out = np.empty((2, len(jumps.number)), dtype=np.int64)
        for side, number in enumerate(jumps.clips):
            mine = ends == side
            ratio, last = self._sources[number]
            frames = np.rint(self._clips[number].frames[jumps.rows.T[mine]] * ratio)
            period = self._periods[number]
            out[mine] = np.minimum(frames, last) if period is None else np.mod(frames, period.n_frames)
        return out

    def _own_setting(self) -> int:
        """Return the id of the setting, whose row is written with the first result."""
        self.setting = write_setting(self.owner.store, self.document)
        return self.setting

    def _write_clip(self, db: sqlite3.Connection, clip: int, found: ClipMatch) -> None:
        db.execute(
            "INSERT OR REPLACE INTO compared SELECT ?, id, ?, ? FROM clip WHERE id = ? AND current",
            (self._own_setting(), ints(found.frames), floats(found.next_frame), clip),
        )

    def _write_pair(self, db: sqlite3.Connection, clips: tuple[int, int], found: Candidates) -> None:
        """Write a pair, unless another process did or a clip was removed or changed meanwhile."""
        values = (
            found.minima,
            found.copies,
            ints(found.cells),
            *(floats(part) for part in (found.cost, found.diagonal, found.once)),
        )
        db.execute(
            "INSERT INTO pair (setting_id, a_clip, b_clip, minima, copies, cells, costs, diagonal, once) "
            "SELECT ?, a.id, b.id, ?, ?, ?, ?, ?, ? FROM clip a, clip b WHERE a.id = ? AND b.id = ? "
            "AND a.current AND b.current ON CONFLICT DO NOTHING",
            (self._own_setting(), *values, *clips),
        )

    def _write_points(
        self, db: sqlite3.Connection, clips: tuple[int, int], points: Sequence[tuple[Any, ...]]
    ) -> None:
        """Write checked points, verified by the setting's threshold and a person's verdicts."""
        setting = self._own_setting()
        pair = db.execute(
            "SELECT pair.id, threshold FROM pair JOIN setting ON setting.id = setting_id "
            "WHERE setting_id = ? AND a_clip = ? AND b_clip = ?",
            (setting, *clips),
        ).fetchone()
        if pair is None:
            return
        write_points(db, (pair[0], setting), points, self._kind)
        hold_against(db, pair[1], "pair_id", pair[0])


def _numbers(jumps: PairJumps, stored: _Stored) -> Ints:
    """Return (N,) numbers of jumps in a pair's row; if it is turned, the jumps back come first there."""
    return (jumps.number + jumps.points * stored.turned) % max(2 * jumps.points, 1)
