"""`segue info` finds exactly the dropouts and glitches listed for CMU clips; faulty frames are never played.

Shows: `segue info` compared with the notes that come with CMU's clips; `--quick` leaves out the walks
Bars: every listed dropout and glitch found, no other clip reported faulty, also at 24 to 240 frames a second (listed
    ones from 60 up); falls at 9.81 m/s² ± 5 %; no clip's true rate questioned, 80 % questioned at a quarter to four
    times it; five minutes of walks without a faulty frame
Needs: clips
Group: The main job

The expected results are the notes in the data's MANIFEST.csv: ``DROPOUT: AMC frames a to b`` and ``GLITCH near AMC
frame n``, counted from 1. A copy in another format without its own note is expected to have the faults of its AMC.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
from _data import DATA, require_data, subject_16
from _runner import Show, run

from segue.graph.build import build_graph
from segue.graph.walk import render, wander
from segue.io import load_folder
from segue.motion.clip import Clip
from segue.motion.faults import fall_acceleration, find_faults, unusable_frames, walk_ratio
from segue.motion.resample import resampled

Ranges = list[tuple[int, int]]


def listed() -> dict[str, Ranges]:
    """Return half-open frame ranges, from 0, of all listed faults, by path below the data folder."""
    out = {}
    for row in csv.DictReader((DATA / "MANIFEST.csv").open(encoding="utf-8")):
        dropouts = re.findall(r"DROPOUT: AMC frames (\d+) to (\d+)", row["notes"])
        glitches = re.findall(r"GLITCH near AMC frame (\d+)", row["notes"])
        ranges = [(int(a) - 1, int(b)) for a, b in dropouts] + [(int(n) - 1, int(n)) for n in glitches]
        if ranges:
            out[row["file"]] = ranges
    return out


def expected(file: str, all_listed: dict[str, Ranges]) -> Ranges:
    """Return the ranges listed for a file, or for the AMC of the same number."""
    if file in all_listed:
        return all_listed[file]
    stem = Path(file).stem.removeprefix("scaled_")
    return all_listed.get(f"asf_amc/{stem.split('_', maxsplit=1)[0]}/{stem}.amc", [])


def found_in(clip: Clip) -> Ranges:
    """Return dropouts and glitches of a clip."""
    return [(fault.start, fault.stop) for fault in find_faults(clip).of("dropout", "glitch")]


def covered(wanted: Ranges, found: Ranges) -> bool:
    """Return whether every listed range lies in a found one, to within a frame ("near")."""
    return all(any(a <= start + 1 and stop - 1 <= b for a, b in found) for start, stop in wanted)


def words(ranges: Ranges) -> str:
    """Format ranges from frame 0, both ends included."""
    return ", ".join(f"{a}" if b - a == 1 else f"{a}-{b - 1}" for a, b in ranges) or "none"


def show_lists(verdicts: Show, clips: dict[str, Clip]) -> None:
    """Print for each file the listed and the found faults."""
    known = listed()
    verdicts.note("faults in CMU clips (frames from 0): listed, found")
    sound = called = more = 0
    for file, clip in clips.items():
        wanted, found = expected(file, known), found_in(clip)
        if wanted:
            beyond = [f for f in found if not any(f[0] <= s + 1 and e - 1 <= f[1] for s, e in wanted)]
            more += len(beyond)
            verdicts.check(
                file, words(found), words(sorted(set(wanted))), bool(found) and covered(wanted, found)
            )
            if beyond:
                verdicts.note(f"    further ones in this clip: {words(beyond)}")
        else:
            sound += 1
            called += bool(found)
            if found:
                verdicts.check(file, words(found), "none", ok=False)
    verdicts.check("other CMU clips called faulty", f"{called} of {sound}", "0", called == 0)
    verdicts.note(
        f"{more} further glitches in the listed clips: each turns a joint over 60 degrees in one frame"
    )


def show_other_kinds(verdicts: Show, clips: dict[str, Clip]) -> None:
    """Check other reports: rest poses added by converters, an arm that does not move."""
    rest = [file for file, clip in clips.items() if find_faults(clip).of("rest_pose", "lead_in")]
    verdicts.check(
        "T-pose frames found in",
        ", ".join(Path(f).stem for f in rest),
        "01_01 (mb2)",
        "cmu/mb2/01_01.bvh" in rest,
    )
    for file, clip in clips.items():
        for fault in find_faults(clip).found:
            if fault.kind not in {"dropout", "glitch"}:
                verdicts.note(f"    {file}: {fault.sentence}")


def show_rates(verdicts: Show, clips: dict[str, Clip]) -> None:
    """Check other rates: no sound clip is reported faulty, and listed faults are still found."""
    known = listed()
    for fps in (24.0, 30.0, 60.0, 240.0):
        called, seen, wanted = 0, 0, 0
        for file, clip in clips.items():
            faulty = bool(found_in(resampled(clip, fps)))
            if expected(file, known):
                seen, wanted = seen + faulty, wanted + 1
            else:
                called += faulty
        verdicts.check(f"sound clips called faulty, resampled to {fps:g} fps", called, "= 0")
        verdicts.check(
            f"listed clips still called faulty at {fps:g} fps", f"{seen} of {wanted}", "all from 60 fps on",
            seen == wanted or fps < 60,
        )  # fmt: skip


def show_clock(verdicts: Show, clips: dict[str, Clip]) -> None:
    """Check gravity and gait against the stated frame rate."""
    falls = [g for clip in clips.values() if np.isfinite(g := fall_acceleration(clip, unusable_frames(clip)))]
    verdicts.check(
        "centre of mass in flight falls at (median)", float(np.median(falls)), "9.81 +- 5 %",
        abs(np.median(falls) / 9.81 - 1) < 0.05, "m/s2",
    )  # fmt: skip
    called = sum(bool(find_faults(clip).of("rate")) for clip in clips.values())
    verdicts.check("clips at their true rate reported wrong", f"{called} of {len(clips)}", "0", called == 0)
    for factor in (0.25, 0.5, 2.0, 4.0):
        others = [clip.with_motion(fps=clip.fps * factor) for clip in clips.values()]
        telling = [c for c in others if np.isfinite(fall_acceleration(c)) or np.isfinite(walk_ratio(c))]
        given = sum(bool(find_faults(clip).of("rate")) for clip in telling)
        verdicts.check(
            f"called wrong at {factor:g} x the rate, of those that fly or walk",
            f"{given} of {len(telling)}", ">= 80 %", given >= 0.8 * len(telling),
        )  # fmt: skip


def show_use(verdicts: Show) -> None:
    """Check that walks over all of subject 16 contain no faulty frame."""
    clips, _ = load_folder(subject_16())
    graph = build_graph(clips)
    bad = {clip.name: unusable_frames(clip) for clip in clips}
    wrong, shown = 0, set()
    for seed in range(5):
        origin = render(wander(graph, seconds=60, seed=seed)).origin
        for number, name in enumerate(origin.clips):
            frames = origin.frame[(origin.clip == number) & (origin.weight > 0)]
            near = np.concatenate([np.floor(frames + 1e-6), np.ceil(frames - 1e-6)]).astype(int)
            wrong += int(bad[name][near].sum())
            if near.size and bad[name].any():
                shown.add(name)
    total = sum(int(flags.sum()) for flags in bad.values())
    verdicts.check(f"faulty frames ({total} in subject 16) shown in five minutes", wrong, "= 0")
    verdicts.note(
        f"clips with faulty frames that were played elsewhere: {', '.join(sorted(shown)) or 'none'}"
    )


def main(verdicts: Show) -> None:
    """Run everything; ``--quick`` leaves out the walks."""
    loaded, skipped = load_folder([require_data() / "asf_amc", DATA / "cmu"])
    verdicts.check("CMU clips read", len(loaded), "all", not skipped)
    clips = {
        str(Path(clip.source.path).relative_to(DATA)): clip for clip in loaded if clip.source is not None
    }
    show_lists(verdicts, clips)
    show_other_kinds(verdicts, clips)
    show_rates(verdicts, clips)
    show_clock(verdicts, clips)
    if not verdicts.options.quick:
        show_use(verdicts)


if __name__ == "__main__":
    run(
        main,
        "Faults of clips",
        {"--quick": {"action": "store_true", "help": "leave out the walks"}},
    )
