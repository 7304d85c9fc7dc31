"""Read and write the HIERARCHY part of a BVH file: joints, offsets, channels, end sites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from segue.errors import FileError
from segue.io.text import LONGEST, TextFile, decimal, length

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
USUAL_DECIMALS = 8
"""Decimals of degrees to write unless the clip's own file has more."""
_BRACES = re.compile(r"([{}])")
_BEFORE_CHANNELS = re.compile(r"\s+(?=channels\s+\d)", re.IGNORECASE)
_END_SITE = re.compile(r"end(?:[_-]?site.*)?:?", re.IGNORECASE)
_SPELLING = {name.lower(): name for name in CHANNELS}


_NUMBERS = rb"[ \t]+([-+.\deE]+)[ \t]+([-+.\deE]+)[ \t]+([-+.\deE]+)[ \t]*\n\s*"
_BEGIN = re.compile(rb"\s*HIERARCHY[ \t]*\n\s*")
_USUAL = re.compile(
    rb"(ROOT|JOINT)[ \t]+([!-z|~]+)[ \t]*\n\s*\{\s*OFFSET" + _NUMBERS + rb"CHANNELS[ \t]+([^\n{}]+)\n\s*"
    rb"|End Site(?:[ \t][^\n{}]*)?\n\s*\{\s*OFFSET" + _NUMBERS + rb"\}\s*"
    rb"|(MOTION)[ \t]*\n"
    rb"|\}\s*"
)
"""The form of nearly all files: a joint with its offset and channels, an end site, a closing brace, the end
of the hierarchy."""


@dataclass
class FileJoint:
    """One joint as stored in the file, in file units and axes."""

    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    channels: tuple[str, ...] = ()
    end_sites: list[tuple[float, float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Hierarchy:
    """Joints in file order, the index of the MOTION line, and notes on repairs."""

    joints: list[FileJoint]
    motion_index: int
    notes: tuple[str, ...]


def _statements(file: TextFile) -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and statements; each brace is a separate statement."""
    for index, line in enumerate(file.lines):
        if (
            "{" not in line
            and "}" not in line
            and line.lower().find("channels", 1 + len(line) - len(line.lstrip())) < 0
        ):
            if line.strip():
                yield index + 1, line.strip()
            continue
        for part in _BRACES.split(line):
            for piece in _BEFORE_CHANNELS.split(part.strip()):
                if piece:
                    yield index + 1, piece


class _Reader:
    """State of one pass over the statements: the joints read and the open braces."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.joints: list[FileJoint] = []
        self.open: list[int | None] = []
        """Joint index of each open brace; None for an end site."""
        self.pending: int | None = None
        self.waits = False
        self.notes: list[str] = []
        self.names: dict[str, int] = {}
        """Names in use, each with the last number appended to it."""

    def fail(self, message: str, line: int) -> FileError:
        return FileError(self.file.path, message, line=line)

    def begin_joint(self, keyword: str, name: str, line: int) -> None:
        if not name:
            raise self.fail(f"{keyword} needs a name behind it", line)
        parent = self.open[-1] if self.open else -1
        if keyword == "ROOT" and self.joints:
            message = f"a second ROOT {name!r}: one file holds one body; split it into one file per ROOT"
            raise self.fail(message, line)
        if keyword == "JOINT" and (parent is None or parent < 0):
            raise self.fail(f"JOINT {name!r} is outside the ROOT's braces", line)
        if parent is None:
            raise self.fail(f"{keyword} {name!r} is inside an End Site", line)
        unique, count = name, self.names.get(name, 1)
        while unique in self.names:
            count += 1
            unique = f"{name}_{count}"
        self.names[name] = count
        self.names[unique] = 1
        if unique != name:
            self.notes.append(f"second joint named {name!r} (line {line}) is called {unique!r}")
        self.joints.append(FileJoint(unique, parent, line))
        self.pending, self.waits = len(self.joints) - 1, True

    def begin_end_site(self, line: int) -> None:
        if not self.open or self.open[-1] is None:
            raise self.fail("End Site is outside a joint", line)
        self.pending, self.waits = None, True

    def brace(self, text: str, line: int) -> None:
        if text == "{":
            if not self.waits:
                raise self.fail("'{' without ROOT, JOINT or End Site before it", line)
            self.open.append(self.pending)
            self.waits = False
        elif not self.open:
            raise self.fail("'}' closes nothing", line)
        else:
            self.open.pop()

    def offset(self, tokens: list[str], line: int) -> None:
        where = self._inside("OFFSET", line)
        if len(tokens) != 3:
            raise self.fail(f"OFFSET needs 3 numbers and has {len(tokens)}", line)
        x, y, z = (length(self.file, token, line=line, what="OFFSET") for token in tokens)
        if where is None:
            joint = next(index for index in reversed(self.open) if index is not None)
            self.joints[joint].end_sites.append((x, y, z))
        else:
            self.joints[where].offset = (x, y, z)

    def channels(self, tokens: list[str], line: int) -> None:
        where = self._inside("CHANNELS", line)
        if where is None:
            raise self.fail("an End Site has no CHANNELS", line)
        if not tokens or not tokens[0].isdecimal():
            raise self.fail("CHANNELS needs a count behind it", line)
        names = tokens[1:]
        if tokens[0].lstrip("0") != str(len(names) or ""):
            raise self.fail(f"CHANNELS declares a count of {tokens[0][:40]} but names {len(names)}", line)
        for name in names:
            if name.lower() not in _SPELLING:
                raise self.fail(f"channel {name[:40]!r} is none of {', '.join(CHANNELS)}", line)
        plain = tuple(_SPELLING[name.lower()] for name in names)
        twice = next((name for name in plain if plain.count(name) > 1), None)
        if twice is not None:
            raise self.fail(f"channel {twice} occurs twice in one joint", line)
        self.joints[where].channels = plain

    def _inside(self, keyword: str, line: int) -> int | None:
        if not self.open or self.waits:
            raise self.fail(f"{keyword} is outside the braces of a joint", line)
        return self.open[-1]


def read_hierarchy(file: TextFile) -> Hierarchy:
    """Read the joints of a BVH file up to its MOTION line.

    Raises
    ------
    FileError
        With the line of the fault.
    """
    return read_usual_hierarchy(file.content) or read_any_hierarchy(file)


def read_usual_hierarchy(content: bytes) -> Hierarchy | None:
    """Read the joints of a BVH file of the usual form, in a tenth of the time; None for any other form.

    It accepts nothing that `read_any_hierarchy` would read differently, and leaves all errors and notes to it.
    """
    begun = _BEGIN.match(content)
    joints: list[FileJoint] = []
    path = [-1]
    line, counted, at = 1, 0, 0 if begun is None else begun.end()
    while begun is not None and (found := _USUAL.match(content, at)):
        line, counted = line + content.count(b"\n", counted, at), at
        at = found.end()
        keyword, name, x, y, z, channels, *end, motion = found.groups()
        if motion and path == [-1] and joints:
            # Duplicate names must be made unique by `read_any_hierarchy`.
            unlike = len({joint.name for joint in joints}) == len(joints)
            return Hierarchy(joints, line - 1, ()) if unlike else None
        if name and (keyword == b"ROOT") == (not joints) == (path == [-1]):
            offset, known = _offset(x, y, z), _usual_channels(channels)
            if offset is None or known is None:
                break
            joints.append(FileJoint(name.decode(), path[-1], line, offset, known))
            path.append(len(joints) - 1)
        elif end[0] and len(path) > 1:
            offset = _offset(*end)
            if offset is None:
                break
            joints[path[-1]].end_sites.append(offset)
        elif len(path) > 1 and not (name or end[0] or motion):
            path.pop()
        else:
            break
    return None


def _offset(x: bytes, y: bytes, z: bytes) -> tuple[float, float, float] | None:
    """Three numbers that can be lengths, or None."""
    try:
        offset = float(x), float(y), float(z)
    except ValueError:
        return None
    return offset if max(map(abs, offset)) <= LONGEST else None


@lru_cache(maxsize=256)
def _usual_channels(text: bytes) -> tuple[str, ...] | None:
    """Channels from the text after CHANNELS, if it is a count and that many different names."""
    count, *names = text.decode("latin-1").split()
    if count != str(len(names)) or len(set(names)) != len(names) or not set(names) <= set(CHANNELS):
        return None
    return tuple(names)


def read_any_hierarchy(file: TextFile) -> Hierarchy:
    """Read as `read_hierarchy`, statement by statement, so that every fault is reported with its line."""
    reader = _Reader(file)
    statements = _statements(file)
    line, first = next(statements, (1, ""))
    if first.upper() != "HIERARCHY":
        message = f"a BVH file starts with HIERARCHY; this one starts with {first[:40]!r}"
        raise FileError(file.path, message, line=line)
    for line, statement in statements:
        words = statement.split()
        keyword = words[0].upper()
        if statement in "{}":
            reader.brace(statement, line)
        elif keyword in {"ROOT", "JOINT"}:
            reader.begin_joint(keyword, statement[len(keyword) :].strip(), line)
        elif _END_SITE.fullmatch(words[0]):  # words after it name the tip, or are a comment
            reader.begin_end_site(line)
        elif keyword == "OFFSET":
            reader.offset(words[1:], line)
        elif keyword == "CHANNELS":
            reader.channels(words[1:], line)
        elif keyword == "MOTION":
            return _finished(reader, line)
        else:
            message = f"{statement[:40]!r} is not understood; expected a joint, OFFSET, CHANNELS or MOTION"
            raise FileError(file.path, message, line=line)
    raise FileError(file.path, "the file ends without a MOTION part", line=len(file.lines))


def _finished(reader: _Reader, line: int) -> Hierarchy:
    if reader.open:
        inner = reader.open[-1]
        name = "an End Site" if inner is None else f"joint {reader.joints[inner].name!r}"
        raise reader.fail(f"MOTION begins while the braces of {name} are open", line)
    if not reader.joints:
        raise reader.fail("MOTION begins before any ROOT", line)
    return Hierarchy(reader.joints, line - 1, tuple(reader.notes))


def written_hierarchy(joints: list[FileJoint], *, decimals: int) -> list[str]:
    """Return the lines of the HIERARCHY part for joints in depth-first order."""
    children: list[list[int]] = [[] for _ in joints]
    for index, joint in enumerate(joints):
        if joint.parent >= 0:
            children[joint.parent].append(index)
    lines = ["HIERARCHY"]
    # A stack instead of recursion: a chain of ten thousand joints is a valid file.
    stack: list[tuple[int, int]] = [(0, 0)]
    while stack:
        index, depth = stack.pop()
        pad = "\t" * depth
        if index < 0:
            lines.append(pad + "}")
            continue
        joint = joints[index]
        lines += [
            f"{pad}{'JOINT' if depth else 'ROOT'} {joint.name}",
            pad + "{",
            f"{pad}\tOFFSET {vector(joint.offset, decimals)}",
            " ".join([f"{pad}\tCHANNELS {len(joint.channels)}", *joint.channels]),
        ]
        for tip in joint.end_sites:
            lines += [
                f"{pad}\tEnd Site",
                pad + "\t{",
                f"{pad}\t\tOFFSET {vector(tip, decimals)}",
                pad + "\t}",
            ]
        stack.append((-1, depth))
        stack += [(child, depth + 1) for child in reversed(children[index])]
    return lines


def vector(values: tuple[float, ...], decimals: int) -> str:
    """Format numbers rounded to ``decimals``, without trailing zeros or a negative zero."""
    return " ".join(decimal(f"{round(value, decimals) + 0.0:.15g}") for value in values)
