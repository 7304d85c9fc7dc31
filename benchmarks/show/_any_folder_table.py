"""Rows of `any_folder`, one a set: its contents, the clips reached and played, every seam, and refusals."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

HEAD = (
    f"{'set':34} {'given':>5} {'skip':>4} {'use':>4} {'reach':>5} {'played':>9} {'seams':>5} {'within':>6} "
    f"{'worst':>5} {'slip mm':>9} {'sources':>9} {'stretch':>7} {'share':>5} {'again':>5} {'build':>6}  result"
)
LEGEND = """  given: clips below; skip: not read; use: can be compared; reach: may be played
  played: different clips, a seed each
  seams, within: of all seeds, and those within bounds in the finished frames; worst: 1 is just within
  slip mm, sources: along the path, median/95 %: plants that touch a seam, and every plant of the clips
    played, on the body they are played on
  stretch: longest of one clip, s; share: largest of one clip; again: frames played within 10 s before; build: s"""
ADVICE = re.compile(r"raise\s+(the\s+|--)?threshold", re.IGNORECASE)
"""Advice that is of no use to a user who gives a folder."""


def row(facts: dict[str, Any]) -> str:
    """Return one line."""
    held, motions = facts.get("set"), short(facts)
    name = facts["name"] if len(facts["name"]) <= 34 else "…" + facts["name"][-33:]
    if held is None:
        return f"{name:34} {facts['clips']:5} {'':98}{result(facts)}"
    given, reached = held["given"], len(held["reached"])
    line = f"{name:34} {given:5} {given - held['read']:4} {held['usable']:4} {reached:5} "
    if not motions:
        return f"{line}{'':68}{held['build_seconds']:6.1f}  {result(facts)}"
    played = "/".join(str(len(one["played"])) for one in motions)
    return (
        f"{line}{played:>9} {sum(one['seams'] for one in motions):5} {sum(one['within'] for one in motions):6} "
        f"{max(one['worst'] for one in motions):5.2f} {_pair(motions, 'slip_mm'):>9} "
        f"{_pair(motions, 'source_slip_mm'):>9} {max(one['stretch'] for one in motions):7.1f} "
        f"{max(one['largest_share'] for one in motions):5.0%} {max(one['repeats'] for one in motions):5.0%} "
        f"{held['build_seconds']:6.1f}  {result(facts)}"
    )


def notes(facts: dict[str, Any]) -> list[str]:
    """Return the lines below a row: the message of a refusal or crash, and why files and clips were left out."""
    held = facts.get("set") or {}
    lines = [sentence(facts)] if result(facts) != "motion" else []
    lines += [f"seed {one['seed']}: {one['error']}" for one in facts["motions"] if one["error"]]
    lines += _counted("not read", [_cause(why) for _, why in held.get("skipped", [])])
    if held.get("read") and held.get("usable"):
        lines += _counted("not usable", [_cause(why) for why in held["unusable"].values()])
    return lines


def result(facts: dict[str, Any]) -> str:
    """Return motion, refused, timeout or crash."""
    if facts["timeout"]:
        return "timeout"
    if facts["crash"]:
        return "crash"
    if facts["set"]["refused"] or any(one["error"] for one in facts["motions"]):
        return "refused"
    return "motion"


def sentence(facts: dict[str, Any]) -> str:
    """Return the reason why some or all motions are missing."""
    if facts["timeout"]:
        done = f"{len(facts['motions'])} motions made" if facts["set"] else "no graph yet"
        return f"not done after {facts['limit']:g} s, {done}"
    if facts["crash"]:
        return str(facts["crash"].strip().splitlines()[-1])
    errors = [one["error"] for one in facts["motions"] if one["error"]]
    return str(facts["set"]["refused"] or "; ".join(dict.fromkeys(errors)))


def able(facts: dict[str, Any]) -> bool:
    """Return whether the clips share a body and there are three usable ones, or one of 8 s."""
    held = facts["set"]
    return held is not None and held["bodies"] == 1 and (held["usable"] >= 3 or held["longest"] >= 8.0)


def short(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the motions of the normal length, without those made for a bar."""
    return [one for one in facts["motions"] if not one["long"] and not one["error"]]


def every(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all motions that were made and measured."""
    return [one for one in facts["motions"] if not one["error"]]


def _pair(motions: list[dict[str, Any]], key: str) -> str:
    """Median and 95 % of the seed with the larger 95 %."""
    known = [one[key] for one in motions if one[key]]
    if not known:
        return "-"
    median, most = max(known, key=lambda pair: float(pair[1]))
    return f"{median:.1f}/{most:.1f}"


def _cause(why: str) -> str:
    """Reason without file, line and copy numbers, so that equal reasons are counted together."""
    bare = re.sub(r"\.\d+(?=')", "", re.sub(r"clip '[^']*'", "clip", why))
    return re.sub(r"^\S*[/\\]\S*?(:\d+)?: ", "", bare)


def _counted(word: str, causes: list[str]) -> list[str]:
    return [f"{count} {word}: {cause}" for cause, count in Counter(causes).most_common()]
