"""Naturalness of a transition: measures of its seam that no cost uses, and a classifier of answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.app.studies.analysis import Study
from segue.app.studies.stimuli import make_stimuli
from segue.arrays import Floats
from segue.errors import SettingError
from segue.learning.naturalness import Classified, classify
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import seam_ranges, seams
from segue.measures.smoothness import seam_smoothness
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.threads import Progress, silent

NUMBERS = ("turning", "acceleration", "jerk", "knees", "root speed", "jump", "slide")
"""Numbers of a seam: angular speed, acceleration, jerk and knee acceleration as ratios to the sources' own; root speed
beyond theirs in m/s; the largest step of a joint within one frame beyond theirs in m; slide of planted feet in m."""
_AROUND = 2  # frames on either side of a seam that count as part of it


def seam_numbers(clip: Clip, sources: Sequence[Clip]) -> Floats:
    """Numbers (7,) of a made motion, in the order of `NUMBERS`, each the largest over its seams; 0 without a seam.

    Parameters
    ----------
    clip
        A made motion.
    sources
        The clips it was made from, on its skeleton and at its rate.
    """
    found = seams(clip, sources)
    if not found:
        return np.zeros(len(NUMBERS))
    smooth = seam_smoothness(clip, sources)
    planted = foot_skate(clip, planted=carried_contacts(clip, sources))
    rows = []
    steps = np.linalg.norm(np.diff(world_positions(clip), axis=0), axis=-1)
    usual = max(
        float(np.linalg.norm(np.diff(world_positions(one), axis=0), axis=-1).max()) for one in sources
    )
    for seam, other, (start, stop) in zip(found, smooth, seam_ranges(clip.origin), strict=True):
        low, high = max(start - _AROUND, 0), stop + _AROUND
        slide = max((one.along_path for one in planted if one.start < high and one.stop > low), default=0.0)
        turning = float(np.max(seam.speed / np.maximum(seam.source_speed, 0.1)))
        jump = max(float(steps[max(start - 1, 0) : stop + 1].max(initial=0.0)) - usual, 0.0)
        rows.append(
            [
                turning,
                float(seam.acceleration_ratio.max()),
                other.jerk,
                other.knee,
                other.root_speed,
                jump,
                slide,
            ]
        )
    return np.asarray(np.max(rows, axis=0), dtype=np.float64)


def stimulus_numbers(study: Study, clips: Sequence[Clip], *, progress: Progress = silent) -> Floats:
    """Numbers (S, 7) of every stimulus of a study, as log1p."""
    made = make_stimuli(study.plan, clips, progress=progress)
    by_name = {clip.name: clip for clip in clips}
    rows = [seam_numbers(made[one.name], [by_name[one.a], by_name[one.b]]) for one in study.plan.stimuli]
    return np.log1p(np.array(rows))


def classify_answers(
    study: Study,
    clips: Sequence[Clip],
    *,
    seed: int = 0,
    numbers: Floats | None = None,
    progress: Progress = silent,
) -> Classified:
    """Train a classifier of natural and unnatural transitions on the answers of a study.

    Parameters
    ----------
    study
        A study of verdicts.
    clips
        Its clips, as returned by `segue.app.studies.motions.clips_of`.
    seed
        Seed of the interval.
    numbers
        (S, K) numbers of each stimulus; by default measured.

    Raises
    ------
    SettingError
        If the study is of another kind, or nearly all of its answers are the same.
    MissingExtraError
        If scikit-learn is not installed.
    """
    if study.plan.design.kind != "verdict":
        raise SettingError("a classifier of transitions learns from verdicts: a study of kind 'verdict'")
    good = study.plan.design.words[0]
    natural, counts = answer_counts(study, good)
    asked = counts > 0
    table = stimulus_numbers(study, clips, progress=progress) if numbers is None else numbers
    groups = [one.motion for one, known in zip(study.plan.stimuli, asked, strict=True) if known]
    return classify(table[asked], natural[asked], counts[asked], groups, seed=seed)


def answer_counts(study: Study, good: str) -> tuple[Floats, Floats]:
    """(S,) number of answers that call each stimulus good, and number of all answers."""
    place = {one.name: k for k, one in enumerate(study.plan.stimuli)}
    natural, counts = np.zeros(len(place)), np.zeros(len(place))
    for person in study.people:
        for one in person.answers:
            if one.purpose == "main":
                counts[place[one.shown]] += 1
                natural[place[one.shown]] += one.given == good
    return natural, counts
