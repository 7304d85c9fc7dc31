"""A classifier of natural and unnatural transitions trained on robots' answers (the source's future work).

Shows: transitions between captured walks, runs and jumps, blended, of fixed length and cut, judged by robots from the
    seam's measurements; the area under the curve of a classifier on held-out motions; its accuracy and that of the
    majority for single answers; the same with random answers
Bars: area 0.75 or more; more single answers predicted than by the more frequent answer; 0.3 to 0.7 on random answers
Needs: clips; scikit-learn
Group: The parts

A robot calls a transition natural with odds that fall as acceleration and jerk at its seam exceed the sources'. The
classifier gets seven numbers of every seam and has to find which of them decide. This tests the path from answers
to a classifier; the features that people use can only be found with people.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from _runner import Show, run

from segue.app.studies.analysis import Study
from segue.app.studies.design import Part, read_design
from segue.app.studies.motions import StudyPlan, clips_of, make_plan
from segue.app.studies.naturalness import NUMBERS, classify_answers, stimulus_numbers
from segue.app.studies.robots import answer_of
from segue.app.studies.trials import next_trial, participant_seed
from segue.learning.naturalness import Classified
from segue.library.answers import Answer, Participant
from segue.perception.observers import Observer

CLIPS = ("16/16_15", "16/16_22", "16/16_35", "16/16_36", "16/16_58", "02/02_01", "02/02_03", "127/127_06")
ROBOTS = 12
WEIGHTS = {"acceleration": -2.0, "jerk": -2.0}


def answered(plan: StudyPlan, strengths: dict[str, float]) -> Study:
    """Answer as robots to whom each stimulus appeals with the strength given by its name."""
    people = []
    for number in range(ROBOTS):
        seed, answers = participant_seed(1, number), list[Answer]()
        while (trial := next_trial(plan, seed, answers)) is not None:
            name = trial.shown[0][0] if trial.shown else ""
            robot = Observer(strengths={trial.track: strengths.get(name, 0.0)})
            answers.append(answer_of(robot, plan, trial))
        people.append(Participant(f"robot-{number}", seed, {}, tuple(answers)))
    return Study(plan, tuple(people))


def report(show: Show, name: str, found: Classified) -> None:
    show.note(
        f"{name}: area {found.area:.2f} ({found.low:.2f} to {found.high:.2f}); of single answers {found.right:.0%} "
        f"foretold, {found.people:.0%} by the majority, {found.usual:.0%} by one word"
    )
    weights = sorted(zip(NUMBERS, found.weights, strict=True), key=lambda one: one[1])
    show.note("  weights: " + ", ".join(f"{what} {weight:+.2f}" for what, weight in weights))


def main(show: Show) -> None:
    words = [str(show.clips / "asf_amc" / f"{name}.amc") for name in CLIPS]
    design = replace(read_design("natural"), seconds=2.0, parts=(Part("", show.options.motions),))
    clips = clips_of(design, clips=words)
    plan = make_plan(design, clips)
    bare = Study(plan, ())
    numbers = stimulus_numbers(bare, clips)
    standard = (numbers - numbers.mean(axis=0)) / np.maximum(numbers.std(axis=0), 1e-9)
    planted = standard @ np.array([WEIGHTS.get(name, 0.0) for name in NUMBERS])
    strengths = {one.name: float(value) for one, value in zip(plan.stimuli, planted, strict=True)}
    show.note(f"{len(plan.stimuli)} stimuli of {len(plan.motions)} transitions, {ROBOTS} robots")
    found = classify_answers(answered(plan, strengths), clips, numbers=numbers)
    report(show, "robots that judge the seam", found)
    show.check("area", found.area, ">= 0.75")
    show.check("share foretold beyond one word", found.right - found.usual, "> 0")
    chance = dict.fromkeys(strengths, 0.0)
    areas = [
        classify_answers(
            answered(plan, chance), clips, numbers=np.random.default_rng(k).permutation(numbers)
        ).area
        for k in range(5)
    ]
    show.check(
        "answers at random: mean area", float(np.mean(areas)), "0.3 to 0.7", ok=0.3 <= np.mean(areas) <= 0.7
    )


if __name__ == "__main__":
    run(main, "Natural and unnatural", {"--motions": {"type": int, "default": 30, "help": "transitions"}})
