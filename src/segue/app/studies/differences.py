"""Analysis of a study of just noticeable differences: functions, thresholds and differences between motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.app.studies.motions import StudyPlan
from segue.app.studies.trials import DIRECTIONS, procedure_of, track_of, tracks
from segue.arrays import Floats
from segue.library.answers import Answer, Participant
from segue.perception.differences import ThresholdTest, thresholds_differ
from segue.perception.estimators import estimate
from segue.perception.fitting import PsychometricFit, counted_answers, fit_psychometric, pooled_draws
from segue.perception.procedures import Bayesian, Track

DRAWS = 1000
SURE = 0.9
"""Share of right answers from which on a difference counts as surely noticed."""


@dataclass(frozen=True, eq=False)
class Noticed:
    """Noticed differences in one direction.

    Parameters
    ----------
    motion
        Name of the motion; empty for all together.
    direction
        ``"shorter"`` or ``"longer"``.
    reference
        Frames of the reference; 0 if motions have different ones.
    fit
        Function fitted to all people's answers; its bootstrap draws are over people if there are several.
    converged
        Mean over people of the level at which the procedure settled (its own estimator; for constant stimuli the fitted
        threshold); NaN if no level is known.
    target
        Share of right answers at which the procedure settles.
    people
        (P,) level at which each person's track settled.
    trials
        Number of answers.
    """

    motion: str
    direction: str
    reference: int
    fit: PsychometricFit
    converged: float
    target: float
    people: Floats
    trials: int

    @property
    def signed_jnd(self) -> float:
        """Just noticeable difference in frames, negative where shorter."""
        return self.fit.jnd if self.direction == "longer" else -self.fit.jnd


@dataclass(frozen=True, eq=False)
class DifferenceAnalysis:
    """Just noticeable differences of a study: per motion and direction, per direction over all motions, and tests."""

    each: tuple[Noticed, ...]
    directions: tuple[Noticed, ...]
    tests: dict[str, ThresholdTest]
    next_steps: tuple[int, ...]


def analyse_differences(
    plan: StudyPlan, people: Sequence[Participant], *, draws: int = DRAWS, seed: int = 1
) -> DifferenceAnalysis:
    """Fit psychometric functions to a study's answers and compare motions.

    Parameters
    ----------
    plan, people
        The study and its participants.
    draws, seed
        Bootstrap draws and their seed.
    """
    rng = np.random.default_rng(seed)
    each = [_noticed(plan, people, ((motion, direction),), draws, rng) for motion, direction in tracks(plan)]
    known = [one for one in each if one is not None]
    directions = []
    tests: dict[str, ThresholdTest] = {}
    for direction in DIRECTIONS:
        mine = [one for one in known if one.direction == direction]
        if not mine:
            continue
        keys = tuple((one.motion, direction) for one in mine)
        together = _noticed(plan, people, keys, draws, rng)
        if together is not None:
            directions.append(together)
        if len(mine) > 1:
            table = np.stack([one.people for one in mine], axis=1)
            tests[direction] = thresholds_differ(
                [one.fit.levels for one in mine],
                [one.fit.shown for one in mine],
                [one.fit.right for one in mine],
                people=table,
            )
    return DifferenceAnalysis(tuple(known), tuple(directions), tests, next_steps(directions))


def _main(person: Participant, keys: Sequence[tuple[str, str]]) -> list[Answer]:
    return [one for one in person.answers if one.purpose == "main" and (one.motion, one.track) in keys]


def _noticed(
    plan: StudyPlan,
    people: Sequence[Participant],
    keys: tuple[tuple[str, str], ...],
    draws: int,
    rng: np.random.Generator,
) -> Noticed | None:
    """Noticed differences in one direction of some motions; None without an answer."""
    by_person = [_main(person, keys) for person in people]
    answers = [one for some in by_person for one in some]
    if not answers:
        return None
    levels, shown, right = counted_answers([one.level for one in answers], [one.is_right for one in answers])
    fit = fit_psychometric(levels, shown, right, draws=draws, rng=rng)
    counts = [_counts(levels, some) for some in by_person if some]
    if draws and len(counts) > 1:
        fit = _with_draws(fit, pooled_draws(levels, counts, draws=draws, rng=rng))
    settled = np.array([np.mean([_settled(plan, person, *key) for key in keys]) for person in people])
    references = {plan.reference(motion) for motion, _ in keys}
    rule = procedure_of(plan, 0, *keys[0])
    return Noticed(
        keys[0][0] if len(keys) == 1 else "",
        keys[0][1],
        references.pop() if len(references) == 1 else 0,
        fit,
        float(np.nanmean(settled)) if np.isfinite(settled).any() else float("nan"),
        rule.target,
        settled,
        len(answers),
    )


def _with_draws(fit: PsychometricFit, draws: Floats) -> PsychometricFit:

    return replace(fit, draws=draws)


def _counts(levels: Floats, answers: Sequence[Answer]) -> tuple[Floats, Floats]:
    """Counts (L,) of one person's answers and of right answers at each level."""
    own, shown, right = counted_answers([one.level for one in answers], [one.is_right for one in answers])
    at = np.searchsorted(levels, own)
    out = np.zeros((2, len(levels)))
    out[0, at], out[1, at] = shown, right
    return out[0], out[1]


def _settled(plan: StudyPlan, person: Participant, motion: str, direction: str) -> float:
    """Level at which a person's track settled; NaN for an empty track."""
    track = track_of(plan, motion, direction, person.answers)
    return settled_level(plan, person.seed, motion, direction, track)


def settled_level(plan: StudyPlan, seed: int, motion: str, direction: str, track: Track) -> float:
    """Level around which a track ended up, by the estimator of its procedure."""
    rule = procedure_of(plan, seed, motion, direction)
    levels = plan.levels(motion, direction)
    if not len(track):
        return float("nan")
    if isinstance(rule, Bayesian):
        return rule.threshold(levels, track)
    if np.isnan(rule.target):  # constant stimuli do not settle: use this person's fitted threshold
        size = [levels[place] for place in track.places]
        return fit_psychometric(*counted_answers(size, track.right)).jnd
    return estimate(levels, track)


def next_steps(directions: Sequence[Noticed]) -> tuple[int, ...]:
    """Differences in frames to show next: from half a threshold to twice, or to the least one that is surely noticed.

    At most ten per direction, in steps of one frame or more.
    """
    out: list[int] = []
    for one in directions:
        jnd = min(max(one.fit.jnd, 1.0), float(np.max(one.fit.levels)))
        # A pilot's levels may all be above the threshold; the fit alone would then end too early.
        share = one.fit.right / np.maximum(one.fit.shown, 1)
        sure = [float(level) for level in one.fit.levels[share >= SURE]]
        least, most = max(round(jnd / 2), 1), max(round(2.0 * jnd), round(min(sure, default=0.0)), 3)
        step = max(-(-(most - least) // 9), 1)
        sign = 1 if one.direction == "longer" else -1
        out += [sign * size for size in range(least, most + 1, step)]
    return tuple(sorted(out))
