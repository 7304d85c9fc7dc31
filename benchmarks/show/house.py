"""The sources in numbers: their size, and how often things are duplicated.

Shows: the sources in numbers, compared with commit b2d36bc: lines, files, import statements, class names of two
    modules, import cycles, files that an option's value passes through, definitions of each default, thread pools,
    implementations of the point-cloud cost, modules that no command, public name or page leads to, long commit
    subjects
Bars: at most 52,000 lines in 260 files in the older subpackages; no duplicate class name, no cycle, no unreachable
    module, no long subject; 4 files an option; one definition of a default, one module that creates threads, three
    implementations
Needs: git for the commits
Group: The house

The older subpackages are all except sequences, small spaces, studies and the studio, which were added later.
Docstrings, comments and blank lines count; the two lines below report each kind, and how much was added since.

A stop of an option is a file in which a function takes the option's value, or an object keeps it, while `segue
wander` runs with that option; passing on an object that holds it is not a stop. A cycle is a set of siblings in one
package, modules or packages, that import one another, also inside functions. A default is defined where a
parameter, an option or a field has its literal value.
"""

from __future__ import annotations

import contextlib
import io

from _data import ROOT
from _house import DEFAULTS, House, subjects
from _house_stops import GIVEN, stops
from _runner import Show, run

SINCE = "b2d36bc"
THEN = {
    "source lines": 76_640,
    "files": 453,
    "source lines of the older subpackages": 76_640,
    "files of the older subpackages": 453,
    "lines of import statements": 5_191,
    "class names in two modules or more": 44,
    "circles of imports": 7,
    "files --threshold passes through": 5,
    "files --blend passes through": 5,
    "files --feet passes through": 8,
    "definitions of the default cost": 9,
    "definitions of the default threshold": 9,
    "definitions of the default share": 4,
    "definitions of the default quality": 8,
    "definitions of the default blend": 12,
    "definitions of the default length": 3,
    "definitions of the default method": 11,
    "definitions of the default root": 9,
    "definitions of the default feet": 24,
    "definitions of the default check": 5,
    "modules that make threads": 4,
    "forms of the point-cloud cost": 8,
    "modules unreached": 4,
}
"""Values at `SINCE`."""


def main(show: Show) -> None:
    house = House(ROOT)

    def row(label: str, value: int, bar: str | None, places: list[str] | None = None) -> None:
        shown = f"{label}, {THEN[label]:,} before"
        if bar is None:
            show.note(f"{shown:<58} {value:>18}")
        else:
            show.check(shown, value, bar)
        for place in (places or []) if show.options.list else []:
            show.note(f"    {place}")

    row("source lines", house.lines, None)
    row("files", len(house.paths), None)
    row("source lines of the older subpackages", house.older_lines, "<= 52000")
    row("files of the older subpackages", len(house.older), "<= 260")
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in house.older_kinds.most_common())
    show.note(f"  by kind: {kinds}")
    if since := house.older_since(SINCE):
        lines, files, inside = since
        show.note(
            f"  {lines:,} that stood in no file at {SINCE}; {files} files were added since, {inside:,} lines"
        )
    row("lines of import statements", house.import_lines, None)
    twice = [f"{name}: {', '.join(places)}" for name, places in house.twice.items()]
    row("class names in two modules or more", len(twice), "= 0", twice)
    circles = [f"{package}: {', '.join(names)}" for package, names in house.circles]
    row("circles of imports", len(circles), "= 0", circles)
    for option in GIVEN:
        with contextlib.redirect_stdout(io.StringIO()):
            passed = stops(option, show.folder)
        row(f"files --{option} passes through", len(passed), "<= 4", passed)
    for setting in DEFAULTS:
        found = house.definitions(setting)
        row(f"definitions of the default {setting}", len(found), "<= 1", found)
    row("modules that make threads", len(house.pools), "<= 1", house.pools)
    row("forms of the point-cloud cost", len(house.forms), "<= 3", house.forms)
    row("modules unreached", len(house.unreached), "= 0", house.unreached)
    show.note(
        f"modules that only a page leads to: {', '.join(sorted(house.by_pages_alone - {*house.unreached}))}"
    )
    commits = subjects(ROOT, SINCE)
    if commits is None:
        show.note(f"no history here that holds {SINCE}: commits are not counted")
        return
    count, long = commits
    share = len(long) / max(count, 1)
    show.check(f"share of {count} commits since with subjects over 72 letters", share, "= 0")
    for subject in long:
        show.note(f"    {subject}")


if __name__ == "__main__":
    run(
        main,
        f"The sources, compared with commit {SINCE}",
        {"--list": {"action": "store_true", "help": "print the places of everything that is counted"}},
    )
