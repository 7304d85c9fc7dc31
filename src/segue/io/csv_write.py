"""Write CSV: one row per frame with the time, root position and joint rotations, for spreadsheets and robots.

The table holds the motion without the body; `mujoco_write` and `npz_segue` write both.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.io import units
from segue.io.channels import check_rotations
from segue.io.text import decimal, write_whole
from segue.maths.quaternions import normalise, unroll
from segue.motion.clip import Clip

_PLACES = 9
"""Decimals of seconds, metres and quaternion components: a nanometre, and 1e-7 degrees."""


def write_csv(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as a table.

    Columns: ``time`` in seconds from 0; ``root_x, root_y, root_z`` in metres, Y up; then for every joint its
    rotation relative to its parent as a unit quaternion ``<joint>_qw, _qx, _qy, _qz``, the root's relative to
    the ground. Signs are chosen so that the quaternions are continuous from row to row.

    Raises
    ------
    FileError
        If a rotation is no unit quaternion or the file cannot be written.

    Examples
    --------
    >>> import segue, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "walk.csv"
    >>> write_csv(segue.sample("walk"), path)
    >>> path.read_text().splitlines()[0].split(",")[:6]
    ['time', 'root_x', 'root_y', 'root_z', 'Hips_qw', 'Hips_qx']
    """
    check_rotations(clip, path)
    joints = range(clip.skeleton.n_joints)
    names = ["time", *column_names([clip.skeleton.names[joint] for joint in joints])]
    write_whole(path, table_text(names, timed(clip, motion_rows(clip, joints))), overwrite=overwrite)


def column_names(joints: Sequence[str]) -> list[str]:
    """Return the names of the columns of `motion_rows` for these joints."""
    return [
        *(f"root_{axis}" for axis in "xyz"),
        *(f"{joint}_q{part}" for joint in joints for part in "wxyz"),
    ]


def motion_rows(clip: Clip, joints: Sequence[int], *, up: str = "Y") -> Floats:
    """Rows (F, 3 + 4 J): root position in metres and the joints' local quaternions, with Y or Z up."""
    turns = units.rotations_from_y_up(unroll(normalise(clip.rotations)), up=up)
    places = units.from_y_up(clip.root_positions, up=up)
    return np.concatenate([places, turns[:, list(joints)].reshape(clip.n_frames, -1)], axis=1)


def timed(clip: Clip, rows: Floats) -> Floats:
    """Prepend the time of each frame to its row."""
    return np.column_stack([np.arange(clip.n_frames) / clip.fps, rows])


def table_text(names: Sequence[str], rows: Floats) -> bytes:
    """CSV text: a header (quoted if a name holds a comma), then numbers with a decimal point, lines ended by LF."""
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(names)
    # Round and remove negative zero, so that equal motions give equal text.
    values = np.round(rows, _PLACES) + 0.0
    pattern = ",".join(["%.15g"] * rows.shape[1])
    lines = [decimal(pattern % tuple(row)) for row in values.tolist()]
    return (head.getvalue() + "\n".join(lines) + "\n").encode()
