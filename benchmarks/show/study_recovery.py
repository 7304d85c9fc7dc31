"""A study of just noticeable differences with robots recovers the planted values, centre-aligned and start-end.

Shows: 12 robots on each of both ready studies; the just noticeable difference of every motion and direction with its
    95 % interval and the planted value; the test for differences between motions where none is planted, and where one
    motion's threshold is 1.5 × as large in one direction; both over repeated studies
Bars: in each study at most one interval misses the planted value, and none of a direction over all motions; the
    planted difference found with p < .01 and no other with p < .05 by the likelihood; at most 15 % of repeated
    studies without a difference find one
Needs: nothing
Group: Other programs and long runs

The planted thresholds are those of the source: -7 and +10 frames centre-aligned, -3 and +2 start-end, a slope of 3
and 2 % lapses. Because of the lapses, the just noticeable difference is slightly above the threshold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from _runner import Show, run

from segue.app.studies.analysis import read_answers
from segue.app.studies.convergence import robot_answers
from segue.app.studies.design import read_design
from segue.app.studies.differences import DifferenceAnalysis, analyse_differences
from segue.app.studies.motions import StudyPlan, clips_of, make_plan
from segue.app.studies.robots import observer_of, run_robots
from segue.perception.observers import looked_up

FACTOR = 1.5


def planned(name: str) -> StudyPlan:
    design = read_design(name)
    return make_plan(design, clips_of(design))


def one_study(show: Show, plan: StudyPlan) -> DifferenceAnalysis:
    """Run from trials to analysis through a file, as for human answers."""
    path = show.folder / f"{plan.design.name}-{len(list(show.folder.iterdir()))}.segue"
    run_robots(plan, path, count=12)
    return analyse_differences(plan, read_answers(path).people, draws=500)


def recovered(show: Show, plan: StudyPlan) -> None:
    found = one_study(show, plan)
    functions, rows, missed = observer_of(plan.design).functions, [], {True: 0, False: 0}
    for one in (*found.each, *found.directions):
        function = looked_up(functions, f"{one.motion}/{one.direction}")
        truth = function.level() if function is not None else float("nan")
        low, high = one.fit.interval()
        missed[not one.motion] += not low <= truth <= high
        rows.append(
            [
                one.motion or "all motions",
                one.direction,
                truth,
                one.fit.jnd,
                f"{low:.2f} to {high:.2f}",
                one.trials,
            ]
        )
    show.note(
        f"{plan.design.name}: k = {', '.join(str(plan.reference(motion)) for motion in plan.motions)} frames"
    )
    show.table(["motion", "direction", "planted", "found", "interval", "answers"], rows)
    show.check(f"{plan.design.name}: motions' intervals that miss", missed[False], "<= 1")
    show.check(f"{plan.design.name}: intervals of a direction that miss", missed[True], "<= 0")
    for direction, test in found.tests.items():
        show.check(f"{plan.design.name}, {direction}: p that motions differ", test.p, "> 0.05")


def planted(show: Show, plan: StudyPlan) -> None:
    """Plant blends of one motion that must be 1.5 × as long to be noticed."""
    robots = plan.design.robots
    what = f"{plan.motions[0]}/longer"
    thresholds = {**robots.thresholds, what: FACTOR * robots.thresholds["longer"]}
    name = f"{plan.design.name} with a difference"
    other = replace(
        plan, design=replace(plan.design, name=name, robots=replace(robots, thresholds=thresholds))
    )
    found = one_study(show, other)
    show.check(f"{name} planted in longer: p", found.tests["longer"].p, "< 0.01")
    show.check(f"{name}: p of shorter", found.tests["shorter"].p, "> 0.05")


def repeated(show: Show, plan: StudyPlan, count: int) -> None:
    p, ranks = [], []
    for seed in range(count):
        tests = analyse_differences(plan, robot_answers(plan, count=12, seed=100 + seed), draws=0).tests
        p += [test.p for test in tests.values()]
        ranks += [test.people_p for test in tests.values()]
    share, by_ranks = float(np.mean(np.array(p) < 0.05)), float(np.mean(np.array(ranks) < 0.05))
    show.note(
        f"{plan.design.name}, {count} studies without a difference: by ranks within people {by_ranks:.0%} find one"
    )
    show.check(f"{plan.design.name}: tests that find a nonexistent difference", share, "<= 0.15")


def main(show: Show) -> None:
    for name in ("jnd-centre-aligned", "jnd-start-end"):
        plan = planned(name)
        recovered(show, plan)
        planted(show, plan)
        if name == "jnd-centre-aligned":
            repeated(show, plan, show.options.studies)


if __name__ == "__main__":
    run(
        main,
        "Recovery of planted values",
        {"--studies": {"type": int, "default": 20, "help": "repeated studies"}},
    )
