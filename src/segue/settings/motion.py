"""Every setting of a motion, with its default, its check and its form in a record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, cast

from segue.errors import SettingError, nearest
from segue.settings.search import SeamBounds, SearchSettings
from segue.settings.words import (
    BLENDS,
    COSTS,
    CROSSFADES,
    EFFORTS,
    FEET,
    FIXED,
    LENGTHS,
    OLD_FEET,
    Effort,
    Limit,
    RootMode,
    SeamFeet,
)


def parse_threshold(value: object, *, words: Sequence[str] = ("auto", "knee")) -> Limit:
    """Read the highest cost of a transition: a number from 0, also as text, or one of some words.

    Raises
    ------
    SettingError
        If it is neither.

    Examples
    --------
    >>> parse_threshold("0.25"), parse_threshold("knee")
    (0.25, 'knee')
    """
    if isinstance(value, str) and value in words:
        return value  # type: ignore[return-value]  # one of the words that the caller knows
    try:
        number = float(value) if isinstance(value, str | Real) else math.nan
    except ValueError:
        msg = f"threshold {value!r} is neither a number{''.join(f' nor {word}' for word in words)}"
        raise SettingError(msg) from None
    if not number >= 0:
        msg = f"threshold {value}: costs are never negative; give {' or '.join(('a number from 0', *words))}"
        raise SettingError(msg)
    return number


def check_share(share: float) -> None:
    """Refuse a share that is not above 0 and up to 1."""
    if not 0 < share <= 1:
        msg = f"share {share}: the part of what can be reached lies above 0 and up to 1"
        raise SettingError(msg)


def check_quality(quality: float) -> None:
    """Refuse a quality that no transition can have."""
    if not 0.1 <= quality <= 10.0:
        msg = (
            f"quality {quality}: give 0.1 to 10; 1 keeps every seam within bounds, 2 allows half of what they do, "
            "0.5 twice as much"
        )
        raise SettingError(msg)


def feet_named(word: str) -> SeamFeet:
    """Return how feet stand at seams by its name, also by an older one.

    Raises
    ------
    SettingError
        If it is no name.

    Examples
    --------
    >>> feet_named("captured")
    'captured'
    """
    feet = OLD_FEET.get(word, word)
    if feet not in FEET:
        known = [f"{name!r} ({meaning})" for name, meaning in FEET.items()]
        msg = f"feet={word!r} is not known; choose {', '.join(known[:-1])} or {known[-1]}"
        raise SettingError(msg)
    return cast("SeamFeet", feet)


def check_effort(effort: str, *, check_seams: bool) -> None:
    """Refuse an unknown effort, and an effort that compares finished seams where seams are not checked."""
    if effort not in EFFORTS:
        known = " or ".join(f"{name!r} ({meaning})" for name, meaning in EFFORTS.items())
        msg = f"effort={effort!r} is not known; choose {known}; {nearest(str(effort), EFFORTS)}"
        raise SettingError(msg)
    if effort == "high" and not check_seams:
        raise SettingError(
            "effort='high' compares what finished seams show, and seams are not checked; check them, or leave the "
            "effort at 'standard'"
        )


def check_creep(creep: float) -> None:
    """Refuse metres that a planted foot cannot creep."""
    if not 0.0 <= creep <= 1.0:
        msg = f"a planted foot cannot creep {creep:g} m; give metres from 0 to 1, as 0.01 for a centimetre"
        raise SettingError(msg)


def check_fps(fps: float | None) -> None:
    """Refuse a frame rate that a result cannot have."""
    if fps is not None and not 1 <= fps <= 1000:
        msg = f"{fps:g} frames a second is not a frame rate that a result can have; choose 1 to 1000"
        raise SettingError(msg)


def check_cost(name: str) -> None:
    """Refuse the name of an unknown cost."""
    if name not in COSTS:
        msg = f"no cost is called {name!r}; known: {', '.join(sorted(COSTS))}; {nearest(name, COSTS)}"
        raise SettingError(msg)


def check_method(name: str, root: str) -> None:
    """Refuse a blend method that is not known, or that does not blend the root as asked."""
    if name not in BLENDS:
        msg = f"no blend method is called {name!r}; known: {', '.join(BLENDS)}; {nearest(name, BLENDS)}"
        raise SettingError(msg)
    if name not in CROSSFADES and root != "position":
        words = " and ".join(repr(one) for one in CROSSFADES)
        msg = f"way={name!r} blends the root by position; root='displacement' is for {words}"
        raise SettingError(msg)


def check_length(name: str) -> None:
    """Refuse a method to find blend lengths that is not known, or that gives both sides a length of their own."""
    if name not in LENGTHS:
        msg = f"blend length {name!r} is not possible here; give seconds or one of {', '.join(LENGTHS)}"
        raise SettingError(f"{msg}; {nearest(str(name), LENGTHS)}")


@dataclass(frozen=True)
class Blend:
    """Settings of a blend: length, method, and blending of the root.

    Parameters
    ----------
    seconds
        Length; 1/3 s is the baseline every study compares with (10 frames at 30 fps). 0 is a hard cut: heading and
        ground position still continue.
    root
        ``"position"``: the root's place and orientation are blended as values after the ground alignment, so that
        feet planted in both motions stay (Wang, ch. VI.1). ``"displacement"``: frame-to-frame displacement on the
        ground and heading are blended, height as a value (joint-relative-distance motion graphs, §4.6); only for
        crossfades.
    way
        Blend method: a name of `segue.blending.ways.WAYS`.
    length
        ``"fixed"``: every blend lasts ``seconds``. Another name of `segue.blending.methods.METHODS` gives each
        transition of a graph a length of its own; ``seconds`` is then what a transition point has to bear.

    Examples
    --------
    >>> Blend().frames(120), Blend(seconds=0).frames(30)
    (40, 0)
    """

    seconds: float = FIXED
    root: RootMode = "position"
    way: str = "equal_power"
    length: str = "fixed"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.seconds) and 0.0 <= self.seconds <= 2.0):
            msg = f"a blend of {self.seconds} s is not possible; choose 0 (hard cut) to 2 s"
            raise SettingError(msg)
        if self.root not in ("position", "displacement"):
            msg = f"root={self.root!r} is not known; choose 'position' or 'displacement'"
            raise SettingError(msg)
        check_method(self.way, self.root)
        if self.length != "fixed":
            check_length(self.length)

    def lasting(self, length: float | str) -> Blend:
        """The same blend for a number of seconds, or with a length found by a named method.

        Examples
        --------
        >>> Blend().lasting(0.5).seconds, Blend().lasting("auto").length
        (0.5, 'auto')
        """
        if isinstance(length, str):
            return replace(self, length=length)
        return replace(self, seconds=float(length), length="fixed")

    def frames(self, fps: float) -> int:
        """Number of blended frames at a frame rate."""
        return round(self.seconds * fps)


@dataclass(frozen=True)
class SeamSettings:
    """How a seam is made, its bounds, and how feet stand at it.

    Parameters
    ----------
    blend
        How motions are blended.
    bounds
        What a seam may do.
    feet
        How feet stand in the finished motion.
    creep
        Metres that a natural planted foot may go from its mean place while it is corrected.
    """

    blend: Blend = field(default_factory=Blend)
    bounds: SeamBounds = field(default_factory=SeamBounds)
    feet: SeamFeet = "natural"
    creep: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "feet", feet_named(self.feet))
        check_creep(self.creep)


@dataclass(frozen=True)
class Settings:
    """Everything besides its sources that determines a motion.

    Parameters
    ----------
    cost, cost_settings
        Name of the cost by which moments are compared (`COSTS`), and its settings other than their defaults.
    threshold
        ``"auto"``: what transitions show decides. A number, also as text, or ``"knee"``: the highest cost of a
        transition.
    share
        For ``"auto"``: of what can be reached, the part that the best transitions alone are to reach.
    blend_seconds, root, way, length
        How transitions are blended: see `Blend`.
    skeleton
        Name of the clip whose body the result has; the first clip's by default.
    fps
        Frame rate of the result; the most common one by default.
    check_seams
        Make every transition and hold it against ``bounds`` before it is used.
    roles
        Joint of each role as the user sets them.
    feet
        How feet stand at seams.
    creep
        Metres that a natural planted foot may go from its mean place while it is corrected.
    verdicts
        What a person said of transition points of a library: clip and frame left, clip and frame entered, good or bad.
    quality
        Of the worst transition: 1 is within the bounds, 2 allows half of what they do.
    component
        Which part of a graph is walked, 1 for the one that holds most.
    bridges
        Connect clips that no direct transition connects by longer blends in a time of their own.
    effort
        ``"high"``: each admitted transition is made where, within a fifth of a second of its point, and as long as it
        shows least; ``"standard"``: at its point, as long as was asked.
    search
        How transition points are searched.
    bounds
        What a seam may do.

    Raises
    ------
    SettingError
        If a setting is impossible, before anything is read or compared.

    Examples
    --------
    >>> Settings(threshold="0.25", feet="captured").document()["threshold"]
    0.25
    """

    cost: str = "point_cloud"
    cost_settings: dict[str, Any] = field(default_factory=dict)
    threshold: Limit = "auto"
    share: float = 0.6
    blend_seconds: float = Blend.seconds
    root: RootMode = Blend.root
    skeleton: str | None = None
    fps: float | None = None
    check_seams: bool = True
    roles: dict[str, str] | None = None
    feet: SeamFeet = SeamSettings.feet
    creep: float = SeamSettings.creep
    way: str = Blend.way
    verdicts: Sequence[Sequence[Any]] = ()
    length: str = Blend.length
    quality: float = 1.0
    component: int = 1
    bridges: bool = True
    effort: Effort = "standard"
    search: SearchSettings = field(default_factory=SearchSettings)
    bounds: SeamBounds = field(default_factory=SeamBounds)

    def __post_init__(self) -> None:
        """Refuse what is impossible."""
        _ = self.blend
        object.__setattr__(self, "feet", feet_named(self.feet))
        check_creep(self.creep)
        check_cost(self.cost)
        object.__setattr__(self, "threshold", parse_threshold(self.threshold))
        check_share(self.share)
        check_quality(self.quality)
        check_effort(self.effort, check_seams=self.check_seams)
        for reported in self.verdicts:
            if [type(part) for part in reported] != [str, int, str, int, bool]:
                msg = f"verdicts: {reported!r} is none; a verdict is clip, frame, clip, frame, and true for good"
                raise SettingError(msg)
        check_fps(self.fps)

    @property
    def blend(self) -> Blend:
        """How transitions are blended."""
        return Blend(self.blend_seconds, self.root, self.way, self.length)

    @property
    def seams(self) -> SeamSettings:
        """How seams are made, and their bounds."""
        return SeamSettings(self.blend, self.bounds, self.feet, self.creep)

    def document(self) -> dict[str, Any]:
        """The settings in a record: all text, numbers and lists, and other values that differ from the default."""
        plain: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in ("search", "bounds"):
            part = plain.pop(name)
            if part != getattr(DEFAULTS, name):
                plain[name] = {one.name: getattr(part, one.name) for one in fields(part)}
        return plain


DEFAULTS = Settings()
"""Every setting as it is where nobody sets it, in functions and commands alike."""
BEFORE: Mapping[str, Any] = {"feet": "free", "bridges": False, "way": "crossfade"}
"""What a record means that does not mention a setting, where that is not the default: it is older than the setting."""


def changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings with some of them changed, ``blend`` as a whole or in its parts; None changes nothing.

    Raises
    ------
    SettingError
        If a setting is not known or not possible.

    Examples
    --------
    >>> changed(DEFAULTS, {"blend": Blend(0.5), "share": None}).blend_seconds
    0.5
    """
    given = {name: value for name, value in changes.items() if value is not None}
    blend = given.pop("blend", None)
    known = {one.name for one in fields(Settings)}
    for name in given:
        if name not in known:
            msg = f"no setting is called {name!r}; {nearest(name, sorted({*known, 'blend'}))}"
            raise SettingError(msg)
    if isinstance(blend, Blend):
        parts = {"blend_seconds": blend.seconds, "root": blend.root, "way": blend.way, "length": blend.length}
        given = {**parts, **given}
    elif blend is not None:
        raise SettingError(
            f"blend={blend!r} is no blend; give seconds, or a Blend such as Blend(seconds=0.5)"
        )
    return replace(settings, **given)
