"""Timed requests to a live player of sequences, from a table with one row per request."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from segue.library.elements import unknown
from segue.runtime.sequence_player import COMMANDS, SequenceRequest
from segue.tables import Column, by_head, one_of, rows_of, table_text

LONGEST = 3600.0
"""Most seconds of a live sequence."""
_COLUMNS = (
    Column("seconds", least=0.0, most=LONGEST),
    Column("command", "text"),
    Column("motion", "text"),
    Column("at", least=0.0, most=LONGEST, needed=False, empty=True),
    Column("priority", least=-1e6, most=1e6, needed=False, empty=True),
)


def read_requests(
    path: str | Path, motions: Collection[str], *, text: str | None = None
) -> list[tuple[float, SequenceRequest]]:
    r"""Requests from a table ``seconds,command,motion,at,priority``, each with its playing time.

    Parameters
    ----------
    path
        The file. An empty ``at`` means as soon as possible, an empty ``priority`` 0.
    motions
        Names of the existing elementary motions.
    text
        Text of the file, if it was read before.

    Raises
    ------
    FileError
        With the line: a wrong value, an unknown command or motion, seconds out of order.

    Examples
    --------
    >>> table = "seconds,command,motion,at,priority\n1.5,play,jab,,\n2,withdraw,jab,,\n"
    >>> read_requests("r.csv", {"jab"}, text=table)[0][1]
    SequenceRequest(command='play', motion='jab', at=None, priority=0)
    """
    table = by_head(rows_of(table_text(path) if text is None else text, path), path, _COLUMNS)
    seconds = table.numbers["seconds"]
    for row in np.flatnonzero(np.diff(seconds) < 0).tolist():
        raise table.error(
            row + 1, f"seconds must not fall; {seconds[row + 1]:g} comes after {seconds[row]:g}"
        )
    commands = one_of(table, "command", COMMANDS)
    nothing = np.full(len(table), np.nan)
    at, priority = (table.numbers.get(name, nothing) for name in ("at", "priority"))
    out = []
    for row, motion in enumerate(table.texts["motion"]):
        if motion not in motions:
            raise table.error(row, unknown(motion, motions))
        if not np.isnan(priority[row]) and priority[row] % 1:
            raise table.error(row, f"priority is {priority[row]:g}; give a whole number")
        if commands[row] == "withdraw" and not np.isnan(at[row]):
            raise table.error(row, "withdraw takes the next execution of a motion back; leave at empty")
        request = SequenceRequest(
            commands[row],  # type: ignore[arg-type]  # one of the words
            motion,
            None if np.isnan(at[row]) else float(at[row]),
            0 if np.isnan(priority[row]) else int(priority[row]),
        )
        out.append((float(seconds[row]), request))
    return out
