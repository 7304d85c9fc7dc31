"""All settings of a motion, with their defaults, checks and form in a record."""

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
    """Parse the highest cost of a transition: a number from 0, also as text, or one of ``words``.

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
        return value  # type: ignore[return-value]  # one of the caller's words
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
    """Refuse a share outside (0, 1]."""
    if not 0 < share <= 1:
        msg = f"share {share}: the part of what can be reached lies above 0 and up to 1"
        raise SettingError(msg)


def check_quality(quality: float) -> None:
    """Refuse a quality outside 0.1 to 10."""
    if not 0.1 <= quality <= 10.0:
        msg = (
            f"quality {quality}: give 0.1 to 10; 1 keeps every seam within bounds, 2 allows half of what they do, "
            "0.5 twice as much"
        )
        raise SettingError(msg)


def feet_named(word: str) -> SeamFeet:
    """Return the foot mode at seams for its name, also for an older name.

    Raises
    ------
    SettingError
        If the name is unknown.

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
    """Refuse a creep of planted feet outside 0 to 1 m."""
    if not 0.0 <= creep <= 1.0:
        msg = f"a planted foot cannot creep {creep:g} m; give metres from 0 to 1, as 0.01 for a centimetre"
        raise SettingError(msg)


def check_fps(fps: float | None) -> None:
    """Refuse a frame rate of the result outside 1 to 1000."""
    if fps is not None and not 1 <= fps <= 1000:
        msg = f"{fps:g} frames a second is not a frame rate that a result can have; choose 1 to 1000"
        raise SettingError(msg)


def check_cost(name: str) -> None:
    """Refuse an unknown cost."""
    if name not in COSTS:
        msg = f"no cost is called {name!r}; known: {', '.join(sorted(COSTS))}; {nearest(name, COSTS)}"
        raise SettingError(msg)


def check_method(name: str, root: str) -> None:
    """Refuse an unknown blend method, or one that cannot blend the root by ``root``."""
    if name not in BLENDS:
        msg = f"no blend method is called {name!r}; known: {', '.join(BLENDS)}; {nearest(name, BLENDS)}"
        raise SettingError(msg)
    if name not in CROSSFADES and root != "position":
        words = " and ".join(repr(one) for one in CROSSFADES)
        msg = f"way={name!r} blends the root by position; root='displacement' is for {words}"
        raise SettingError(msg)


def check_length(name: str) -> None:
    """Refuse a method of finding blend lengths that is unknown or returns a separate length for each side."""
    if name not in LENGTHS:
        msg = f"blend length {name!r} is not possible here; give seconds or one of {', '.join(LENGTHS)}"
        raise SettingError(f"{msg}; {nearest(str(name), LENGTHS)}")


@dataclass(frozen=True)
class Blend:
    """Settings of a blend: length, method, and treatment of the root.

    Parameters
    ----------
    seconds
        Length; 1/3 s is the baseline of every study (10 frames at 30 fps). 0 is a hard cut: heading and ground
        position are still continuous.
    root
        ``"position"``: root position and orientation are blended directly after the ground alignment, so that feet
        planted in both motions stay planted (Wang, ch. VI.1). ``"displacement"``: frame-to-frame displacement on the
        ground and heading are blended, height directly (joint-relative-distance motion graphs, §4.6); only for
        crossfades.
    way
        Blend method: a name of `segue.blending.ways.WAYS`.
    length
        ``"fixed"``: every blend lasts ``seconds``. Another name of `segue.blending.methods.METHODS` gives each
        transition of a graph its own length; transition points are then searched for blends of ``seconds``.

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
        """Return this blend with a length in seconds, or with a length found by a named method.

        Examples
        --------
        >>> Blend().lasting(0.5).seconds, Blend().lasting("auto").length
        (0.5, 'auto')
        """
        if isinstance(length, str):
            return replace(self, length=length)
        return replace(self, seconds=float(length), length="fixed")

    def frames(self, fps: float) -> int:
        """Return the number of blended frames at a frame rate."""
        return round(self.seconds * fps)


@dataclass(frozen=True)
class SeamSettings:
    """Settings of a seam: blend, bounds and treatment of the feet.

    Parameters
    ----------
    blend
        Settings of the blend.
    bounds
        Bounds of the seam.
    feet
        Treatment of planted feet, see `SeamFeet`.
    creep
        Most metres that a planted foot may move from its mean place while it is corrected, for ``"natural"`` feet.
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
    """All settings that, with its source clips, determine a motion.

    Parameters
    ----------
    cost, cost_settings
        Name of the cost that compares moments (`COSTS`), and those of its settings that differ from their defaults.
    threshold
        Highest cost of a transition: a number, also as text, or ``"knee"``. ``"auto"``: no threshold; transitions are
        admitted by measurement of the rendered transition.
    share
        For ``"auto"``: share of the reachable motion that the best transitions alone must reach.
    blend_seconds, root, way, length
        Blend of the transitions, see `Blend`.
    skeleton
        Name of the clip whose skeleton the result has; the first clip's by default.
    fps
        Frame rate of the result; the most common one by default.
    check_seams
        Render every transition and compare it with ``bounds`` before it is used.
    roles
        Joint of each role set by the user.
    feet
        Treatment of planted feet at seams, see `SeamFeet`.
    creep
        Most metres that a planted foot may move from its mean place while it is corrected, for ``"natural"`` feet.
    verdicts
        A person's verdicts on transition points of a library: clip and frame left, clip and frame entered, good or not.
    quality
        Lowest quality of a transition: 1 is within the bounds, 2 allows half of them.
    component
        Component of the graph that is walked, 1 for the largest.
    bridges
        Connect clips without direct transitions by longer blends, each with its own duration.
    effort
        ``"high"``: each admitted transition is made within a fifth of a second of its point, at the place and with the
        length at which it is least visible; ``"standard"``: at its point, with the length set.
    search
        Settings of the search for transition points.
    bounds
        Bounds of a seam.

    Raises
    ------
    SettingError
        If a setting is not possible; raised before a clip is read or compared.

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
                msg = f"verdicts: {reported!r} is not a verdict; give clip, frame, clip, frame, and true for good"
                raise SettingError(msg)
        check_fps(self.fps)

    @property
    def blend(self) -> Blend:
        """Settings of the transitions' blend."""
        return Blend(self.blend_seconds, self.root, self.way, self.length)

    @property
    def seams(self) -> SeamSettings:
        """Settings of seams: blend, bounds, feet and creep."""
        return SeamSettings(self.blend, self.bounds, self.feet, self.creep)

    def document(self) -> dict[str, Any]:
        """Return the settings as stored in a record; ``search`` and ``bounds`` only if they differ from the default."""
        plain: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in ("search", "bounds"):
            part = plain.pop(name)
            if part != getattr(DEFAULTS, name):
                plain[name] = {one.name: getattr(part, one.name) for one in fields(part)}
        return plain


DEFAULTS = Settings()
"""Default settings of functions and commands."""
BEFORE: Mapping[str, Any] = {"feet": "free", "bridges": False, "way": "crossfade"}
"""Values of settings that a record lacks because it is older than they are, where these differ from the defaults."""


def changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return settings with some of them changed, ``blend`` as one value or by its fields; None changes nothing.

    Raises
    ------
    SettingError
        If a setting is unknown or not possible.

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
