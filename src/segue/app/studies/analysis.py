"""From a file of answers to findings, by the analysis for the study's kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

from segue.app.studies.difference_page import difference_findings
from segue.app.studies.differences import DRAWS, analyse_differences
from segue.app.studies.motions import StudyPlan, plan_of
from segue.app.studies.page import Findings
from segue.app.studies.preferences import preference_findings, verdict_findings
from segue.app.studies.ratings import rating_findings
from segue.app.studies.trials import FIRST_SECOND, scale_words, tracks
from segue.errors import FileError, MissingExtraError
from segue.library.answers import Answer, Participant, participants, read_study
from segue.library.library import Library


@dataclass(frozen=True, eq=False)
class Study:
    """A study with its answers: its plan and all participants."""

    plan: StudyPlan
    people: tuple[Participant, ...]

    @property
    def answers(self) -> int:
        """Number of answers."""
        return sum(len(person.answers) for person in self.people)


def require_study() -> None:
    """Raise if the extra ``study`` is not installed.

    Raises
    ------
    MissingExtraError
        If statsmodels is not installed.
    """
    try:
        import statsmodels  # noqa: F401
    except ImportError:
        raise MissingExtraError("the analysis of a study", "study") from None


def read_answers(path: str | Path, *, study: str | None = None) -> Study:
    """Read a study with its answers.

    Raises
    ------
    FileError
        If the file is no library, holds no such study or no answers, or is damaged.
    """
    with Library.open(path, mode="r") as library:
        name, document = read_study(library.store, study)
        plan = plan_of(document, place=str(path))
        people = participants(library.store, name)
    check_answers(plan, people, place=path)
    if not any(person.answers for person in people):
        raise FileError(path, f"the study {name!r} has no answer yet")
    return Study(plan, tuple(person for person in people if person.answers))


def check_answers(plan: StudyPlan, people: Sequence[Participant], *, place: str | Path) -> None:
    """Check answers against the plan of their study.

    Raises
    ------
    FileError
        If an answer shows a stimulus that the study lacks, or is not an allowed choice.
    """
    names = {one.name for one in plan.stimuli}
    scales = {one.name: one.scale for one in plan.design.questions}
    allowed = {track: set(plan.levels(*track)) for track in tracks(plan)} if plan.design.kind == "jnd" else {}
    for person in people:
        for one in person.answers:
            if one.purpose != "main":
                continue
            shown = [name for pair in one.shown.split(" | ") for name in pair.split("; ")]
            fits = names.issuperset(shown) and one.motion in plan.motions
            if plan.design.kind == "jnd":
                fits &= abs(one.level) in allowed.get((one.motion, one.track), ())
            elif plan.design.kind == "preference":
                fits &= len(shown) == 2 and one.given in FIRST_SECOND
            elif plan.design.kind == "likert":
                fits &= one.question in scales and one.given in scale_words(scales[one.question])
            else:
                fits &= one.given in plan.design.words
            if not fits:
                msg = f"answer {one.number} of {person.code!r} does not belong to the study {plan.design.name!r}"
                raise FileError(place, msg)


def attentive(study: Study) -> Study:
    """The study without participants who failed the attention checks.

    A participant with half of the checks right is kept; one with more than half wrong did not pay attention.
    """
    kept = tuple(person for person in study.people if _attended(person))
    return replace_people(study, kept) if kept else study


def replace_people(study: Study, people: tuple[Participant, ...]) -> Study:
    """The study with other participants."""
    return replace(study, people=people)


def _attended(person: Participant) -> bool:
    checks = [one for one in person.answers if one.purpose == "check"]
    return not checks or 2 * sum(one.is_right for one in checks) >= len(checks)


def analyse(study: Study, *, draws: int = DRAWS, seed: int = 1) -> Findings:
    """Analyse a study by its kind.

    Parameters
    ----------
    study
        See `read_answers`.
    draws, seed
        Bootstrap draws and their seed.

    Raises
    ------
    MissingExtraError
        If statsmodels is not installed.
    """
    require_study()
    kept = attentive(study)
    found = _findings(kept, draws, seed)
    left = len(study.people) - len(kept.people)
    words = found.summary + (
        f" {left} of {len(study.people)} failed attention checks and are left out." if left else ""
    )
    tables = {**found.tables, "answers.csv": answer_rows(study.people)}
    document: dict[str, Any] = {
        "study": study.plan.design.name,
        "kind": study.plan.design.kind,
        "participants": len(kept.people),
        "left_out": left,
        "answers": study.answers,
        "robots": sum("robot" in person.about for person in study.people),
        **found.document,
    }
    if document["robots"]:
        words += f" {document['robots']} participants are robots."
    return replace(found, summary=words, tables=tables, document=document)


def _findings(study: Study, draws: int, seed: int) -> Findings:
    plan, people = study.plan, study.people
    if plan.design.kind == "jnd":
        return difference_findings(plan, people, analyse_differences(plan, people, draws=draws, seed=seed))
    by_kind = {"preference": preference_findings, "likert": rating_findings, "verdict": verdict_findings}
    return by_kind[plan.design.kind](plan, people, draws=draws, seed=seed)


def answer_rows(people: Sequence[Participant]) -> list[list[object]]:
    """Every answer as a row, with its participant's code and seed."""
    out: list[list[object]] = [["participant", "participant_seed", *(one.name for one in fields(Answer))]]
    for person in people:
        out += [[person.code, person.seed, *astuple(one)] for one in person.answers]
    return out
