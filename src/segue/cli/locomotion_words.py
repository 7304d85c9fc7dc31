"""What a walker can do and what it was built from, in words."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from segue.cli.output import counted, table

_FEW = 16  # reasons listed before the rest is counted
_NUMBER = re.compile(r"(?<![\w:.-])\d+(?:\.\d+)?")
_EXAMPLE = re.compile(r"\S+(?: \(mirrored\))?:\d+-\d+")


def report(facts: dict[str, Any]) -> list[str]:
    """Lines of a walker's report: types, transitions, what was not kept and why."""
    rows = [(kind, _type(kind, one)) for kind, one in facts["types"].items()]
    rows += [(f"{kind} to {kind}", _itself(one)) for kind, one in facts["types"].items()]
    rows += [(word, _transition(one)) for word, one in facts["ways"].items()]
    rows += [(word, "no way") for word in facts["missing_ways"]]
    return [table([*rows, *_left_out(facts["left_out"])])]


def _type(kind: str, one: dict[str, Any]) -> str:
    low, high = one["speed"]
    left, right = one["turn_degrees"]
    reach = "" if kind == "stand" else f"; {low:g} to {high:g} m/s, {left:g} to {right:g} degrees/s"
    chosen = f", kept of {one['found']}" if one["found"] else ""
    return (
        f"{counted(one['examples'], 'example')}{chosen}, from {counted(one['clips'], 'clip')}, "
        f"{one['mirrored']} mirrored{reach}"
    )


def _itself(one: dict[str, Any]) -> str:
    again = one["self_transition"]
    found = f"{again['captured']} captured, " if again["captured"] else ""
    return f"{found}from its end to its start, {again['closure_degrees']:g} degrees a joint apart"


def _transition(one: dict[str, Any]) -> str:
    low, high = min(one["seconds"]), max(one["seconds"])
    how = "made from stretches of both" if one["made"] else "captured"
    span = f"{low:.1f} s" if round(low, 1) == round(high, 1) else f"{low:.1f} to {high:.1f} s"
    clips = "" if one["made"] else f" in {', '.join(_clips(one['names']))}"
    return f"{counted(one['examples'], 'transition')} in {counted(one['sets'], 'set')}, {how}{clips}, {span}"


def _clips(names: list[str]) -> list[str]:
    from segue.app.walkers import clip_of

    return sorted({clip_of(name) for name in names})


def _left_out(found: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Reasons with how often each holds, the most frequent first; clips of which nothing moves by name."""
    stretches = [one for one in found if one["type"] != "clip"]
    clips = [one for one in found if one["type"] == "clip"]
    rows = []
    for (kind, reason), ones in _grouped(stretches):
        which = ones[0]["name"] if len(ones) == 1 else str(len(ones))
        rows.append(f"{kind}, {which}: {reason}")
    without = [f"{', '.join(one['name'] for one in ones)}: {reason}" for (_, reason), ones in _grouped(clips)]
    return [*_listed("not kept", rows), *_listed("without steps", without)]


def _listed(head: str, rows: list[str]) -> list[tuple[str, str]]:
    if len(rows) > _FEW:
        rows = [*rows[:_FEW], f"and {len(rows) - _FEW} more (--json lists all)"]
    return [("" if number else head, words) for number, words in enumerate(rows)]


def _grouped(found: list[dict[str, str]]) -> list[tuple[tuple[str, str], list[dict[str, str]]]]:
    """What has one type and one reason but for its numbers, the most frequent first."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for one in found:
        groups[one["type"], _NUMBER.sub("#", _plain(one))].append(one)
    return [
        ((kind, _with_range(reason, [_plain(one) for one in ones])), ones)
        for (kind, reason), ones in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def _plain(one: dict[str, str]) -> str:
    return _EXAMPLE.sub("one that is kept", one["reason"])


def _with_range(reason: str, names: list[str]) -> str:
    """Reason with each number as it is, or from the lowest to the highest."""
    columns = zip(*(_NUMBER.findall(one) for one in names), strict=True)
    for column in columns:
        low, high = min(column, key=float), max(column, key=float)
        reason = reason.replace("#", low if low == high else f"{low} to {high}", 1)
    return reason
