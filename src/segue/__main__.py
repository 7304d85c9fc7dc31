"""``python -m segue`` and ``segue``: the command line as a process, from its first import to its exit code.

Interrupts and missing memory may come before the command line itself is loaded, so nothing is imported up here that
is not loaded anyway.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


class _Ended(SystemExit):
    """Another process asks this one to end: what is half-written is removed on the way out."""


def _end(number: int, frame: Any) -> None:
    del frame
    raise _Ended(128 + number)


def _take_streams() -> None:
    """Give closed streams a place to go to: the next file opened would take their number and what is printed."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process


def main() -> None:
    """Run the command line; an interrupt, a request to end and missing memory are one sentence each."""
    _take_streams()
    for name in ("SIGTERM", "SIGHUP"):
        wanted = getattr(signal, name, None)
        if wanted is not None and signal.getsignal(wanted) is signal.SIG_DFL:
            signal.signal(wanted, _end)
    try:
        from segue.cli import main as command_line

        command_line()
    except (KeyboardInterrupt, _Ended) as error:
        sys.stderr.write("segue: stopped; nothing was left half-written\n")
        raise SystemExit(error.code if isinstance(error, _Ended) else 130) from None
    except ImportError as error:
        words = [line.strip() for line in str(error.__cause__ or error).splitlines() if line.strip()]
        why = words[-1] if words else "no reason given"
        sys.stderr.write(
            f"segue: a library cannot be loaded ({why}): more memory is needed, or a new installation\n"
        )
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
