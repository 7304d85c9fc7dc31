"""``python -m segue`` and ``segue``: the process of the command line, from its first import to its exit code.

An interrupt or a lack of memory may occur before the command line is imported, so this module imports at its top only
what Python has loaded anyway.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


class _Ended(SystemExit):
    """A signal asks this process to end; an exception, so that partly written files are removed while it unwinds."""


def _end(number: int, frame: Any) -> None:
    del frame
    raise _Ended(128 + number)


def _take_streams() -> None:
    """Open closed standard streams on the null device: the next file opened would take their number and the output."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process


def main() -> None:
    """Run the command line; an interrupt, a signal to end and a lack of memory each print one sentence."""
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
