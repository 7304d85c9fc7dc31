"""Messages of the rooms below in the words of the command line: what they call ``fps=`` is ``--in-fps`` here.

Below, a message names keyword arguments, as a programmer types them. A person at the command line is advised to what
the running verb takes; where it takes no such option, to `segue convert`, which does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

READING = {
    "fps": "--in-fps",
    "unit": "--in-unit",
    "up": "--in-up",
    "root_position": "--root-position",
    "encoding": "--encoding",
}
"""Options that say how a file is to be read, by the keyword argument of `segue.load`."""
_SAME = "feet", "effort", "root", "way", "by", "turn", "heights", "hands", "body", "longest", "floor", "blend"
SETTING = {
    **{name: name for name in (*_SAME, "threshold")},
    "blend_seconds": "blend",
    "length": "blend",
    "weighting": "set weighting",
    "memory_budget": "memory",
}
"""Options that are settings, without their dashes, by the keyword argument of the functions that take them."""
PHRASES = (
    (r",? or name it (?:in Python )?with (?:load\(\.\.\., )?skeleton=\)?", ""),
    (r"; load the \.amc file and pass this as skeleton=", "; give the .amc file that lies beside it"),
    (r"; the licensed model's go in with skeleton= \(key 'J'\)", ""),
    (r" \(more are for segue\.runtime\.crowd\)", ""),
    (r", write it as \.trc or \.csv with segue\.io\.markers", ""),
    (r"; (?:mode='r' reads it|open it with mode='w' to change it)", ""),
    (r" \(in Python encoding='\w+'\)", ""),
    (r", as convert --in-fps does", ""),
    (r"; segue\.load_folder reads all of them", ""),
    (r"up= or (?=--in-up)", ""),
    (r"(there is no such file or folder)$", r"\1; segue samples -o clips/ writes some to begin with"),
    (r"\bpass (?=a lower fps=|[a-z_]+=)", "give "),
)
"""Advice that only a programmer can follow, and what stands for it here."""
_BARE = re.compile(rf"\b({'|'.join(READING)})=(?![\w'\"{{\[(-])")
_VALUED = re.compile(rf"\b({'|'.join([*SETTING, *READING])})=('[^']*'|[^\s;,)]+)")
_QUICK = re.compile(r"=|segue\.|load\(|no such file")


@dataclass
class _Verb:
    """The verb that runs, by its options."""

    options: frozenset[str] = frozenset()


_RUNNING = _Verb()


def running(options: Iterable[str]) -> None:
    """Word messages from now on for a verb with these options."""
    _RUNNING.options = frozenset(options)


def worded(text: str) -> str:
    """Return a message in the words of the command line.

    Examples
    --------
    >>> running(["--in-fps"])
    >>> worded("walk.npz: holds no frame rate; pass fps=")
    'walk.npz: holds no frame rate; give --in-fps'
    >>> worded("feet='fixed' is not known; choose 'natural' or 'locked'")
    "feet='fixed' is not known; choose 'natural' or 'locked'"
    >>> running([])
    >>> worded("up: Y, the usual one for TRC; up= overrides")
    'up: Y, the usual one for TRC; segue convert --in-up overrides'
    """
    if not _QUICK.search(text):
        return text
    for phrase, instead in PHRASES:
        text = re.sub(phrase, instead, text)
    text = _BARE.sub(lambda found: _reading(found[1]), text)
    return _VALUED.sub(_valued, text)


def _reading(name: str) -> str:
    option = READING[name]
    return option if option in _RUNNING.options else f"segue convert {option}"


def _valued(found: re.Match[str]) -> str:
    name, value = found[1], found[2].strip("'")
    option = f"--{SETTING[name]}" if name in SETTING else READING[name]
    if option.partition(" ")[0] not in _RUNNING.options:
        return found[0]
    return f"{option}={value}" if " " in option else f"{option} {value}"
