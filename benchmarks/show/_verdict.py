"""Lines of measured number, bar and verdict, and an exit status that records failures."""

from __future__ import annotations

import operator
import re
import sys
from typing import NoReturn

_JUDGES = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "=": operator.eq}
_BAR = re.compile(r"(<=|<|>=|>|=) (-?[\d,]*\.?\d+(?:e[-+]?\d+)?)(?: \S+)?")
"""A bar that can be evaluated: a comparison, a number, and optionally a unit."""


class Verdicts:
    """Checks of one script: `check` prints a line, `finish` exits with 1 if any failed."""

    def __init__(self, title: str = "") -> None:
        self.missed: list[str] = []
        self.checks: list[dict[str, object]] = []
        self.notes: list[str] = []
        if title:
            print(title)

    def check(self, label: str, value: object, bar: object, ok: object = None, unit: str = "") -> bool:
        """Print the measured value, the bar, and PASS or FAIL.

        Without ``ok`` the bar decides: ``"<= 5"``, ``"< 0.3 s"``, ``"= 0"``.
        """
        good = judged(value, str(bar)) if ok is None else bool(ok)
        self.checks.append({"label": label, "value": value, "unit": unit, "bar": str(bar), "pass": good})
        if not good:
            self.missed.append(label)
        shown = f"{_shown(value)} {unit}".rstrip()
        print(f"  {label:<58} {shown:>18}   bar {_shown(bar):<20} {'PASS' if good else 'FAIL'}", flush=True)
        return good

    def note(self, text: str) -> None:
        """Print a line without a bar."""
        self.notes.append(text)
        print(f"  {text}", flush=True)

    def finish(self) -> NoReturn:
        """Print the verdict of the script and exit with its status."""
        if self.missed:
            print(f"FAIL: {len(self.missed)} of {len(self.checks)} missed: {'; '.join(self.missed)}")
            sys.exit(1)
        print(f"PASS: {len(self.checks)} of {len(self.checks)}")
        sys.exit(0)


def judged(value: object, bar: str) -> bool:
    """Return whether a number meets a bar.

    Raises
    ------
    ValueError
        If the bar is not a comparison with a number: such a check needs its own verdict.
    """
    found = _BAR.fullmatch(bar)
    if found is None:
        msg = f"the bar {bar!r} is no comparison with a number; write one, as in '<= 5', or give ok="
        raise ValueError(msg)
    return bool(_JUDGES[found[1]](value, float(found[2].replace(",", ""))))


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
