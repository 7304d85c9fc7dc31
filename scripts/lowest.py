"""Print the lowest version of each dependency that pyproject.toml allows on this Python, as requirements for pip.

    python scripts/lowest.py plot fbx usd scale learn    # segue's own dependencies and those of five extras

Indirect dependencies are left to pip, which takes the newest, as in an environment that pins one package.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def requirements(project: dict, *extras: str, python: str = "") -> list[Requirement]:
    """Return the requirements of segue and of some extras on a Python version, by default the running one.

    An extra that requires other extras of segue is replaced by their requirements.
    """
    here = {"python_version": python} if python else {}
    lines = [
        *project["dependencies"],
        *(line for e in extras for line in project["optional-dependencies"][e]),
    ]
    found = []
    for one in map(Requirement, lines):
        if canonicalize_name(one.name) == project["name"]:
            found += requirements(project | {"dependencies": []}, *sorted(one.extras), python=python)
        elif one.marker is None or one.marker.evaluate(here):
            found.append(one)
    return found


def lowest(wanted: list[Requirement]) -> list[str]:
    """Return one line for each distribution: an exact pin to the highest of its lower bounds."""
    bounds: dict[str, Version] = {}
    for one in wanted:
        name = canonicalize_name(one.name) + (f"[{','.join(sorted(one.extras))}]" if one.extras else "")
        lower = [Version(s.version) for s in one.specifier if s.operator == ">="]
        if not lower:
            raise SystemExit(f"{one} has no lower bound")
        bounds[name] = max([*lower, *([bounds[name]] if name in bounds else [])])
    return [f"{name}=={version}" for name, version in sorted(bounds.items())]


if __name__ == "__main__":
    print(
        *lowest(requirements(tomllib.loads(PROJECT.read_text("utf-8"))["project"], *sys.argv[1:])), sep="\n"
    )
