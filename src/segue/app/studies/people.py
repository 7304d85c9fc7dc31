"""People in a study: each is known by a code only, and every answer is written to disk before the next question.

People go through the trials of `segue.app.studies.trials` and the storage of `segue.library.answers`, as robots do.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from segue.app.studies.design import Session
from segue.app.studies.motions import StudyPlan, plan_of
from segue.app.studies.trials import Trial, count_of, next_trial, participant_seed
from segue.errors import FileError, SettingError
from segue.library.answers import (
    Answer,
    Participant,
    add_participant,
    participant_numbered,
    participants,
    read_study,
    study_names,
    write_answer,
    write_study,
)
from segue.library.library import Library

MOST_PEOPLE = 10_000
LONGEST_ANSWER = 80
"""Most characters of an answer to a question before the trials."""
_SLOWEST = 3600.0


@dataclass(frozen=True)
class Turn:
    """Progress of a participant.

    Parameters
    ----------
    trial
        Next trial; None once all are answered.
    answered
        Number of answered trials.
    total
        Number of all trials; None if that depends on the answers.
    is_break
        Whether a break is due before the trial.
    is_seen
        Whether the previous question was about the same motions, so that they have just been shown.
    """

    trial: Trial | None
    answered: int
    total: int | None
    is_break: bool
    is_seen: bool


@dataclass(frozen=True)
class Sitting:
    """Progress of a participant, for the person who runs the study."""

    code: str
    is_robot: bool
    answered: int
    is_done: bool


def begin_study(library: Library, plan: StudyPlan) -> None:
    """Store a study in a library, or continue it.

    Raises
    ------
    SettingError
        If there is a different study of that name.
    """
    name = plan.design.name
    if name in study_names(library.store):
        kept = plan_of(read_study(library.store, name)[1], place=str(library.store.path))
        if kept == plan:
            return
    write_study(library.store, name, plan.document())


class PeopleRun:
    """A study that people take, in one library; thread-safe.

    Parameters
    ----------
    plan
        The study.
    path
        Library that holds the answers, new or not. It is opened for each step only, so that between answers it is
        complete on disk and others can read it.
    seed
        Seed, with the number of each participant, of order and sides.

    Raises
    ------
    SettingError
        If the file holds a study of that name with another design.
    FileError
        If the file cannot be written.
    """

    def __init__(self, plan: StudyPlan, path: str | Path, *, seed: int = 1) -> None:
        self.plan = plan
        self.path = Path(path)
        self.seed = seed
        self._lock = Lock()
        with Library.open(self.path) as library:
            begin_study(library, plan)

    def join(self, about: Mapping[str, str]) -> str:
        """Add a participant and return the code under which the answers are stored.

        Parameters
        ----------
        about
            Answers to the questions before the trials, by name; empty ones are not stored.

        Raises
        ------
        SettingError
            If an answer belongs to no question, or too many people take part.
        """
        kept = checked_about(self.plan.design.session, about)
        code = f"p-{secrets.token_hex(8)}"  # anyone who has it can continue these answers, so it cannot be guessed
        name = self.plan.design.name
        with self._lock, Library.open(self.path) as library:
            number = len(participants(library.store, name))
            if number >= MOST_PEOPLE:
                raise SettingError(f"{MOST_PEOPLE} people take part already; begin another file")
            person = Participant(code, participant_seed(self.seed, number), kept)
            add_participant(library.store, name, person)
        return code

    def turn(self, code: str) -> Turn:
        """Progress of a participant.

        Raises
        ------
        SettingError
            If no participant has that code.
        """
        with self._lock, Library.open(self.path) as library:
            person = self._person(library, code)[1]
        return turn_of(self.plan, person)

    def answer(self, code: str, number: int, given: str, *, seconds: float) -> Turn:
        """Store the answer to a trial and return the progress.

        An answer to a trial that has one already changes nothing: it was sent again because the first reply was lost.

        Raises
        ------
        SettingError
            If no participant has that code, the trial is not the next one, or the answer is not one of its choices.
        """
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise SettingError(f"a response time of {seconds} s is invalid")
        with self._lock, Library.open(self.path) as library:
            owner, person = self._person(library, code)
            turn = turn_of(self.plan, person)
            if number < turn.answered:
                return turn
            if turn.trial is None or number != turn.trial.number:
                raise SettingError(f"trial {number} is not asked yet: {turn.answered} are answered")
            if given not in turn.trial.choices:
                choices = ", ".join(turn.trial.choices)
                raise SettingError(f"{given!r} cannot be answered here; choose one of {choices}")
            answer = turn.trial.answered(given, seconds=min(seconds, _SLOWEST))
            write_answer(library.store, owner, answer)
        return turn_of(self.plan, Participant(code, person.seed, person.about, (*person.answers, answer)))

    def sittings(self) -> tuple[Sitting, ...]:
        """Progress of all participants, in the order in which they began."""
        return sittings_of(self.path, self.plan)

    def _person(self, library: Library, code: str) -> tuple[int, Participant]:
        found = participant_numbered(library.store, self.plan.design.name, code)
        if found is None:
            raise SettingError("nobody takes part under this code")
        return found

    def address(self) -> tuple[int, str]:
        """Port and token of the page, stored in the library so that an address stays valid; first 0 and a new token."""
        key = f"page of {self.plan.design.name}"
        with self._lock, Library.open(self.path) as library:
            found = library.store.value("SELECT value FROM meta WHERE key = ?", key)
        try:
            port, token = json.loads(found)
            if isinstance(port, int) and 0 <= port <= 65535 and isinstance(token, str) and len(token) >= 32:
                return port, token
        except (TypeError, ValueError):  # none yet, or invalid
            pass
        return 0, secrets.token_urlsafe(24)

    def keep_address(self, port: int, token: str) -> None:
        """Store port and token of the page for the next time."""
        key = f"page of {self.plan.design.name}"
        with self._lock, Library.open(self.path) as library, library.store.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps([port, token])))


def sittings_of(path: str | Path, plan: StudyPlan) -> tuple[Sitting, ...]:
    """Progress of all participants of a study, in the order in which they began."""
    with Library.open(path, mode="r") as library:
        people = participants(library.store, plan.design.name)
    return tuple(
        Sitting(
            one.code,
            "robot" in one.about,
            len(one.answers),
            next_trial(plan, one.seed, one.answers) is None,
        )
        for one in people
    )


def turn_of(plan: StudyPlan, person: Participant) -> Turn:
    """Progress of a participant, from the answers so far."""
    answers, session = person.answers, plan.design.session
    trial = next_trial(plan, person.seed, answers)
    total = count_of(plan, person.seed)
    main = len(answers) - session.training
    is_break = trial is not None and main > 0 and session.break_after > 0 and main % session.break_after == 0
    return Turn(trial, len(answers), total, is_break, trial is not None and is_seen(plan, trial, answers))


def is_seen(plan: StudyPlan, trial: Trial, answers: Sequence[Answer]) -> bool:
    """Whether the previous question was about the same motions, as in ratings, which ask several about one."""
    if plan.design.kind != "likert" or not answers or trial.purpose != "main":
        return False
    run = []
    for one in reversed(answers):
        if one.motion != trial.motion or one.purpose != "main":
            break
        run.append(one.shown)
    return all(any(name in shown for shown in run) for pair in trial.shown for name in pair)


def checked_about(session: Session, about: Mapping[str, str]) -> dict[str, str]:
    """A participant's answers before the trials, checked against the questions.

    Raises
    ------
    SettingError
        If an answer belongs to no question, is too long, or is not one of the choices.

    Examples
    --------
    >>> checked_about(Session(asked=("age group",)), {"age group": " 20 to 29 "})
    {'age group': '20 to 29'}
    """
    out = {}
    for name, value in about.items():
        if name not in session.asked:
            raise SettingError(f"{name!r} is not asked in this study")
        word = " ".join(value.split())
        choices = session.choices.get(name, ())
        if len(word) > LONGEST_ANSWER:
            raise SettingError(
                f"the answer to {name!r} has {len(word)} characters; {LONGEST_ANSWER} are kept"
            )
        if word and choices and word not in choices:
            raise SettingError(f"{word!r} is no answer to {name!r}; choose one of {', '.join(choices)}")
        if word:
            out[name] = word
    return out


def plan_in(path: str | Path, name: str | None = None) -> StudyPlan:
    """Plan of the study in a library.

    Raises
    ------
    FileError
        If the file holds none of that name, or several and no name is given.
    """
    if not Path(path).is_file():
        raise FileError(path, "there is no such file of answers")
    with Library.open(path, mode="r") as library:
        return plan_of(read_study(library.store, name)[1], place=str(path))
