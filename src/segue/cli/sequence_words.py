"""Text about sequences: motions played, join methods, rejected requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from segue.cli.brief_text import head
from segue.cli.output import counted, table

_FEW = 40  # motions and requests listed; the rest is counted


def made_text(document: Mapping[str, Any]) -> str:
    """Return the text about a sequence made from a script."""
    motions, pairs, rejected = document["motions"], document["pairs"], document["rejected"]
    first = f"{head(document)}, {counted(len(motions), 'motion')}"
    by_following = dict(enumerate(pairs, 1))
    rows = []
    for number, one in enumerate(motions[:_FEW]):
        pair = by_following.get(number)
        how = "begins" if pair is None else f"{pair['method']}{_why(pair)}"
        rows.append((f"{one['core'][0]:.2f} s", one["motion"], how))
    if len(motions) > _FEW:
        rows.append(("", f"and {len(motions) - _FEW} more", "--json lists all"))
    lines = [first, table(rows), *([table(_summary(pairs))] if pairs else [])]
    lines += [rejected_text(one) for one in rejected]
    lines += [
        f"no motion plays from {a:.2f} to {b:.2f} s: one pose is led over to the next; place a motion there"
        for a, b in document["gaps"]
    ]
    return "\n".join([*lines, *_files(document["written"])])


def _why(pair: Mapping[str, Any]) -> str:
    """Return the foot-moving phases that decided the method of a pair."""
    words = [
        f"{phase['foot']} {'feet move' if phase['foot'] == 'both' else 'foot moves'} "
        f"{phase['seconds'][0]:.2f} to {phase['seconds'][1]:.2f}"
        for phase in pair["phases"]
        if phase is not None
    ]
    return f" ({', '.join(words)})" if words else ""


def _summary(pairs: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    counts = Counter(pair["method"] for pair in pairs)
    before = max(pair["slip_before_mm"] for pair in pairs)
    after = max(pair["slip_after_mm"] for pair in pairs)
    return [
        ("joined by", ", ".join(f"{method} ({count})" for method, count in counts.most_common())),
        ("slip", f"planted feet slide up to {before:.1f} mm before IK, {after:.1f} mm after it"),
    ]


def rejected_text(one: Mapping[str, Any]) -> str:
    """Return a line on a rejected motion: its time, the reason and the nearest possible time."""
    return (
        f"rejected: {one['motion']} at {one['at']:.2f} s: {one['reason']}; the nearest time at which it works is "
        f"{one['nearest_at']:.3f} s"
    )


def live_text(document: Mapping[str, Any]) -> str:
    """Return the text about a live sequence."""
    requests = document["requests"]
    outcomes = Counter(one["outcome"] for one in requests)
    text = ", ".join(f"{count} {word}" for word, count in outcomes.most_common())
    first = f"{head(document)}; {counted(len(requests), 'request')}{': ' if text else ''}{text}"
    rows = [
        (f"{one['seconds']:.2f} s", f"{one['command']} {one['motion']}", answer_words(one))
        for one in requests[:_FEW]
    ]
    if len(requests) > _FEW:
        rows.append(("", f"and {len(requests) - _FEW} more", "--json lists all"))
    lines = [first, *([table(rows)] if rows else [])]
    waits = sorted(one["latency"] for one in requests if one["latency"] is not None and one["at"] is None)
    if waits:
        lines.append(
            f"latency: first changed frame {waits[0]:.3f} to {waits[-1]:.3f} s after a request for as soon as "
            f"possible, median {waits[len(waits) // 2]:.3f} s"
        )
    planning = document["planning_ms"]
    if planning:
        lines.append(
            f"planning: {max(planning):.0f} ms at most, median {sorted(planning)[len(planning) // 2]:.0f} ms"
        )
    return "\n".join([*lines, *_files(document["written"])])


def answer_words(one: Mapping[str, Any]) -> str:
    """Return the outcome of a request in words."""
    wait = "" if one["latency"] is None else f", first frame changed after {one['latency']:.3f} s"
    match one["outcome"]:
        case "planned":
            return f"{one['method']}, core begins at {one['begins_at']:.2f} s{wait}"
        case "waiting":
            return f"waits for {one['begins_at']:.2f} s"
        case "withdrawn":
            return f"withdrawn{wait}"
    nearest = "" if one["begins_at"] is None else f"; nearest {one['begins_at']:.2f} s"
    return f"rejected: {one['reason']}{nearest}"


def _files(written: Sequence[str]) -> list[str]:
    *more, record = written[1:]
    return [*(f"with it: {path}" for path in more), f"record: {record}"]


def proposed_text(document: Mapping[str, Any]) -> str:
    """Return the text about takes cut into elementary motions."""
    elements = document["elements"]
    clips = Counter(one["clip"] for one in elements)
    first = f"{document['written'][0]}: {counted(len(elements), 'elementary motion')} of {counted(len(clips), 'clip')}"
    return "\n".join([first, table(element_rows(elements))])


def element_rows(elements: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return table rows of elementary motions: seconds in the clip, core, foot phases if known."""
    rows: list[tuple[str, ...]] = []
    for one in elements[:_FEW]:
        start, stop = one["seconds"]
        first, last = one["core"]
        tags = f" [{', '.join(one['tags'])}]" if one["tags"] else ""
        words = f"{one['clip']} {start:.2f} to {stop:.2f} s, core {first:.2f} to {last:.2f}{tags}"
        if "phases" in one:
            words += f"; {_phases(one['phases'])}"
        rows.append((one["name"], words))
    if len(elements) > _FEW:
        rows.append(("", f"and {len(elements) - _FEW} more (--json lists all)"))
    return rows


def _phases(phases: Sequence[Mapping[str, Any]]) -> str:
    if not phases:
        return "no foot moves"
    return "moving: " + ", ".join(
        f"{one['foot']} {one['seconds'][0]:.2f} to {one['seconds'][1]:.2f}" for one in phases
    )


def info_text(document: Mapping[str, Any]) -> str:
    """Return the text about the elementary motions and sequences of a file or a library."""
    elements, sequences = document["elements"], document["sequences"]
    first = f"{document['file']}: {counted(len(elements), 'elementary motion')}, {counted(len(sequences), 'sequence')}"
    rows = element_rows(elements)
    rows += [
        (
            name,
            f"{counted(len(one['motions']), 'motion')}, smoothness {one['smoothness']:g}, {one['method']}: "
            + ", ".join(_placed(motion) for motion in one["motions"][:6])
            + ("" if len(one["motions"]) <= 6 else " ..."),
        )
        for name, one in sequences.items()
    ]
    return "\n".join([first, *([table(rows)] if rows else [])])


def _placed(motion: Mapping[str, Any]) -> str:
    when = "as soon as possible" if motion["at"] is None else f"at {motion['at']:g} s"
    return f"{motion['motion']} {when}"
