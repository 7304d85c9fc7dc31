"""Names that occur once, and names that a format can hold."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from segue.texts import shown

_log = logging.getLogger("segue.io")
_LISTED = 3
"""Changed names that a warning shows; the others are counted."""


def each_once(names: Sequence[str], *, otherwise: str) -> list[str]:
    """Names without blanks around them, repeated ones numbered; empty ones are called ``otherwise``.

    Examples
    --------
    >>> each_once(["hand", "hand ", "", "hand_2"], otherwise="joint")
    ['hand', 'hand_2', 'joint', 'hand_2_2']
    """
    out: list[str] = []
    taken: set[str] = set()
    last: dict[str, int] = {}
    for name in names:
        plain = unique = name.strip() or otherwise
        number = last.get(plain, 1)
        while unique in taken:
            number += 1
            unique = f"{plain}_{number}"
        last[plain] = number
        taken.add(unique)
        out.append(unique)
    return out


def written_names(names: Sequence[str], refused: re.Pattern[str], *, path: Path) -> list[str]:
    r"""Names with ``_`` for what a format cannot hold, each once; a warning is logged where one is changed.

    Parameters
    ----------
    names
        Names of joints.
    refused
        What the format cannot hold.
    path
        File that is written, for the warning.

    Examples
    --------
    >>> written_names(["hip", "knee"], re.compile(r"\s+"), path=Path("out.bvh"))
    ['hip', 'knee']
    """
    out = each_once([refused.sub("_", name) for name in names], otherwise="joint")
    changed = [(old, new) for old, new in zip(names, out, strict=True) if old != new]
    if changed:
        listed = ", ".join(f"{shown(old)!r} as {shown(new)!r}" for old, new in changed[:_LISTED])
        more = f" and {len(changed) - _LISTED} more" if len(changed) > _LISTED else ""
        _log.warning("%s: joints are written under other names: %s%s", shown(str(path)), listed, more)
    return out
