"""Every awkward input of the text formats, and the reader's assumptions on every captured BVH, ASF and AMC file.

Shows: every BVH, ASF and AMC file with the reader's assumptions; every awkward input of text formats, axes, root
    motion and resampling; a file of 60 joints and 100,000 frames
Bars: all read or refused as specified, every ASF with 20 joints or more; the long file in under 60 s and 8 times its
    size in memory
Needs: clips, awkward inputs
Group: Files
"""

from __future__ import annotations

import csv
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _data import DATA, ROOT, require_data
from _runner import Show, run

from segue.errors import FileError
from segue.io import load, save
from segue.io.asf import read_asf
from segue.motion.clip import Clip
from segue.motion.resample import cut

CASES = ROOT.parent / "shared" / "cases"
LEAST_JOINTS = 20
KINDS = ("asf-amc", "axes-units", "root-motion", "resample")


def cases(verdicts: Show) -> None:
    """Run the test of every case by its number and count the kinds."""
    with (CASES / "index.csv").open(encoding="utf-8") as stream:
        rows = [r for r in csv.DictReader(stream) if r["kind"].startswith("bvh-") or r["kind"] in KINDS]
    found = tests_by_case()
    wanted = sorted({name for row in rows for name in found.get(row["id"], ())})
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-rA", "--no-header", *wanted],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    passed = set(re.findall(r"^PASSED (\S+)", run.stdout, re.MULTILINE))
    good = [
        row["id"]
        for row in rows
        if found.get(row["id"]) and all(any(p.startswith(name) for p in passed) for name in found[row["id"]])
    ]
    bad = sorted({row["id"] for row in rows} - set(good))
    failed = re.findall(r"^FAILED (\S+)", run.stdout, re.MULTILINE)
    verdicts.note(f"kinds: bvh-*, {', '.join(KINDS)}")
    verdicts.check(
        "cases that are tests and pass", f"{len(good)} of {len(rows)}", "all", not bad and not failed
    )
    if bad or failed:
        verdicts.note(f"  missing: {', '.join(bad) or 'none'}; failed: {', '.join(failed) or 'none'}")


def tests_by_case() -> dict[str, set[str]]:
    """Return the tests that name a case number in their body or parameters."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        where = str(path.relative_to(ROOT))
        for block in re.split(r"^(?=def test_)", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name = re.match(r"def (test_\w+)", block)
            for number in re.findall(r"case\d{3}", block):
                found.setdefault(number, set()).add(f"{where}::{name[1] if name else ''}")
    with (CASES / "index.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            document = json.loads(row["check_json"])
            if row["kind"].startswith(("bvh-", "asf-amc")) and document["outcome"] != "procedure":
                test = f"tests/io/test_io_cases.py::test_case[{row['id']}-{row['kind']}]"
                found.setdefault(row["id"], set()).add(test)
    return found


def files(verdicts: Show) -> None:
    """Load every file and print a table of the reader's assumptions."""
    data = require_data()
    motions = sorted(p for p in data.rglob("*") if p.suffix.lower() in {".bvh", ".amc"})
    skeletons = sorted(p for p in data.rglob("*") if p.suffix.lower() == ".asf")
    verdicts.note(f"{'file':<44}{'frames':>7}{'fps':>8}{'joints':>7}{'unit m':>10} up  taken")
    read, refused, lost = 0, [], []
    for path in motions:
        name = str(path.relative_to(DATA))
        try:
            clip = load(path)
        except FileError as error:
            (refused if "dm_control" in name else lost).append(f"{name}: {error}")
            continue
        read += 1
        source = clip.source
        verdicts.note(
            f"{name:<44}{clip.n_frames:>7}{clip.fps:>8.3f}{clip.skeleton.n_joints:>7}"
            f"{source.metres_per_unit:>10.5f}  {source.up}  {taken(clip)}"
        )
    bodies = 0
    for path in skeletons:
        try:
            body = read_asf(path)
        except FileError as error:
            lost.append(f"{path.relative_to(DATA)}: {error}")
            continue
        bodies += body.skeleton.n_joints >= LEAST_JOINTS
        verdicts.note(
            f"{path.relative_to(DATA)!s:<44}{'':>15}{body.skeleton.n_joints:>7}{body.metres_per_unit:>10.5f}"
        )
    for line in lost:
        verdicts.note(line)
    verdicts.check("BVH and AMC files read", f"{read} of {len(motions) - 1}", "all", read == len(motions) - 1)
    text = f"{bodies} of {len(skeletons)}"
    verdicts.check(
        f"ASF files read, with {LEAST_JOINTS} joints and more", text, "all", bodies == len(skeletons) > 0
    )
    alone = len(refused) == 1 and ".asf skeleton" in refused[0] and "skeleton=" in refused[0]
    verdicts.check("AMC without its ASF: refused with a remedy", len(refused), 1, alone)
    for line in refused:
        verdicts.note("  " + line.replace(f"{DATA}/", ""))


def taken(clip: Clip) -> str:
    """Return the reader's assumptions, without the reasons."""
    return "; ".join(
        note.split(" (")[0].split(", by ")[0].split(", stated ")[0] for note in clip.source.notes
    )


def long_file(verdicts: Show) -> None:
    """Read case174 at its full size: 60 joints, 100,000 frames."""
    document = json.loads(next(CASES.glob("case174-*.json")).read_text("utf-8"))
    sys.path.insert(0, str(ROOT / "tests"))
    from io_long_file import long_file as write_long

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "long.bvh"
        write_long(path, joints=60, frames=document["expect"]["frames"], fps=120.0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = time.perf_counter()
        clip = load(path)
        taken_s = time.perf_counter() - begun
        extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        label = f"60 joints, {clip.n_frames} frames, {path.stat().st_size / 1e6:.0f} MB: load"
        verdicts.check(label, taken_s, "< 60", taken_s < 60 and clip.n_frames == 100_000, "s")
        verdicts.check("  peak memory above the memory in use", extra, "< 8 x 147 MB", extra < 8 * 147, "MB")
        part = cut(clip, 0, document["expect"]["export_rows"])
        save(part, Path(name) / "part.bvh")
        rows = len((Path(name) / "part.bvh").read_text().split("Frame Time")[1].splitlines()) - 1
        verdicts.check("rows of an export of 600 frames", rows, "= 600")


def main(verdicts: Show) -> None:
    cases(verdicts)
    files(verdicts)
    long_file(verdicts)


if __name__ == "__main__":
    run(main, "Awkward inputs and captured files")
