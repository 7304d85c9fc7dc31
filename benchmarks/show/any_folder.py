"""`segue wander FOLDER` with its defaults on arbitrary folders: a table of every folder below the real clips.

Shows: `segue wander FOLDER` with its defaults on every folder below the clips and every clip over 5 s, each in its
    own process, three seeds: clips reached and played, seams and slip in the finished frames, repeats, or the error
    message; a third of the sets is held out of tuning and has its own table; `--clips FOLDER` for other clips,
    `--only PATTERN`, `--part`, `--out` saves the motions, `--pictures` draws the worst seams of five sets
Bars: no crash, nothing over 300 s, no advice to raise the threshold; every refusal has exit code 2 and one sentence;
    every seam of every motion within 1.5 × the sources' speed + 10°/s and 1.5 × their acceleration, a few measured
    twice; CMU 16: 45 of 58 clips reached, walks, runs and jumps in 3 minutes; 15 of 19 of CMU 127; 15 of KayKit's in
    one motion; of all clips 60 in 3 minutes, each for at most 15 % of the time
Needs: clips; six minutes
Group: The main job

Sets by rule: every folder that directly holds motion files, every folder above these that holds more than one of
them, up to all, and every single clip longer than 5 s that is not the only clip of its folder; each animation of a
glTF file is a clip. One third of the sets is held out of tuning: their names, sorted, then shuffled by numpy's
``default_rng(20261128)``, the first third. Each set runs in its own process with a time limit: its graph is made
once, and three seeds walk it for 60 s.

python benchmarks/show/any_folder.py                               all sets, two tables, all bars
python benchmarks/show/any_folder.py --only 'asf_amc/*' --seeds 1  some of them
python benchmarks/show/any_folder.py --clips FOLDER                the same on another folder
python benchmarks/show/any_folder.py --out FOLDER                  saves the motions as .npz with their records
python benchmarks/show/any_folder.py --pictures FOLDER             the three worst seams of the five sets with the worst
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from _any_folder_sets import WHOLE, ClipSet, sets_below
from _any_folder_table import ADVICE, HEAD, LEGEND, able, every, notes, result, row, sentence
from _data import require_data
from _runner import PICTURES, Show, run

LIMIT = 300.0
"""Time limit of a set in seconds."""
LONG = {"asf_amc/16": 180.0, "gltf/kaykit": 180.0, WHOLE: 180.0}
"""Sets for which a longer motion is made for a bar, seed 1."""
PICTURED = 5
WORKER = Path(__file__).with_name("_any_folder_one.py")


def main(verdicts: Show) -> None:
    chosen = verdicts.options
    top = require_data() if chosen.clips is None else chosen.clips.resolve()
    sets = [one for one in sets_below(top) if _wanted(one.name, chosen.only)]
    out = chosen.out or (verdicts.folder if chosen.pictures else None)
    print(f"{chosen.seconds:g} s, {chosen.seeds} seeds a set\n{LEGEND}")
    parts = {"tuned": False, "left-out": True}
    rows: list[dict[str, Any]] = []
    for word, left_out in parts.items():
        if chosen.part in (word, "both"):
            mine = [one for one in sets if one.left_out == left_out]
            rows += table(word, mine, chosen, None if out is None else out.resolve())
    for word, left_out in parts.items():
        held = [facts for facts in rows if facts["left_out"] == left_out]
        if held:
            bars(verdicts, word, held)
    if chosen.clips is None:
        named_bars(verdicts, {facts["name"]: facts for facts in rows})
    verdicts.more = {"seconds": chosen.seconds, "sets": rows}
    if chosen.pictures:
        pictures(rows, chosen.pictures)


def _wanted(name: str, patterns: list[str] | None) -> bool:
    return not patterns or any(fnmatch(name, pattern) for pattern in patterns)


def table(
    word: str, sets: list[ClipSet], chosen: argparse.Namespace, out: Path | None
) -> list[dict[str, Any]]:
    """Run some sets one after another and print each row when it is done."""
    print(f"\n{word}: {len(sets)} sets\n{HEAD}")
    rows = []
    for one in sets:
        facts = within_limit(one, chosen, out)
        print(row(facts))
        for line in notes(facts):
            print(f"    {line}")
        sys.stdout.flush()
        rows.append(facts)
    print()
    return rows


def within_limit(one: ClipSet, chosen: argparse.Namespace, out: Path | None) -> dict[str, Any]:
    """Run one set in its own process; output before a time limit or a crash is kept."""
    job = {
        "name": one.name,
        "path": one.path,
        "seconds": chosen.seconds,
        "seeds": list(range(1, chosen.seeds + 1)),
        "long": [LONG[one.name]] if chosen.clips is None and one.name in LONG else [],
        "out": None if out is None else str(out),
    }
    code, given, wrong = _within([str(WORKER), json.dumps(job)], chosen.limit)
    facts: dict[str, Any] = {
        "name": one.name,
        "path": one.path,
        "clips": one.clips,
        "left_out": one.left_out,
        "limit": chosen.limit,
        "timeout": code is None,
        "crash": (wrong.strip() or f"ended with {code}") if code else "",
        "set": None,
        "motions": [],
    }
    for event in map(json.loads, given.splitlines()):
        facts["set"] = event.get("set", facts["set"])
        facts["motions"] += [event["motion"]] if "motion" in event else []
    if result(facts) == "refused":
        facts["command"] = refused_by_command(one.path, chosen)
    return facts


def refused_by_command(path: str, chosen: argparse.Namespace) -> str:
    """Run the command on a set that gives no motion; return an empty string if it ends correctly, else the fault."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "segue", "wander", path, "--seconds", str(chosen.seconds)]
        code, _, given = _within([*words, "-o", str(Path(folder) / "wander.bvh")], chosen.limit)
        if "Traceback" in given:
            return "a traceback"
        if code != 2:
            return "not done in time" if code is None else f"exit code {code}"
        if any(Path(folder).iterdir()):
            return "files written"
        reported = [line for line in given.splitlines() if line.startswith("segue: ")]
        return "" if reported else "no sentence"


def _within(words: list[str], limit: float) -> tuple[int | None, str, str]:
    """Exit code (None after a timeout), output and errors of a Python process, which is ended with its children."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = subprocess.Popen([sys.executable, *words], stdout=out, stderr=err, start_new_session=True)
        try:
            code: int | None = started.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
        out.seek(0)
        err.seek(0)
        given = out.read()
        return code, given[: given.rfind("\n") + 1], err.read()


def bars(verdicts: Show, word: str, rows: list[dict[str, Any]]) -> None:
    """Check the bars of every set of a part."""
    counts = {
        kind: [f for f in rows if result(f) == kind] for kind in ("motion", "refused", "timeout", "crash")
    }
    print(f"{word}: " + ", ".join(f"{len(held)} {kind}" for kind, held in counts.items()))
    could = [facts for facts in rows if able(facts)]
    without = [facts for facts in could if result(facts) != "motion"]
    verdicts.note(f"{len(could)} sets share a body and hold 3 usable clips or one of 8 s")
    for facts in without:
        verdicts.note(f"  no motion, to be judged: {facts['name']}: {sentence(facts)}")
    broken = counts["crash"] + counts["timeout"]
    verdicts.check(f"{word}: sets that crash or time out", len(broken), "= 0")
    vague = [facts for facts in could if result(facts) == "refused" and ADVICE.search(sentence(facts))]
    verdicts.check(f"{word}: of these sets advised to raise the threshold", len(vague), "= 0")
    ends = [f"{facts['name']}: {facts['command']}" for facts in counts["refused"] if facts["command"]]
    verdicts.check(f"{word}: refusals without exit code 2 and one sentence", len(ends), "= 0")
    for line in ends:
        verdicts.note(line)
    motions = [one for facts in rows for one in every(facts)]
    seams = sum(one["seams"] for one in motions)
    outside = seams - sum(one["within"] for one in motions)
    verdicts.check(f"{word}: of {seams} seams in {len(motions)} motions out of bounds", outside, "= 0")
    off = max((one["check_off"] for one in motions), default=0.0)
    checked = sum(one["checked"] for one in motions)
    verdicts.check(f"{word}: {checked} seams measured twice, largest difference", off, "<= 1e-6")


def named_bars(verdicts: Show, rows: dict[str, dict[str, Any]]) -> None:
    """Check the bars of single sets, and list those that were not run."""
    for name, bar in {
        "asf_amc/16": bar_16,
        "asf_amc/127": bar_127,
        "gltf/kaykit": bar_kaykit,
        WHOLE: bar_all,
    }.items():
        if name in rows:
            bar(verdicts, rows[name])
        else:
            verdicts.note(f"{name}: not run, its bars are not measured")


def bar_16(verdicts: Show, facts: dict[str, Any]) -> None:
    """Check walks, runs and jumps in three minutes, and most clips reached."""
    plays = _long(facts).get("kinds", {"walk": 0.0, "run": 0.0, "jump": 0})
    for kind, words, least in (
        ("walk", "seconds of walking", 1.0),
        ("run", "seconds of running", 1.0),
        ("jump", "jumps", 1.0),
    ):
        verdicts.check(f"CMU 16, 3 minutes: {words}", plays[kind], f">= {least:g}", plays[kind] >= least)
    reached = _reached(facts)
    verdicts.check("CMU 16: clips reached, of 58", reached, ">= 45")


def bar_127(verdicts: Show, facts: dict[str, Any]) -> None:
    """Check that most clips are reached."""
    reached = _reached(facts)
    verdicts.check("CMU 127: clips reached, of 19", reached, ">= 15")


def bar_kaykit(verdicts: Show, facts: dict[str, Any]) -> None:
    """Check many clips of the pack in one motion of three minutes."""
    played = len(_long(facts).get("played", ()))
    verdicts.check("kaykit, 3 minutes: clips in one motion", played, ">= 15")


def bar_all(verdicts: Show, facts: dict[str, Any]) -> None:
    """Check that many clips are reached and played in three minutes, none for too long."""
    long, reached = _long(facts), _reached(facts)
    played, share = len(long.get("played", ())), long.get("largest_share", 1.0)
    verdicts.check("all clips: reached", reached, ">= 60")
    verdicts.check("all clips, 3 minutes: played", played, ">= 60")
    verdicts.check("all clips, 3 minutes: largest share of one clip", share, "<= 0.15")


def _long(facts: dict[str, Any]) -> dict[str, Any]:
    """Motion made for a bar; empty if there is none."""
    return next((one for one in every(facts) if one["long"]), {})


def _reached(facts: dict[str, Any]) -> int:
    return len((facts["set"] or {}).get("reached", ()))


def pictures(rows: list[dict[str, Any]], folder: Path) -> None:
    """Draw the three worst seams of the worst motion of each of the five sets with the worst seams."""
    folder.mkdir(parents=True, exist_ok=True)
    worst = [max(every(facts), key=lambda one: float(one["worst"])) for facts in rows if every(facts)]
    for motion in sorted(worst, key=lambda one: -float(one["worst"]))[:PICTURED]:
        for rank, seam in enumerate(motion["worst_seams"], start=1):
            path = folder / f"{Path(motion['file']).stem}-worst-{rank}.png"
            words = ["film", motion["file"], "--seam", str(seam["number"]), "-o", str(path), "--force"]
            code, _, wrong = _within(["-m", "segue", *words], LIMIT)
            drawn = f"{seam['from']} to {seam['to']}, {seam['badness']:.0%} of the bound"
            print(f"  {path}: {drawn if code == 0 else wrong.strip()}", flush=True)


OPTIONS = {
    "--only": {"action": "append", "metavar": "PATTERN", "help": "names of sets, * and ? as in a shell"},
    "--part": {"choices": ("tuned", "left-out", "both"), "default": "both"},
    "--seeds": {"type": int, "default": 3, "help": "number of seeds, from 1"},
    "--seconds": {"type": float, "default": 60.0},
    "--limit": {"type": float, "default": LIMIT, "help": "seconds a set may take"},
    "--clips": {"type": Path, "metavar": "FOLDER", "help": "another folder instead of the real clips"},
    "--out": {"type": Path, "metavar": "FOLDER", "help": "keep every motion and its record"},
    **PICTURES,
}

if __name__ == "__main__":
    run(main, "segue wander with its defaults", OPTIONS)
