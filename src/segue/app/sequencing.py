"""Sequences of elementary motions: made from a script, or played live from timed requests."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np

from segue.app.elements import Elements, held_in, read_motions
from segue.app.sequence_requests import LONGEST
from segue.app.stages import read_in_order
from segue.errors import FileError, NoTransitionError, SettingError, nearest
from segue.library.element_files import SequenceDocument, files_of
from segue.library.elements import unknown
from segue.motion.clip import Clip, Origin
from segue.motion.pose import Pose
from segue.motion.reference import with_roles
from segue.motion.resample import resampled
from segue.motion.skeleton import Skeleton
from segue.runtime.sequence_player import SequenceAnswer, SequencePlayer, SequenceRequest
from segue.sequencing.script import SequenceMethod
from segue.sequencing.sequence import MotionSequence, make_sequence
from segue.synthesis.loop import Loop, loop
from segue.threads import Progress, silent

MOST_FRAMES = 500_000
"""Most frames of a sequence."""
_CALM = 3.0  # seconds that a live motion goes on after its last request, unless its length is given
_LONGEST_LOOP = 20.0  # most seconds of a loop between motions


@dataclass(frozen=True, eq=False)
class ScriptedSequence:
    """A script with the elementary motions that it plays.

    Parameters
    ----------
    name
        Name of the sequence.
    document
        The script.
    elements
        The elementary motions that it names.
    """

    name: str
    document: SequenceDocument
    elements: Elements


def read_script(
    path: str | Path,
    *,
    name: str | None = None,
    roles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> ScriptedSequence:
    """Read a sequence of a TOML file or a library, with its elementary motions.

    Parameters
    ----------
    path
        The file.
    name
        Name of the sequence, if there are several.
    roles
        As in `segue.motion.reference.with_roles`.
    progress
        Called with stage, done, total.

    Raises
    ------
    FileError
        If it cannot be read or holds no such sequence; with the line of an unknown motion.
    SettingError
        If roles name joints that no body has.
    """
    path = Path(path)
    held, known = held_in([path])
    if not held:
        raise FileError(path, 'holds no sequence; [[motions]] with motion = "jab" and at = 1.5 places one')
    if name is None and len(held) > 1 and path.stem not in held:
        raise FileError(
            path, f"holds {len(held)} sequences; name one with --name: {', '.join(list(held)[:5])}"
        )
    chosen = name if name is not None else (path.stem if path.stem in held else next(iter(held)))
    if chosen not in held:
        raise FileError(path, f"holds no sequence {chosen!r}; {nearest(chosen, held)}")
    document = held[chosen]
    for number, one in enumerate(document.motions):
        if one.motion not in known:
            raise _unknown_motion(path, chosen, number, unknown(one.motion, known))
    wanted = dict.fromkeys(one.motion for one in document.motions)
    elements = read_motions([path], wanted=wanted, roles=roles, progress=progress)
    return ScriptedSequence(chosen, document, elements)


def _unknown_motion(path: Path, name: str, number: int, why: str) -> FileError:
    """Error about an unknown motion of a script, with its line if the script is a file."""
    if path.suffix.lower() != ".toml":
        return FileError(path, f"the sequence {name!r}: {why}")
    return files_of(path)[-1].error("motions", number, why) if name == path.stem else FileError(path, why)


def make(
    script: ScriptedSequence, *, body: Skeleton | None = None, fps: float | None = None
) -> MotionSequence:
    """Make the sequence of a script.

    Raises
    ------
    SettingError
        If it would exceed `MOST_FRAMES`.
    SkeletonError
        If a body has no legs; names the missing roles.
    """
    motions, placed = script.elements.motions, script.document.motions
    rate = fps or max((one.clip.fps for one in motions.values()), default=1.0)
    times = [one.at for one in placed if one.at is not None]
    seconds = max(times, default=0.0) - min(times, default=0.0)
    seconds += sum(
        motions[one.motion].clip.seconds for one in placed if one.at is None or one.at == max(times)
    )
    if seconds * rate > MOST_FRAMES:
        msg = (
            f"the sequence {script.name!r} lasts about {seconds:,.0f} s, {seconds * rate:,.0f} frames at {rate:g} fps; "
            f"a motion has {MOST_FRAMES:,} at most"
        )
        raise SettingError(msg)
    return make_sequence(script.elements.motions, script.document.script, skeleton=body, fps=fps)


# -- live --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LiveSequence:
    """A motion that a player made from timed requests.

    Parameters
    ----------
    clip
        Its frames; their origin names the sources of the lower body.
    upper_origin
        The sources of the upper body.
    answers
        The outcome of each request.
    plans
        Every plan that was played, with the frame of the motion at which its clip begins.
    planning_ms
        Milliseconds that the player took to process each request, on this machine.
    """

    clip: Clip
    upper_origin: Origin
    answers: tuple[SequenceAnswer, ...]
    plans: tuple[tuple[int, MotionSequence], ...]
    planning_ms: tuple[float, ...] = ()


def read_loop(word: str, elements: Elements, *, roles: Mapping[str, str] | None = None) -> tuple[Clip, Loop]:
    """Read the loop that a player plays between motions: of an elementary motion by name, or of a clip.

    ``roles`` apply if the body has such joints.

    Returns
    -------
    The source clip, and the loop: its best cycle, or all of it if none is found.

    Raises
    ------
    SettingError
        If the word names neither.
    """
    if word in elements.motions:
        clip = elements.motions[word].clip
        return elements.clips.clip(elements.ranges[word].clip), loop_of(clip)
    try:
        clip = read_in_order([word]).clips[0]
    except FileError as error:
        if Path(word).suffix or ":" in word:
            raise
        msg = f"--idle {word!r} is neither an elementary motion nor a clip; {nearest(word, elements.motions)} ({error})"
        raise SettingError(msg) from None
    clip = with_roles([_apart(clip, elements)], roles, needed=False)[0]
    return clip, loop_of(clip)


def _apart(clip: Clip, elements: Elements) -> Clip:
    """The same clip of the elements if there is one; else the clip, renamed if its name is taken."""
    same = next((one for one in elements.clips.clips if one.name == clip.name), None)
    if same is None:
        return clip
    places = [None if one.source is None else one.source.path for one in (clip, same)]
    if places[0] == places[1]:
        return same
    return clip.renamed(f"{clip.name} (idle)")


def loop_of(clip: Clip) -> Loop:
    """Loop of a clip's best cycle, or of all of it if none is found.

    Examples
    --------
    >>> import segue
    >>> loop_of(segue.sample("stand")).stays
    True
    """
    try:
        return loop(clip, longest=min(_LONGEST_LOOP, max(clip.seconds, 0.1)))
    except (NoTransitionError, SettingError):
        return loop(clip, start=0, stop=clip.n_frames - 1)


def play(
    player: SequencePlayer,
    requests: Sequence[tuple[float, SequenceRequest]],
    *,
    seconds: float | None = None,
    name: str = "live",
) -> LiveSequence:
    """Run a player with timed requests, each made at the first frame at or after its time.

    Parameters
    ----------
    player
        The player; it is reset.
    requests
        Seconds of playing time, and the request.
    seconds
        Length; by default until some time after the last requested motion has begun.
    name
        Of the motion.

    Raises
    ------
    SettingError
        If the length is invalid.
    """
    fps = player.fps
    if seconds is not None and not 0 < seconds <= LONGEST:
        msg = f"a live sequence lasts up to {LONGEST:g} s, not {seconds:g}"
        raise SettingError(msg)
    lasts = seconds or max([0.0, *(at for at, _ in requests), *(one.at or 0.0 for _, one in requests)])
    if lasts * fps > MOST_FRAMES:
        msg = (
            f"{lasts:g} s at {fps:g} fps are {lasts * fps:,.0f} frames; a motion has {MOST_FRAMES:,} at most"
        )
        raise SettingError(msg)
    player.reset()
    shown = _Shown(player)
    due = list(requests)
    frame = 0
    while True:
        pose = player.step(0.0 if frame == 0 else 1.0 / fps)
        while due and due[0][0] * fps <= frame + 1e-6:
            began = time.perf_counter()
            pose = player.step(0.0, due.pop(0)[1])
            shown.planning_ms.append(1000 * (time.perf_counter() - began))
        shown.add(pose)
        if frame >= (_enough(player, due) if seconds is None else round(seconds * fps)):
            return shown.whole(name)
        frame += 1


def _enough(player: SequencePlayer, due: Sequence[tuple[float, SequenceRequest]]) -> float:
    """Frame at which a live motion without a given length ends: some time after all requested motions have begun."""
    if due:
        return np.inf
    begun = [one.begins_at or 0.0 for one in player.answers if one.outcome in {"planned", "waiting"}]
    asked = [one.seconds for one in player.answers]
    return min(round((max([*begun, *asked, 0.0]) + _CALM) * player.fps), round(LONGEST * player.fps))


class _Shown:
    def __init__(self, player: SequencePlayer) -> None:
        self.player = player
        self.poses: list[Pose] = []
        self.rows: list[tuple[MotionSequence, list[int]]] = []
        self.plans: list[tuple[int, MotionSequence]] = []
        self.planning_ms: list[float] = []

    def add(self, pose: Pose) -> None:
        """Add a frame."""
        self.poses.append(pose)
        if not self.rows or self.rows[-1][0] is not self.player.plan:
            self.rows.append((self.player.plan, []))
        self.rows[-1][1].append(self.player.plan_row)
        if not self.plans or self.plans[-1][1] is not self.player.plan:
            self.plans.append((round(self.player.plan_seconds * self.player.fps), self.player.plan))

    def whole(self, name: str) -> LiveSequence:
        """Return the complete motion."""
        lower = merged([plan.clip.origin.take(rows) for plan, rows in self.rows])
        upper = merged([plan.upper_origin.take(rows) for plan, rows in self.rows])
        clip = Clip(
            self.player.skeleton,
            np.stack([pose.rotations for pose in self.poses]),
            np.stack([pose.root_position for pose in self.poses]),
            self.player.fps,
            name=name,
            origin=lower,
        )
        answers, plans = self.player.answers, tuple(self.plans)
        return LiveSequence(clip, upper, answers, plans, tuple(self.planning_ms))


def merged(origins: Sequence[Origin]) -> Origin:
    """Concatenate origins.

    Examples
    --------
    >>> merged([Origin.of("walk", 2), Origin.of("run", 1)]).clips
    ('walk', 'run')
    """
    names = list(dict.fromkeys(name for origin in origins for name in origin.clips))
    clip = [
        np.where(origin.clip < 0, -1, np.array([names.index(name) for name in origin.clips])[origin.clip])
        for origin in origins
    ]
    return Origin(
        tuple(names),
        np.concatenate(clip),
        np.concatenate([origin.frame for origin in origins]),
        np.concatenate([origin.weight for origin in origins]),
    ).checked()


def method_named(word: str) -> SequenceMethod:
    """Method by name.

    Raises
    ------
    SettingError
        If there is none of that name; names the nearest.

    Examples
    --------
    >>> method_named("optimal")
    'optimal'
    """
    known: tuple[SequenceMethod, ...] = get_args(SequenceMethod)
    for method in known:
        if method == word:
            return method
    msg = f"method {word!r} is not known; {nearest(word, known)}"
    raise SettingError(msg)


def player_of(
    elements: Elements, idle: Loop, *, smoothness: float, method: SequenceMethod, fps: float | None = None
) -> SequencePlayer:
    """Player of elementary motions with a loop between them, at the loop's rate or a given one."""
    if fps is not None and fps != idle.clip.fps:
        idle = replace(idle, clip=resampled(idle.clip, fps))
    return SequencePlayer(elements.motions, idle, smoothness=smoothness, method=method)
