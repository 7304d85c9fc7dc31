"""Versions of segue and its numeric libraries: those in a record compared with the installed ones.

The same seed and settings make the same motion with the same versions. Another version of a library may round the last
bit differently; if two transitions have the same cost except for that bit, the other is taken and the motion differs.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

from segue._version import __version__
from segue.texts import shown

LIBRARIES = ("numpy", "scipy", "numba")
"""Libraries that affect a motion."""


@dataclass(frozen=True)
class Differing:
    """A version in a record that differs from the installed one.

    Parameters
    ----------
    name
        ``segue`` or a library.
    made_with, runs
        Both versions; ``runs`` is empty if the library is not installed.
    """

    name: str
    made_with: str
    runs: str


@functools.cache
def installed() -> Mapping[str, str]:
    """Version of each installed library, by name; none of them is imported.

    Examples
    --------
    >>> sorted(installed())
    ['numba', 'numpy', 'scipy']
    """
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # bundled into a program without its metadata
            continue
    return MappingProxyType(found)


def differing(segue: str, libraries: Mapping[str, str]) -> tuple[Differing, ...]:
    """Versions in a record that differ from the installed ones.

    Parameters
    ----------
    segue
        Version of segue that wrote the record.
    libraries
        Versions of libraries by name, as listed by `installed`; empty for records of earlier versions. Names not in
        `LIBRARIES` are ignored.

    Examples
    --------
    >>> [one.name for one in differing("0.0.1", {"numpy": installed()["numpy"], "numba": "0.1"})]
    ['segue', 'numba']
    """
    runs = {"segue": __version__, **installed()}
    given = {"segue": segue, **{name: libraries[name] for name in LIBRARIES if name in libraries}}
    return tuple(
        Differing(name, made_with, runs.get(name, ""))
        for name, made_with in given.items()
        if made_with != runs.get(name, "")
    )


def in_words(differences: tuple[Differing, ...]) -> str:
    """Differences as one phrase for people, each with the installed version.

    Examples
    --------
    >>> in_words((Differing("numpy", "1.26.4", "2.4.6"), Differing("scipy", "1.15.0", "1.17.1")))
    'numpy 1.26.4 (here 2.4.6) and scipy 1.15.0 (here 1.17.1)'
    """
    parts = [f"{one.name} {shown(one.made_with)} (here {one.runs or 'none'})" for one in differences]
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
