"""A study as a file (TOML): stimuli, questions, and rules by which a robot answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from segue.app.studies import designs
from segue.documents import TOML, decode_toml, read_toml
from segue.errors import FileError, SettingError, nearest
from segue.perception.procedures import PROCEDURES
from segue.settings import DEFAULTS, feet_named

Kind = Literal["preference", "likert", "jnd", "verdict"]
PointKind = Literal["aligned", "start_end", "optimum"]
FigureKind = Literal["mannequin", "capsules"]
Category = Literal["any", "locomotion", "activity"]
_HINT = "segue study designs lists the ready ones and -o writes one to start from"


@dataclass(frozen=True)
class Given:
    """One transition in a design: clips, and frames at the design's rate."""

    a: str
    b: str
    a_frame: int
    b_frame: int
    part: str = ""


@dataclass(frozen=True)
class Part:
    """Transitions that are chosen from the clips: number and category."""

    name: str = ""
    count: int = 1
    category: Category = "any"


@dataclass(frozen=True)
class Condition:
    """Settings of one condition: blend length in seconds or by name, and for an optimum the cost."""

    length: float | str = DEFAULTS.length
    cost: str = ""


@dataclass(frozen=True)
class Question:
    """A question about one stimulus or both of a pair; the answer is an integer within ``scale``, ends included."""

    name: str
    text: str
    scale: tuple[int, int] = (1, 5)
    about: Literal["stimulus", "pair"] = "stimulus"


@dataclass(frozen=True)
class Levels:
    """Blend lengths of a study of just noticeable differences.

    Parameters
    ----------
    reference
        Length of the reference in frames, or ``"geodesic"``: each motion's own.
    steps
        Differences shown, in frames; negative ones are shorter.
    procedure
        A name of `segue.perception.procedures.PROCEDURES`.
    settings
        Settings of the procedure.
    """

    reference: int | str = 10
    steps: tuple[int, ...] = (-8, -6, -4, -2, 2, 4, 6, 8, 10, 12)
    procedure: str = "wang"
    settings: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Robots:
    """Parameters of the robots of a study: see `segue.perception.observers.Observer`."""

    thresholds: Mapping[str, float] = field(default_factory=dict)
    slope: float = 3.0
    lapse: float = 0.02
    between: float = 0.0
    strengths: Mapping[str, float] = field(default_factory=dict)
    ratings: Mapping[str, float] = field(default_factory=dict)
    spread: float = 1.0
    seconds: float = 1.2


@dataclass(frozen=True)
class Session:
    """Course of a session.

    Parameters
    ----------
    training, checks
        Number of trials before the others that are not counted, and of attention checks among the others.
    break_after
        Number of answers between two breaks; 0 for none.
    gap_seconds
        Least seconds from the end of one trial's motions to the next trial's: time to answer and to rest.
    timed_from
        Whether response times count from the end of the last motion or from its start; answers are accepted from the
        same moment.
    consent
        Text that a participant agrees to before the first trial.
    asked
        Questions to a participant before the first trial; answers are optional.
    choices
        Allowed answers to each of these questions, by its name; without them, a line of text.
    """

    training: int = 0
    checks: int = 0
    break_after: int = 40
    gap_seconds: float = 5.0
    timed_from: Literal["end", "start"] = "end"
    consent: str = ""
    asked: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse an impossible session."""
        if min(self.training, self.checks, self.break_after) < 0 or not 0.0 <= self.gap_seconds <= 60.0:
            raise SettingError(
                "training, checks and break_after are counts of trials; gap_seconds is 0 to 60 s"
            )
        for name in self.choices:
            if name not in self.asked:
                raise SettingError(
                    f"session.choices has {name!r}, which session.asked has not; {nearest(name, self.asked)}"
                )


@dataclass(frozen=True)
class View:
    """View of all stimuli: one camera, one figure, and no ground plane by default.

    Parameters
    ----------
    ground
        Whether a ground plane is drawn.
    camera_turn
        Degrees about the vertical, from straight ahead of the figure's first frame.
    camera_height
        Metres above the ground.
    figure
        ``"mannequin"``: a human body; ``"capsules"``: one capsule per body part.
    """

    ground: bool = False
    camera_turn: float = 35.0
    camera_height: float = 1.2
    figure: FigureKind = "mannequin"


@dataclass(frozen=True)
class Design:
    """A study.

    Parameters
    ----------
    name
        Name under which its answers are stored.
    kind
        ``"preference"``: which of two; ``"likert"``: ratings of two methods in two orders; ``"jnd"``: which of two
        pairs differs; ``"verdict"``: one of two words for one stimulus.
    question
        The question; for ratings see ``questions``.
    source
        Where the design comes from.
    clips
        Files, folders or embedded clips.
    point
        Place of transitions: ``"aligned"`` at the best minimum of the point cloud, ``"start_end"`` at moments drawn
        from ``seed``, ``"optimum"`` at the global optimum of each condition's cost.
    seconds
        Length of each stimulus; the transition is in the middle.
    fps
        Frame rate of all stimuli and of all frame numbers.
    seed
        Seed of the choice of motions.
    words
        For ``"verdict"``: the two answers, the good word first.
    feet
        Treatment of feet in the stimuli: a word of `segue.settings.words.FEET`.
    differ_frames
        For ``"preference"``: least difference of the conditions of one motion, in blended frames.
    parts, motions
        Transitions to choose, or given ones.
    conditions
        By name.
    questions, levels, robots, session, view
        See their classes.
    """

    name: str
    kind: Kind
    question: str = ""
    source: str = ""
    clips: tuple[str, ...] = ("sample:",)
    point: PointKind = "start_end"
    seconds: float = 6.0
    fps: float = 30.0
    seed: int = 1
    words: tuple[str, str] = ("natural", "unnatural")
    feet: str = "natural"
    differ_frames: int = 0
    parts: tuple[Part, ...] = (Part(),)
    motions: tuple[Given, ...] = ()
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    levels: Levels = field(default_factory=Levels)
    robots: Robots = field(default_factory=Robots)
    session: Session = field(default_factory=Session)
    view: View = field(default_factory=View)

    def __post_init__(self) -> None:
        """Refuse an impossible design."""
        if not self.name.strip() or "\n" in self.name:
            raise SettingError(f"a study needs a name of one line, not {self.name!r}")
        if not 1.0 <= self.seconds <= 60.0:
            raise SettingError(f"seconds={self.seconds:g}: stimuli last 1 to 60 s")
        if not 10.0 <= self.fps <= 240.0:
            raise SettingError(f"fps={self.fps:g}: stimuli have 10 to 240 frames a second")
        feet_named(self.feet)
        needed = {"preference": 2, "likert": 2, "jnd": 0, "verdict": 1}[self.kind]
        if len(self.conditions) < needed:
            raise SettingError(f"a study of kind {self.kind!r} needs {needed} or more [conditions.NAME]")
        if self.kind in ("preference", "likert") and len(self.conditions) != 2:
            raise SettingError(
                f"a study of kind {self.kind!r} compares two conditions, not {len(self.conditions)}"
            )
        if self.kind == "likert" and not self.questions:
            raise SettingError("a study of kind 'likert' needs [[questions]] with name and text")
        if self.kind == "jnd":
            self._check_levels()
        if not (0 < sum(part.count for part in self.parts) <= 1000 or self.motions):
            raise SettingError("a study shows 1 to 1000 motions: give [[parts]] with count, or [[motions]]")

    def _check_levels(self) -> None:
        levels = self.levels
        if levels.procedure not in PROCEDURES:
            msg = (
                f"levels.procedure={levels.procedure!r} is not known; {nearest(levels.procedure, PROCEDURES)}"
            )
            raise SettingError(msg)
        if isinstance(levels.reference, str) and levels.reference != "geodesic":
            raise SettingError(f"levels.reference={levels.reference!r}: give frames, or geodesic")
        if 0 in levels.steps or not levels.steps or len(set(levels.steps)) < len(levels.steps):
            raise SettingError("levels.steps are differences in frames, none of them 0 and none twice")

    @property
    def frames(self) -> int:
        """Frames of a stimulus: n frames span n - 1 intervals."""
        return round(self.seconds * self.fps) + 1


def ready_designs() -> dict[str, str]:
    """Text of every ready design, by name.

    Examples
    --------
    >>> sorted(ready_designs())[:2]
    ['geodesic-or-fixed', 'geodesic-or-timewarped']
    """
    folder = resources.files(designs)
    files = (file for file in folder.iterdir() if file.name.endswith(".toml"))
    return {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}


def read_design(word: str | Path) -> Design:
    """Read a design: a ready one by name, or a file.

    Raises
    ------
    FileError
        If there is neither, or the file is no design: with the position in it.

    Examples
    --------
    >>> read_design("jnd-centre-aligned").levels.reference
    10
    """
    path = Path(word)
    ready = ready_designs()
    if str(word) in ready and not path.is_file():
        return design_of_text(ready[str(word)], place=f"{word}.toml")
    if path.suffix.lower() != ".toml":
        msg = f"is no design: a design is a .toml file or a ready one; {nearest(str(word), ready)}"
        raise FileError(path, msg)
    return _checked(read_toml(path, dict[str, Any], hint=_HINT), path, path.read_bytes()[: TOML.size])


def design_of_text(text: str, *, place: str | Path) -> Design:
    """Design from its text; ``place`` is the name in errors."""
    content = text.encode()
    return _checked(decode_toml(content, dict[str, Any], place, hint=_HINT), place, content)


def _checked(table: dict[str, Any], place: str | Path, content: bytes) -> Design:
    _check_keys(table, Design, place, "")
    try:
        return decode_toml(content, Design, place, hint=_HINT)
    except SettingError as error:
        raise FileError(place, str(error)) from None


def _check_keys(value: Any, kind: Any, place: str | Path, where: str) -> None:
    """Refuse unknown keys: misspelt ones would otherwise be ignored."""
    if get_origin(kind) is UnionType:
        return
    if is_dataclass(kind) and isinstance(value, dict):
        hints = get_type_hints(kind)
        known = [one.name for one in fields(kind)]
        for key, part in value.items():
            if key not in known:
                raise FileError(place, f"{where}{key} is not known; {nearest(key, known)}")
            _check_keys(part, hints[key], place, f"{where}{key}.")
    elif isinstance(value, list) and get_args(kind):
        for number, part in enumerate(value):
            _check_keys(part, get_args(kind)[0], place, f"{where.rstrip('.')}[{number}].")
    elif isinstance(value, dict) and get_args(kind):
        for key, part in value.items():
            _check_keys(part, get_args(kind)[-1], place, f"{where}{key}.")
