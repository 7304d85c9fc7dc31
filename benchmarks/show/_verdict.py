"""Lines of measured number, bar and verdict, and an exit status that remembers a miss."""

from __future__ import annotations

import sys
from typing import NoReturn


class Verdicts:
    """Collects checks of one script: `check` prints a line, `finish` exits 1 if any was missed."""

    def __init__(self, title: str = "") -> None:
        self.missed: list[str] = []
        self.count = 0
        if title:
            print(title)

    def check(self, label: str, value: object, bar: object, ok: object, unit: str = "") -> bool:
        """Print what was measured, the bar, and PASS or FAIL."""
        good = bool(ok)
        self.count += 1
        if not good:
            self.missed.append(label)
        shown = f"{_shown(value)} {unit}".rstrip()
        print(f"  {label:<58} {shown:>18}   bar {_shown(bar):<20} {'PASS' if good else 'FAIL'}", flush=True)
        return good

    def note(self, text: str) -> None:
        """Print a line that has no bar."""
        print(f"  {text}", flush=True)

    def finish(self) -> NoReturn:
        """Print the verdict of the whole script and leave with its exit status."""
        if self.missed:
            print(f"FAIL: {len(self.missed)} of {self.count} missed: {'; '.join(self.missed)}")
            sys.exit(1)
        print(f"PASS: {self.count} of {self.count}")
        sys.exit(0)


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
