"""The command line: text in, text out.

Owns: arguments, messages, tables. May import every package, but only inside commands, so that ``segue --help`` loads
quickly.

- `wander`: wander; `make`: stitch, replay, demo, warmup; `direct`: walk
- `look`: compare, film; `measuring`: measure; `judging`: judge
- `convert`: convert
- `clean`: clean
- `replace`: replace; `loop`: loop, mirror; `floor`: floor
- `inspect`: info, samples
- `library`: library add, list, remove; `library_words`: label, tag; `library_exchange`: export, import;
  `library_match`: match, points, verdict; `library_state`: stats, check
- `learn`: learn
- `sequence`: sequence make, live, propose, info
- `study`: study designs, study stimuli, study run, study analyse, study classify,
  study power, study staircases
- `studio`: studio
- `locomotion`: locomotion build, locomotion info, steer
- `manifold`: manifold fit, manifold info, manifold make
- `verbs`: registering a verb; `helps`: the text of ``--help``; `usage`: parsing of calls, one sentence for a wrong one
- `options`: options shared by many commands: the settings of a motion, the cost
- `common`: options of every command: the encoding of text files, verbosity
- `output`: messages that name command-line options, progress and notes on stderr, one JSON document on stdout, no
  overwriting without ``--force``
"""

from __future__ import annotations

import io
import logging
import os
import sys
from typing import Any

import typer

from segue.cli import (
    clean,
    convert,
    direct,
    floor,
    inspect,
    judging,
    learn,
    library,
    library_exchange,
    library_match,
    library_state,
    library_words,
    locomotion,
    look,
    loop,
    make,
    manifold,
    measuring,
    replace,
    retarget,
    sequence,
    studio,
    study,
    wander,
)
from segue.cli.output import note, worded
from segue.cli.usage import HelpGroup
from segue.errors import SegueError
from segue.texts import shown

TRACEBACK = "SEGUE_TRACEBACK"
"""Environment variable that prints the traceback of an unexpected error."""
_SHOWN = 200


class _Stoppable(HelpGroup):
    """Commands that print a line when they are interrupted; typer itself exits silently."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("segue: stopped; nothing was left half-written", file=sys.stderr)
            raise SystemExit(130) from None


app = typer.Typer(
    name="segue",
    cls=_Stoppable,
    help="Find, make and play the transitions between captured human motions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
wander.register(app)
make.register(app)
direct.register(app)
look.register(app)
measuring.register(app)
judging.register(app)
inspect.register(app)
convert.register(app)
learn.register(app)
library.register(app)
for family in (library_words, library_exchange, library_match, library_state):
    family.register(library.library_app)
clean.register(app)
replace.register(app)
retarget.register(app)
loop.register(app)
floor.register(app)
locomotion.register(app)
sequence.register(app)
study.register(app)
manifold.register(app)
studio.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        from segue._version import __version__

        typer.echo(f"segue {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    del version


class _Notes(logging.Handler):
    """Print log records of the compiler as notes, which do not break progress bars."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        words = record.getMessage()
        note(f"segue: {words}{' (all of them now: segue warmup)' if words.startswith('compiling') else ''}")


def _tell_of_compiling() -> None:
    """Report compiling on the command line: it makes the first run seconds slower than later ones."""
    kernels = logging.getLogger("segue.kernels")
    kernels.handlers = [_Notes()]
    kernels.setLevel(logging.INFO)
    kernels.propagate = False


def _own_fault(error: Exception) -> str:
    """Return a sentence on an unexpected error: what it is, and what to include in a report."""
    words = " ".join(str(error).split())
    named = type(error).__name__ + (f": {words[:_SHOWN]}" if words else "")
    return (
        f"segue: unexpected error ({named}); please report it with the command, the input, and "
        f"the traceback that {TRACEBACK}=1 in the environment prints"
    )


def main() -> None:
    """Run the command line; an error prints one sentence and exits with 2 if a user can correct it, else with 1."""
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold a character that the terminal's encoding lacks; the result must not be lost to it.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _tell_of_compiling()
    try:
        app(prog_name="segue")
    except SegueError as error:
        print(worded(f"segue: {error}"), file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:  # most likely a full disk that stdout is redirected to
        if error.errno is None:  # not a failed system call: numba's library cannot be loaded
            raise ImportError(str(error)) from None
        where = f"{error.filename}: " if error.filename else ""
        print(shown(f"segue: {where}{error.strerror or error}"), file=sys.stderr)
        raise SystemExit(2) from None
    except MemoryError:
        print(
            "segue: the memory does not suffice; ask for fewer seconds or --fps, or fewer clips",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    except ImportError:  # `segue.__main__` reports it
        raise
    except Exception as error:  # last resort: print a sentence for any error
        if os.environ.get(TRACEBACK):
            raise
        print(_own_fault(error), file=sys.stderr)
        raise SystemExit(1) from None
