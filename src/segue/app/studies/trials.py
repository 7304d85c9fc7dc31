"""The next trial of a participant: a function of the plan, the participant's seed and the answers so far.

An interrupted study continues from its answers. People and robots get the same trials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from segue.app.studies.motions import Stimulus, StudyPlan
from segue.library.answers import Answer, TrialInfo
from segue.perception.procedures import Procedure, Track, of_seed, procedure

DIRECTIONS = ("shorter", "longer")
FIRST_SECOND = ("first", "second")
Purpose = Literal["main", "training", "check"]
ATTENTION = "To show that you are attending, please answer: {}."


@dataclass(frozen=True)
class Trial(TrialInfo):
    """One question with its stimuli.

    Parameters
    ----------
    text
        The question.
    shown
        Names of stimuli in the order shown; two in one tuple are a pair.
    choices
        Allowed answers.
    right
        Right answer; empty if there is none.
    seed
        Seed of the trial.
    """

    purpose: Purpose
    text: str
    shown: tuple[tuple[str, ...], ...]
    choices: tuple[str, ...]
    right: str
    seed: int

    def answered(self, given: str, *, seconds: float) -> Answer:
        """The answer to this trial, as stored."""
        info = {one.name: getattr(self, one.name) for one in fields(TrialInfo)}
        shown = " | ".join("; ".join(one) for one in self.shown)
        return Answer(
            **info | {"level": float(self.level)},
            shown=shown,
            right=self.right,
            given=given,
            seconds=float(seconds),
            seed=self.seed,
        )


def next_trial(plan: StudyPlan, seed: int, answers: Sequence[Answer]) -> Trial | None:
    """Next trial of a participant; None after the last one.

    Parameters
    ----------
    plan
        The study.
    seed
        Seed of the participant.
    answers
        The participant's answers so far, in order.
    """
    number = len(answers)
    trial_seed = _seed_of(seed, number)
    training = plan.design.session.training
    if plan.design.kind == "jnd":
        if number < training:
            return _training(plan, number, trial_seed)
        if _is_check(plan, seed, number):
            return _attention(number, trial_seed)
        return _difference(plan, seed, answers)
    order = _order(plan, seed)
    at = number - training - sum(one.purpose == "check" for one in answers)
    if number >= training and at >= len(order):
        return None
    if number >= training and _is_check(plan, seed, number, len(order)):
        return _attention(number, trial_seed)
    part, question, shown, track, choices = order[number % len(order) if number < training else at]
    text = next((one.text for one in plan.design.questions if one.name == question), plan.design.question)
    purpose: Purpose = "training" if number < training else "main"
    return Trial(number, purpose, part, track, 0.0, question, text, shown, choices, "", trial_seed)


def track_of(plan: StudyPlan, motion: str, direction: str, answers: Sequence[Answer]) -> Track:
    """Track of a participant along one direction of one motion."""
    levels = plan.levels(motion, direction)
    track = Track()
    for one in answers:
        if one.purpose == "main" and (one.motion, one.track) == (motion, direction):
            track = track.answered(levels.index(abs(one.level)), right=one.is_right)
    return track


def procedure_of(plan: StudyPlan, seed: int, motion: str, direction: str) -> Procedure:
    """Procedure that chooses the levels of one direction of one motion."""
    levels = plan.design.levels
    chosen = procedure(levels.procedure, **{name: _number(value) for name, value in levels.settings.items()})
    return of_seed(chosen, _seed_of(seed, plan.motions.index(motion), DIRECTIONS.index(direction)))


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


def _seed_of(*parts: int) -> int:
    """A different 32-bit seed for every trial."""
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint32)[0])


def participant_seed(seed: int, number: int) -> int:
    """Seed of a participant by number: alternately even and odd, so that half of them have either order."""
    return _seed_of(seed, number) // 2 * 2 + number % 2


def count_of(plan: StudyPlan, seed: int) -> int | None:
    """Number of all trials of a participant; None if it depends on the answers."""
    if plan.design.kind == "jnd":
        return None
    session, main = plan.design.session, len(_order(plan, seed))
    return session.training + main + min(session.checks, max(main - 1, 1))


def _is_check(plan: StudyPlan, seed: int, number: int, room: int = 40) -> bool:
    """Whether this trial is an attention check; they are drawn from the first ``room`` trials of the main part."""
    count = plan.design.session.checks
    if not count:
        return False
    rng = np.random.default_rng(_seed_of(seed, 7919))
    first = plan.design.session.training
    every = np.arange(first + (room > 1), first + room)
    places = rng.choice(every, size=min(count, len(every)), replace=False)
    return bool(np.any(places == number))


def _attention(number: int, seed: int) -> Trial:
    wanted = FIRST_SECOND[seed % 2]
    text = ATTENTION.format(wanted)
    return Trial(number, "check", "", "", 0.0, "attention", text, (), FIRST_SECOND, wanted, seed)


def _training(plan: StudyPlan, number: int, seed: int) -> Trial:
    """The largest difference of one motion, so that the task is understood."""
    motion = plan.motions[number % len(plan.motions)]
    track = DIRECTIONS[number % 2]
    levels = plan.levels(motion, track) or plan.levels(motion, DIRECTIONS[1 - number % 2])
    track = track if plan.levels(motion, track) else DIRECTIONS[1 - number % 2]
    return _pairs(plan, number, seed, motion, track, levels[-1], purpose="training")


def _difference(plan: StudyPlan, seed: int, answers: Sequence[Answer]) -> Trial | None:
    """Next level of a random unfinished track."""
    number = len(answers)
    going: list[tuple[str, str, float]] = []
    for motion, direction in tracks(plan):
        levels = plan.levels(motion, direction)
        track = track_of(plan, motion, direction, answers)
        place = procedure_of(plan, seed, motion, direction).next_place(levels, track)
        if place is not None:
            going.append((motion, direction, levels[place]))
    if not going:
        return None
    trial_seed = _seed_of(seed, number)
    motion, direction, level = going[int(np.random.default_rng(trial_seed).integers(len(going)))]
    return _pairs(plan, number, trial_seed, motion, direction, level, purpose="main")


def tracks(plan: StudyPlan) -> Iterator[tuple[str, str]]:
    """Motion and direction of every track of a study of differences."""
    for motion in plan.motions:
        for direction in DIRECTIONS:
            if plan.levels(motion, direction):
                yield motion, direction


def _pairs(
    plan: StudyPlan, number: int, seed: int, motion: str, track: str, level: float, *, purpose: Purpose
) -> Trial:
    """Reference pair and comparison pair, in random order and with random order in the comparison."""
    rng = np.random.default_rng((seed, 1))
    k = plan.reference(motion)
    found = plan.of(motion)
    other = found[f"k{k + round(level) * (1 if track == 'longer' else -1)}"].name
    same = found[f"k{k}"].name
    comparison = (same, other) if rng.random() < 0.5 else (other, same)
    first = bool(rng.random() < 0.5)
    shown = (comparison, (same, same)) if first else ((same, same), comparison)
    right = FIRST_SECOND[0 if first else 1]
    signed = level if track == "longer" else -level
    text = plan.design.question
    return Trial(
        number, purpose, motion, track, signed, "which differs", text, shown, FIRST_SECOND, right, seed
    )


_Asked = tuple[str, str, tuple[tuple[str, ...], ...], str, tuple[str, ...]]


def _order(plan: StudyPlan, seed: int) -> tuple[_Asked, ...]:
    """All questions to a participant without levels: motion, question, stimuli, track, choices."""
    rng = np.random.default_rng(_seed_of(seed, 104729))
    motions = [plan.motions[int(k)] for k in rng.permutation(len(plan.motions))]
    if plan.design.kind == "verdict":
        every = [_verdict(plan, one) for one in plan.stimuli]
        return tuple(every[int(k)] for k in rng.permutation(len(every)))
    if plan.design.kind == "preference":
        return tuple(_preference(plan, motion, first=bool(rng.random() < 0.5)) for motion in motions)
    # Two groups of equal size see the conditions in either order (Wang, table IV.2).
    return tuple(one for motion in motions for one in _ratings(plan, motion, first=seed % 2 == 0))


def _verdict(plan: StudyPlan, one: Stimulus) -> _Asked:
    return one.motion, "verdict", ((one.name,),), one.condition, plan.design.words


def _preference(plan: StudyPlan, motion: str, *, first: bool) -> _Asked:
    return motion, "preference", _shown(plan, motion, first=first), plan.part_of(motion), FIRST_SECOND


def _shown(plan: StudyPlan, motion: str, *, first: bool) -> tuple[tuple[str, ...], ...]:
    """Both conditions of a motion in the order of the design, or reversed."""
    found = plan.of(motion)
    pair = tuple(found) if first else tuple(reversed(found))
    return tuple((found[condition].name,) for condition in pair)


def _ratings(plan: StudyPlan, motion: str, *, first: bool) -> Iterator[_Asked]:
    """Questions about each of two stimuli, each after it was shown, and then about both."""
    shown = _shown(plan, motion, first=first)
    named = {one.name: one.condition for one in plan.stimuli}
    for one in shown:
        for question in plan.design.questions:
            if question.about == "stimulus":
                yield motion, question.name, (one,), named[one[0]], scale_words(question.scale)
    for question in plan.design.questions:
        if question.about == "pair":
            pair = "/".join(named[one[0]] for one in shown)
            yield motion, question.name, shown, pair, scale_words(question.scale)


def scale_words(ends: tuple[int, int]) -> tuple[str, ...]:
    """Allowed answers on a scale, both ends included."""
    return tuple(str(value) for value in range(ends[0], ends[1] + 1))
