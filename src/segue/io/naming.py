"""Make names unique and valid in a format."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from segue.texts import shown

_log = logging.getLogger("segue.io")
_LISTED = 3
"""Changed names that a warning lists; the others are only counted."""


def each_once(names: Sequence[str], *, otherwise: str) -> list[str]:
    """Strip blanks around names and number repeated ones; empty names become ``otherwise``.

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
    r"""Replace characters that a format cannot hold by ``_`` and make names unique; changes are logged as a warning.

    Parameters
    ----------
    names
        Names of joints.
    refused
        Characters that the format cannot hold.
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
