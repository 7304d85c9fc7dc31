"""Write the tables of README.md from the docstrings of the scripts in this folder.

    .venv/bin/python benchmarks/show/_table.py

After its first paragraph, a docstring has one or more lines for each of ``Shows:``, ``Bars:``, ``Needs:`` and
``Group:``; continuation lines are indented. The row of a script without them stays unchanged in README.md.
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
    """Return every script of a show."""
    return sorted(HERE.glob("[!_]*.py"))


def fields(path: Path) -> dict[str, str]:
    """Return the fields of a script's docstring; empty if it has none."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    found = re.findall(rf"^({'|'.join(FIELDS)}): (.*(?:\n    .+)*)", text, re.MULTILINE)
    return {name: " ".join(words.split()) for name, words in found}


def rows(readme: str) -> dict[str, dict[str, str]]:
    """Return the fields of each script: from its docstring, else from README.md."""
    document: dict[str, dict[str, str]] = {}
    _, _, written = readme.partition(BEGIN)
    for section in re.split(r"^## ", written.partition(END)[0], flags=re.MULTILINE)[1:]:
        for name, *words in _ROW.findall(section):
            document[name] = dict(zip(FIELDS, [*words, section.partition("\n")[0]], strict=True))
    own = {path.stem: fields(path) for path in scripts()}
    return {name: one or document[name] for name, one in own.items() if one or name in document}


def tables(readme: str) -> str:
    """Return README.md with its tables updated.

    Raises
    ------
    SystemExit
        If a field is missing, or a group does not exist.
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
