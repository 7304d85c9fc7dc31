"""Names that occur once."""

from __future__ import annotations

from collections.abc import Sequence


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
