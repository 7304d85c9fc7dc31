"""A simulated participant takes a study in Chromium, from consent to the end, through a reload and a killed server.

Shows: a participant with mouse and keys, a second one at the same time, and the answers compared with a robot's;
    `--pictures FOLDER` saves the screens
Bars: no page error, no external request, no answer lost; each trial equal to that of a robot; equal tables; the two
    conditions of a trial under one camera, and identical in every pixel outside the body
Needs: Chromium installed
Group: Other programs and long runs

The body is the area within 30 cm of a bone, projected by the camera, in either of the two motions.
"""

from __future__ import annotations

from _browser import chromium
from _runner import PICTURES, Show, run
from _study_person import taken

from segue.app.studies.analysis import Study, analyse, read_answers
from segue.app.studies.robots import run_robots
from segue.app.studies.trials import next_trial


def replayed(study: Study) -> int:
    """Count the answers whose trial differs from that of a robot with the same seed and answers."""
    wrong = 0
    for person in study.people:
        for number, answer in enumerate(person.answers):
            trial = next_trial(study.plan, person.seed, person.answers[:number])
            wrong += trial is None or trial.answered(answer.given, seconds=answer.seconds) != answer
    return wrong


def main(show: Show) -> None:
    pictures = show.options.pictures
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    size = {"pictures": str(pictures), "width": 1280, "height": 720} if pictures is not None else {}
    seen, path, urls = taken(show.folder, chromium(), size)
    study = read_answers(path)
    person = study.people[0]
    show.check("faults of the page", len(seen["faults"]), "= 0")
    show.check("requests that left this machine", len(seen["foreign"]), "= 0")
    show.check("trials answered in the page, and saved", len(person.answers), f"= {len(seen['trials']) - 1}")
    show.check("answers whose trial differs from a robot's", replayed(study), "= 0")
    show.check("address after the kill", urls[1] == urls[0], "the same", urls[0] == urls[1])
    show.check("simultaneous participants", len(study.people), "= 2")
    robots = show.folder / "robots.segue"
    run_robots(study.plan, robots, count=2)
    found, known = analyse(study, draws=200), analyse(read_answers(robots), draws=200)
    same = [rows[0] for rows in found.tables.values()] == [rows[0] for rows in known.tables.values()]
    show.check("tables of people and of robots", same, "the same", same)
    show.note(found.summary)
    seconds = [one.seconds for one in person.answers]
    show.note(f"response times {min(seconds):.2f} to {max(seconds):.2f} s")
    pixels = seen["pixels"]
    share = pixels["body_pixels"] / (pixels["size"][0] * pixels["size"][1])
    show.check("cameras of two conditions", pixels["cameras"], "= 1")
    show.check("pixels outside the body that differ between conditions", pixels["outside"], "= 0")
    show.check(
        "pixels outside the body that differ from the empty stage",
        pixels["outside_of_the_empty_stage"],
        "= 0",
    )
    show.check("pixels of the body that differ between conditions", pixels["inside"], "> 50")
    show.note(f"{pixels['size'][0]} x {pixels['size'][1]} pixels, {share:.0%} of them called body")


if __name__ == "__main__":
    run(main, "a person takes a study", PICTURES)
