"""All seven studies of the source with robots, from design to report, and the pilot before the adaptive one.

Shows: weights, V.2's one to four, just noticeable differences centre-aligned and start-end: `segue study run` and
    `segue study analyse` on the embedded clips, answers, seconds, results; a pilot of two robots by constant stimuli,
    whose thresholds set the differences that the study shows; an adaptive track and the psychometric functions (figs
    VI.4 to VI.6)
Bars: each ends with a report page and complete tables; planted preferences and ratings have their direction; the
    differences shown after the pilot include both thresholds
Needs: statsmodels
Group: Other programs and long runs

Robots have the preferences of the source's participants (96 %, 66 %, 56 %, 75 % and 89 %) and its thresholds, so
that the table equals the source's by construction: this tests the path of a study from a file to these figures.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path

from _runner import PICTURES, Show, run, segue_json

from segue.app.studies.analysis import read_answers
from segue.app.studies.differences import settled_level
from segue.app.studies.trials import track_of, tracks
from segue.pictures.psychometric import psychometric_picture, track_picture

COUNTS = {
    "weights": 26,
    "geodesic-or-fixed": 35,
    "velocity-or-fixed": 35,
    "geodesic-or-timewarped": 35,
    "geodesic-or-velocity": 12,
    "jnd-centre-aligned": 12,
    "jnd-start-end": 12,
}
SOURCE = {
    "weights": "2.73, 2.69 of 4",
    "geodesic-or-fixed": "96.4 %",
    "velocity-or-fixed": "65.7 %",
    "geodesic-or-timewarped": "55.7 %",
    "geodesic-or-velocity": "75 %, 11.1 %",
    "jnd-centre-aligned": "-7, +10 frames",
    "jnd-start-end": "-3, +2 frames",
}


def outcome(document: dict) -> str:
    if document["kind"] == "jnd":
        return (
            ", ".join(f"{row['jnd_frames']:+.1f}" for row in document["jnd"] if not row["motion"]) + " frames"
        )
    if document["kind"] == "preference":
        rows = [row for row in document["preferences"] if row["what"] in ("all", "locomotion", "activity")]
        return ", ".join(f"{100 * row['share']:.1f} %" for row in rows)
    return (
        ", ".join(f"{row['mean']:.2f}" for row in document["means"] if "against" in row["condition"])
        + " of 4"
    )


def one(show: Show, name: str, *more: str) -> tuple[dict, float]:
    start = time.monotonic()
    path, folder = show.folder / f"{name}.segue", show.folder / name
    ran = segue_json("study", "run", name, "--robots", COUNTS.get(name, 2), "-o", path, *more)
    found = segue_json("study", "analyse", path, "-o", folder, "--draws", 300)
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = len(list(csv.reader(file))) - 1
    whole = rows == ran["new_answers"] == found["answers"] and (folder / "index.html").stat().st_size > 20_000
    show.check(f"{name}: report of all answers", rows, f"{ran['new_answers']}", ok=whole)
    return found, time.monotonic() - start


def main(show: Show) -> None:
    pilot, _ = one(show, "jnd-start-end-pilot")
    steps = pilot["next_steps"]
    show.note(f"result of the pilot of two robots: show {', '.join(f'{step:+d}' for step in steps)} frames")
    fits = (
        min(steps) <= -3
        and max(steps) >= 2
        and max(s for s in steps if s < 0) >= -3
        and min(s for s in steps if s > 0) <= 2
    )
    show.check("differences after the pilot hold -3 and +2 frames", str(bool(fits)), "True", ok=fits)
    rows = []
    for name, count in COUNTS.items():
        more = ("--pilot", str(show.folder / "jnd-start-end-pilot.segue")) if name == "jnd-start-end" else ()
        found, taken = one(show, name, *more)
        rows.append([name, count, found["answers"], outcome(found), SOURCE[name], f"{taken:.0f} s"])
        if name == "geodesic-or-fixed":
            show.check("geodesic preferred", found["preferences"][0]["share"], "> 0.9")
    show.table(["study", "robots", "answers", "found", "source", "took"], rows)
    if show.options.pictures is not None:
        pictures(show, show.options.pictures)


def pictures(show: Show, folder: Path) -> None:
    """Draw figs VI.4 to VI.6."""
    from segue.app.studies.differences import analyse_differences

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("jnd-centre-aligned", "jnd-start-end"):
        study = read_answers(show.folder / f"{name}.segue")
        found = analyse_differences(study.plan, study.people, draws=300)
        fits = {
            f"{o.motion}, {o.direction}": (1 if o.direction == "longer" else -1, o.fit) for o in found.each
        }
        psychometric_picture(fits, folder / f"{name}.png", title=f"right answers, {name}")
        motion, direction = list(tracks(study.plan))[1]
        person = study.people[0]
        track = track_of(study.plan, motion, direction, person.answers)
        settled = settled_level(study.plan, person.seed, motion, direction, track)
        levels = study.plan.levels(motion, direction)
        title = f"{person.code}: {motion}, {direction}"
        track_picture(levels, track, folder / f"{name}-track.png", settled=settled, title=title)


if __name__ == "__main__":
    run(main, "Seven studies", PICTURES)
