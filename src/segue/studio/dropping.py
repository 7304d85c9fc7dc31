"""Files dropped on the page: received in pieces, read like other files, and deleted at the end of the run."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from segue.errors import SegueError, SettingError
from segue.io.formats import READABLE
from segue.studio.messages import Failure, ImportView
from segue.studio.project import Project

_NAME = re.compile(r"[^\x00-\x1f/\\:*?\"<>|]{1,120}")
_COMPANIONS = (".asf", ".xml", ".bin", ".json")
"""Extensions of files that belong to a motion file, and must be dropped before it or with it."""


def drop_name(name: str) -> str:
    """Check and return the name of a dropped file.

    Raises
    ------
    SettingError
        If the name is not plain, or its format cannot be read.

    Examples
    --------
    >>> drop_name("walk.bvh")
    'walk.bvh'
    """
    plain = Path(name).name == name and _NAME.fullmatch(name) and not name.startswith(".")
    if not plain:
        raise SettingError(f"{name[:80]!r} is no name of a file that can be dropped here; rename it")
    if Path(name).suffix.lower() not in {*READABLE, *_COMPANIONS}:
        raise SettingError(f"{name[:80]} holds no motion that segue reads: it reads {', '.join(READABLE)}")
    return name


async def imported(
    project: Project, name: str, pieces: AsyncIterator[bytes], room: Path
) -> ImportView | Failure:
    """Write a dropped file into the temporary folder of this run, and add it to the project."""
    try:
        path = room / drop_name(name)
    except SettingError as error:
        return Failure(str(error))
    try:
        with path.open("wb") as file:
            async for piece in pieces:
                file.write(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if path.suffix.lower() in _COMPANIONS and path.suffix.lower() not in READABLE:
        return ImportView([], [])
    try:
        added, skipped = await run_in_threadpool(project.add_files, [path])
    except SegueError as error:
        path.unlink(missing_ok=True)
        return Failure(_not_taken(str(error), room))
    if not added and skipped:
        return Failure(_not_taken(skipped[0], room))
    return ImportView(added, [_not_taken(why, room) for why in skipped])


def _not_taken(why: str, room: Path) -> str:
    """Return a message on a refused file without the path of the temporary folder."""
    return f"not taken: {why.replace(f'{room}/', '')}"
