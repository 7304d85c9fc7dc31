"""Writes the tables of README.md from the docstrings of the scripts beside it.

    .venv/bin/python benchmarks/show/_table.py

A docstring holds, after its first paragraph, a line or more for each of ``Shows:``, ``Bars:``, ``Needs:`` and
``Group:``; lines that go on are indented. The row of a script that has none stays as it stands in README.md.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
README = HERE / "README.md"
GROUPS = (
    "The main job",
    "Steering",
    "The parts",
    "Files",
    "A library",
    "The house",
    "Other programs and long runs",
)
BEGIN, END = "<!-- tables: written by _table.py -->\n", "<!-- end of tables -->\n"
HEAD = "| script | shows | bars | needs |\n| --- | --- | --- | --- |\n"
FIELDS = ("Shows", "Bars", "Needs", "Group")
_ROW = re.compile(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*?) ?\|$", re.MULTILINE)


def scripts() -> list[Path]:
    """Every script that shows something."""
    return sorted(HERE.glob("[!_]*.py"))


def fields(path: Path) -> dict[str, str]:
    """What the docstring of a script says of it; nothing where it has no fields."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    found = re.findall(rf"^({'|'.join(FIELDS)}): (.*(?:\n    .+)*)", text, re.MULTILINE)
    return {name: " ".join(words.split()) for name, words in found}


def rows(readme: str) -> dict[str, dict[str, str]]:
    """What is said of each script: by its docstring, else by README.md."""
    document: dict[str, dict[str, str]] = {}
    _, _, written = readme.partition(BEGIN)
    for section in re.split(r"^## ", written.partition(END)[0], flags=re.MULTILINE)[1:]:
        for name, *words in _ROW.findall(section):
            document[name] = dict(zip(FIELDS, [*words, section.partition("\n")[0]], strict=True))
    own = {path.stem: fields(path) for path in scripts()}
    return {name: one or document[name] for name, one in own.items() if one or name in document}


def tables(readme: str) -> str:
    """README.md with its tables made anew.

    Raises
    ------
    SystemExit
        If a script has a field less, or a group that does not exist.
    """
    every = rows(readme)
    for path in scripts():
        one = every.get(path.stem, {})
        if set(one) != set(FIELDS) or one["Group"] not in GROUPS:
            msg = f"{path.name}: its docstring needs {', '.join(FIELDS)}; Group is one of {', '.join(GROUPS)}"
            raise SystemExit(msg)
    parts = []
    for group in GROUPS:
        lines = [
            f"| `{name}` | {one['Shows']} | {one['Bars']} | {one['Needs']} |\n"
            for name, one in every.items()
            if one["Group"] == group
        ]
        parts.append(f"## {group}\n\n{HEAD}{''.join(lines)}\n")
    before, _, rest = readme.partition(BEGIN)
    return f"{before}{BEGIN}\n{''.join(parts)}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    README.write_text(tables(README.read_text("utf-8")), encoding="utf-8")
