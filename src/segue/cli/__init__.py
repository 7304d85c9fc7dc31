"""The command line: text in, text out.

Owns: arguments, messages, tables. May import every room, but only inside commands: ``segue --help`` loads nothing
heavy.

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
- `verbs`: how a verb joins, in one line; `helps`: what ``--help`` prints; `usage`: how a verb reads what was typed,
  wrong calls in one sentence
- `options`: options of many commands: the settings of a motion, how moments are compared
- `common`: options of every command: the encoding of text files, how much is printed
- `output`: messages in the words of options, progress and notes on stderr, one JSON document on stdout, no
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
"""Variable of the environment that lets an error that no one foresaw show where it came from."""
_SHOWN = 200


class _Stoppable(HelpGroup):
    """Commands that say so when a person stops them; typer itself leaves without a word."""

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
    """What compiling logs, as a note: beside the bars where there are some."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        words = record.getMessage()
        note(f"segue: {words}{' (all of them now: segue warmup)' if words.startswith('compiling') else ''}")


def _tell_of_compiling() -> None:
    """A first run is seconds slower than all later ones: on the command line that is said."""
    kernels = logging.getLogger("segue.kernels")
    kernels.handlers = [_Notes()]
    kernels.setLevel(logging.INFO)
    kernels.propagate = False


def _own_fault(error: Exception) -> str:
    """Sentence about an error that no one foresaw: what it is, and what helps to mend it."""
    words = " ".join(str(error).split())
    named = type(error).__name__ + (f": {words[:_SHOWN]}" if words else "")
    return (
        f"segue: failed on something it did not foresee ({named}); please report it with the command, the input, and "
        f"the traceback that {TRACEBACK}=1 in the environment prints"
    )


def main() -> None:
    """Run the command line; an error a user can put right is one sentence and exit code 2, a fault of segue's 1."""
    for stream in (sys.stdout, sys.stderr):
        # Names of files hold what a terminal's encoding may not know; a result is not lost for one letter.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _tell_of_compiling()
    try:
        app(prog_name="segue")
    except SegueError as error:
        print(worded(f"segue: {error}"), file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:  # a full disk, most likely behind stdout
        if error.errno is None:  # no call of the system failed: numba's library cannot be loaded
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
    except ImportError:  # `segue.__main__` has a sentence for it
        raise
    except Exception as error:  # the last net: people get a sentence, whatever happened
        if os.environ.get(TRACEBACK):
            raise
        print(_own_fault(error), file=sys.stderr)
        raise SystemExit(1) from None
