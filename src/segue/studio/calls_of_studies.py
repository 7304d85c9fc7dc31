"""Calls about studies: designs and their motions, runs, and reports on the answers."""

from __future__ import annotations

from pathlib import Path

from segue.app.studies.design import Design, design_of_text, read_design, ready_designs
from segue.app.studies.motions import StudyPlan, clips_of, make_plan
from segue.app.studies.stimuli import make_stimulus
from segue.errors import FileError, SegueError, SettingError, nearest
from segue.motion.clip import Clip
from segue.studio.calls_of_motions import plain_path
from segue.studio.messages import Nothing
from segue.studio.motion_messages import MotionRef
from segue.studio.project import MadeMotion
from segue.studio.state import Studio
from segue.studio.study_messages import (
    DesignAsk,
    DesignCard,
    DesignView,
    ReportView,
    StimulusAsk,
    StimulusCard,
    StudiesView,
    StudyRunAsk,
    StudyRunRef,
    StudyRunView,
)

_ROWS, _ROBOTS, _DRAWS = 40, 100, 200
_ASKS = {
    "preference": "which of two looks better",
    "likert": "ratings of two methods",
    "jnd": "which of two pairs differs",
    "verdict": "one of two words",
}


def studies(studio: Studio, ask: Nothing) -> StudiesView:
    """Return the available designs and the files of answers."""
    del ask
    cards = [_card(word, design_of_text(text, place=word)) for word, text in sorted(ready_designs().items())]
    for word in _files(studio):
        try:
            cards.insert(0, _card(word, read_design(word)))
        except SegueError as error:
            cards.append(DesignCard(word, Path(word).stem, "", "", "", str(error)))
    return StudiesView(cards, studio.studies.views())


def _card(word: str, design: Design) -> DesignCard:
    return DesignCard(word, design.name, design.kind, _ASKS[design.kind], design.source)


def _files(studio: Studio) -> list[str]:
    path = studio.project.path
    folders = [studio.project.export_folder, *([path if path.is_dir() else path.parent] if path else [])]
    found = {file.resolve() for folder in folders if folder.is_dir() for file in folder.glob("*.toml")}
    return [str(file) for file in sorted(found) if b"\nkind" in b"\n" + file.read_bytes()[: 1 << 16]]


def _design(studio: Studio, word: str) -> Design:
    known = [*ready_designs(), *_files(studio)]
    if word not in known:
        raise SettingError(f"there is no design {word!r}; {nearest(word, known)}")
    return read_design(word)


def _clip_words(studio: Studio, *, own: bool) -> list[str]:
    """Return the command-line words for the clips of a study; none for the design's own."""
    if own:
        return []
    if studio.project.path is None:
        return ["sample:"]
    return [str(studio.project.path)]


def _planned(studio: Studio, word: str, *, own: bool) -> tuple[StudyPlan, tuple[Clip, ...]]:
    """Return plan and clips of a design; the last few are cached until the design's text changes."""
    chosen = _design(studio, word)
    key = (word, own, repr(chosen))
    found = studio.plans.get(key)
    if found is None:
        clips = clips_of(chosen, clips=_clip_words(studio, own=own))
        found = make_plan(chosen, clips), clips
        studio.plans.put(key, found)
    return found


def design(studio: Studio, ask: DesignAsk) -> DesignView:
    """Return a design with its motions, chosen but not yet made."""
    plan, _ = _planned(studio, ask.design, own=ask.own_clips)
    it = plan.design
    question = it.question or " / ".join(one.text for one in it.questions)
    cards = [StimulusCard(one.name, one.motion, one.condition, one.frames) for one in plan.stimuli]
    return DesignView(it.name, question, it.fps, it.seconds, cards)


def stimulus(studio: Studio, ask: StimulusAsk) -> MotionRef:
    """Make one motion of a design."""
    plan, clips = _planned(studio, ask.design, own=ask.own_clips)
    for one in plan.stimuli:
        if one.name == ask.stimulus:
            sources = tuple(clip for clip in clips if clip.name in {one.a, one.b})
            made = make_stimulus(plan, one, clips)
            return studio.keep(MadeMotion(made, sources, "study", {"study": plan.design.name}))
    raise SettingError(f"the study {plan.design.name!r} has no motion {ask.stimulus!r}")


def study_run(studio: Studio, ask: StudyRunAsk) -> StudyRunView:
    """Start a study for people or robots in a separate process."""
    _design(studio, ask.design)
    if not 0 <= ask.robots <= _ROBOTS:
        raise SettingError(f"{ask.robots} robots are not possible here; give 1 to {_ROBOTS}")
    if not ask.host or ask.host.startswith("-") or len(ask.host) > 253:
        raise SettingError(f"{ask.host!r} is no name or address of this machine")
    path = plain_path(studio.project.export_folder, ask.name, ".segue")
    words = [ask.design, "--host", ask.host]
    if ask.robots:
        words += ["--robots", str(ask.robots)]
    for word in _clip_words(studio, own=ask.own_clips):
        words += ["--clips", word]
    studio.studies.start(path.name, words)
    return studio.studies.view(path.name)


def study_stop(studio: Studio, ask: StudyRunRef) -> StudyRunView:
    """Close the page of a study; its answers are kept."""
    path = _answers(studio, ask.file)
    studio.studies.stop(path.name)
    return studio.studies.view(path.name)


def study_report(studio: Studio, ask: StudyRunRef) -> ReportView:
    """Return the result so far: the sentence and the first table of `segue study analyse`."""
    from segue.app.studies.analysis import analyse, read_answers
    from segue.app.studies.page import text_of_cell

    path = _answers(studio, ask.file)
    if not path.is_file():
        raise FileError(path.name, "holds no answer yet")
    found = analyse(read_answers(path), draws=_DRAWS)
    rows = next(iter(found.tables.values()))
    return ReportView(found.summary, [[text_of_cell(cell) for cell in row] for row in rows[: _ROWS + 1]])


def _answers(studio: Studio, file: str) -> Path:
    return plain_path(studio.project.export_folder, file.removesuffix(".segue"), ".segue")
