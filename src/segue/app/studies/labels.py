"""Labels and comparisons of transitions from answers of a study, to learn weights from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.stages import read
from segue.app.studies.analysis import Study, read_answers
from segue.app.studies.motions import Stimulus, clips_of
from segue.errors import SettingError
from segue.io.library_mark import mark_of
from segue.learning.labels import Label, read_labels
from segue.learning.weights import Examples, Learnt, examples
from segue.library.library import Library
from segue.library.weights import write_weights
from segue.motion.clip import Clip
from segue.threads import Progress, silent


def labels_of(study: Study) -> tuple[tuple[Label, ...], tuple[tuple[int, int], ...]]:
    """Labels of a study's stimuli, and the pairs that were compared, the better first.

    Verdicts label a stimulus by the majority. Of two that were compared, in a study of preference or by a rating of one
    against the other, the one that the majority found better is good.

    Raises
    ------
    SettingError
        If the study has no such answers: its kind is ``"jnd"``, or its answers are balanced.
    """
    if study.plan.design.kind == "verdict":
        good = study.plan.design.words[0]
        reported = [(one, _share(study, one.name, good)) for one in study.plan.stimuli]
        return tuple(
            _label(one, good=share > 0.5) for one, share in reported if share is not None and share != 0.5
        ), ()
    if study.plan.design.kind == "jnd":
        raise SettingError(
            "a study of differences in length measures what people notice, not what looks good: nothing to learn"
        )
    labels: list[Label] = []
    pairs: list[tuple[int, int]] = []
    for motion in study.plan.motions:
        first, second = study.plan.of(motion).values()
        balance = sum(
            _better(study, one, first.name)
            for person in study.people
            for one in person.answers
            if one.motion == motion
        )
        if balance:
            better, worse = (first, second) if balance > 0 else (second, first)
            pairs.append((len(labels), len(labels) + 1))
            labels += [_label(better, good=True), _label(worse, good=False)]
    if not labels:
        raise SettingError(f"the answers of {study.plan.design.name!r} are even: they call nothing better")
    return tuple(labels), tuple(pairs)


def _share(study: Study, name: str, good: str) -> float | None:
    given = Counter(
        one.given == good
        for person in study.people
        for one in person.answers
        if one.purpose == "main" and one.shown == name
    )
    return given[True] / given.total() if given.total() else None


def _better(study: Study, answer: Any, first: str) -> int:
    """1 if an answer rates the stimulus called ``first`` better, -1 for the other, 0 for neither."""
    shown = answer.shown.split(" | ")
    if answer.purpose != "main" or len(shown) != 2:
        return 0
    if study.plan.design.kind == "preference":
        chosen = shown[0 if answer.given == "first" else 1]
        return 1 if chosen == first else -1
    question = next(one for one in study.plan.design.questions if one.name == answer.question)
    above = 2 * float(answer.given) - sum(question.scale)  # of the second against the first
    sign = int(np.sign(above))
    return sign if shown[1] == first else -sign


def _label(one: Stimulus, *, good: bool) -> Label:
    """Label of the two frames that meet in the middle of a stimulus's blend."""
    back = one.frames // 2 if one.kind == "start_end" else 0
    return Label(one.a, one.a_frame + back, one.b, one.b_frame - back, good)


def study_examples(
    study: Study, clips: Sequence[Clip], *, cost: str = "joint_angle", **settings: Any
) -> Examples:
    """Examples from a study's answers, made from labels as in `segue.learning.examples`.

    Parameters
    ----------
    study
        See `segue.app.studies.analysis.read_answers`.
    clips
        The study's clips, as returned by `segue.app.studies.motions.clips_of`.
    cost, settings
        As in `segue.learning.examples`.
    """
    labels, pairs = labels_of(study)
    found = examples(labels, clips, cost=cost, where=f"study {study.plan.design.name}", **settings)
    return replace(found, pairs=np.array(pairs, dtype=np.int64)) if pairs else found


@dataclass(frozen=True)
class LabelSource:
    """Source of weights: a table of labels or answers, clips, cost, study, roles."""

    labels: Path
    inputs: tuple[str, ...]
    cost: str
    study: str | None = None
    roles: Mapping[str, str] | None = None


def found_examples(
    asked: LabelSource, settings: Mapping[str, Any], *, progress: Progress = silent
) -> tuple[Examples, tuple[Clip, ...], tuple[tuple[str, str], ...]]:
    """Examples of a table of labels or of a study's answers, their clips, and the skipped files with the reasons.

    Raises
    ------
    FileError
        If a file cannot be read, or a label names an unknown clip or frame.
    SettingError
        If labels come without clips.
    """
    if asked.labels.is_file() and mark_of(asked.labels).is_database:
        study = read_answers(asked.labels, study=asked.study)
        clips = clips_of(study.plan.design, clips=asked.inputs, progress=progress)
        return study_examples(study, clips, cost=asked.cost, **settings), clips, ()
    given = read_labels(asked.labels)
    if not asked.inputs:
        raise SettingError("labels name clips: give their files, folders or library behind the labels")
    collection = read(list(asked.inputs), roles=asked.roles, progress=progress)
    found = examples(given, collection.clips, cost=asked.cost, where=str(asked.labels), **settings)
    return found, collection.clips, collection.skipped


def keep_weights(learnt: Learnt, into: str, *, source: str) -> str:
    """Store weights in a library under a name, ``FILE#NAME``; return that word.

    Raises
    ------
    SettingError
        If ``into`` is not of that form.
    """
    file, mark, name = into.rpartition("#")
    if not (file and mark and name):
        raise SettingError(f"--into {into!r}: give a library and a name, such as moves.segue#seen")
    about = {"source": source, "good": learnt.good, "bad": learnt.bad, "right": learnt.right}
    with Library.open(file) as library:
        write_weights(library.store, name, cost=learnt.cost, weights=learnt.settings["weights"], about=about)
    return into
