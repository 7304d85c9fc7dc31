"""Steering a walker from files: a script of wishes, a path on the ground, a pointer to chase."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segue.app.library.connection import Store
from segue.app.library.walkers import read_walker
from segue.app.told import why_unread
from segue.arrays import Floats
from segue.errors import FileError, SettingError
from segue.locomotion.examples import STAND
from segue.locomotion.model import Locomotion
from segue.maths.planar import wrapped
from segue.motion.clip import Clip, Origin
from segue.motion.pose import Pose
from segue.runtime.heights import Ground
from segue.runtime.steered.origins import FrameSource, Part, frame_sources
from segue.runtime.steered.player import LocomotionPlayer, Standing, Wish

_LONGEST = 3600.0  # seconds of a steered motion
_CALM = 2.0  # seconds of standing after the last wish of a script
_AHEAD = 0.6  # seconds that a chaser looks ahead
_CLOSE = 0.5  # metres from the pointer at which a chaser stops
_TURNING = 2.0  # 1/s: how fast a chaser turns towards the pointer


@dataclass(frozen=True)
class Steered:
    """A steered motion: the clip, and for every frame where the character was, what it wished and what made it."""

    clip: Clip
    standing: tuple[Standing, ...]
    wishes: tuple[Wish, ...]
    parts: tuple[tuple[Part, ...], ...]
    model: Locomotion

    def sources(self, frame: int) -> tuple[FrameSource, ...]:
        """Examples that made a frame, with clip, second and weight, the heaviest first."""
        return frame_sources(self.model, self.parts[frame])


@dataclass
class _Played:
    """Frames of a steered motion as they come."""

    player: LocomotionPlayer
    poses: list[Pose] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    parts: list[tuple[Part, ...]] = field(default_factory=list)

    def add(self, pose: Pose, wish: Wish) -> None:
        """Add a frame."""
        self.poses.append(pose)
        self.standing.append(self.player.standing)
        self.wishes.append(wish)
        self.parts.append(self.player.parts)

    def whole(self, fps: float) -> Steered:
        """The motion."""
        rotations = np.array([pose.rotations for pose in self.poses])
        roots = np.array([pose.root_position for pose in self.poses])
        origin = Origin.of("steered", len(rotations))
        clip = Clip(self.player.skeleton, rotations, roots, fps, name="steered", origin=origin)
        return Steered(clip, tuple(self.standing), tuple(self.wishes), tuple(self.parts), self.player.model)


def walker_of(path: str | Path, *, name: str | None = None) -> Locomotion:
    """Walker of a library file.

    Raises
    ------
    FileError
        If the file is no library or holds no such walker.
    """
    store = Store(Path(path), "r", create=False, patience=5.0)
    try:
        return read_walker(store, name=name)
    finally:
        store.close()


def read_table(
    path: Path, columns: Sequence[str], *, text: Sequence[str] = (), more: Sequence[str] = ()
) -> list[dict[str, str | float]]:
    """Rows of a CSV file with a head line; columns not in ``text`` are numbers, those in ``more`` may be missing.

    Raises
    ------
    FileError
        With the line, if a column is missing or a value is no finite number.
    """
    try:
        lines = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"cannot be read: {why_unread(error)}") from None
    rows: list[dict[str, str | float]] = []
    head: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        words = [word.strip() for word in line]
        if not any(words) or words[0].startswith("#"):
            continue
        if head is None:
            head = [word.lower() for word in words]
            missing = [name for name in columns if name not in head]
            if missing:
                msg = f"its head line lacks {', '.join(missing)}; it is {','.join(columns)}"
                raise FileError(path, msg, line=number)
            continue
        if len(words) < len(head):
            raise FileError(path, f"has {len(words)} values for {len(head)} columns", line=number)
        row: dict[str, str | float] = {}
        for name, word in zip(head, words, strict=False):
            if name not in (*columns, *more):
                continue
            row[name] = word if name in text else _number(path, number, name, word)
        rows.append(row)
    if not rows:
        raise FileError(path, f"holds no rows; it is a head line {','.join(columns)} and lines of values")
    return rows


def _number(path: Path, line: int, name: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise FileError(path, f"{name} is {word!r}, and must be a number", line=line)
    return value


def read_script(path: Path, model: Locomotion) -> list[tuple[float, Wish]]:
    """Wishes of a script (seconds,type,speed,turn in m/s and degrees a second), each from its second on.

    Further parameters of the walker have a column of their name, and are 0 without it.

    Raises
    ------
    FileError
        With the line, if a value is wrong, a type is unknown, or the seconds do not rise.
    """
    out: list[tuple[float, Wish]] = []
    named = {name.lower(): name for name in model.parameters[2:]}
    for row in read_table(path, ("seconds", "type", "speed", "turn"), text=("type",), more=tuple(named)):
        seconds = float(row["seconds"])
        more = tuple((name, float(row[column])) for column, name in named.items() if column in row)
        kind, turn = _kind(path, model, str(row["type"])), np.radians(float(row["turn"]))
        wish = Wish(kind, float(row["speed"]), turn, more)
        if out and seconds <= out[-1][0]:
            raise FileError(path, f"seconds must rise; {seconds:g} comes after {out[-1][0]:g}")
        if not 0.0 <= seconds <= _LONGEST:
            raise FileError(path, f"seconds lie from 0 to {_LONGEST:g}, not {seconds:g}")
        out.append((seconds, wish))
    return out


def _kind(path: Path, model: Locomotion, kind: str) -> str:
    try:
        model.index(kind)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return kind


def steer_script(
    model: Locomotion,
    script: Sequence[tuple[float, Wish]],
    *,
    fps: float = 60.0,
    seconds: float | None = None,
    ground: Ground | None = None,
) -> Steered:
    """Play a script of wishes; without a length it ends some time after the last one."""
    player = LocomotionPlayer(model, ground=ground)
    length = script[-1][0] + _CALM if seconds is None else seconds
    times = [start for start, _ in script]

    def wishes() -> Iterator[Wish | None]:
        for frame in range(_frames(length, fps)):
            row = int(np.searchsorted(times, frame / fps + 1e-9, side="right")) - 1
            yield script[row][1] if row >= 0 else None

    return _played(player, wishes(), fps)


def steer_path(model: Locomotion, path: Path, *, fps: float = 60.0, ground: Ground | None = None) -> Steered:
    """Follow a path on the ground (x,z,type,speed at each point); the guide stays on it, type and speed as told.

    The turning rate is what the path asks for at the speed there. At its end the character stands still if it can.

    Raises
    ------
    FileError
        If the file is wrong or its points lie in one place.
    """
    rows = read_table(path, ("x", "z", "type", "speed"), text=("type",))
    curve = _Curve.through(path, np.array([[row["x"], row["z"]] for row in rows], dtype=np.float64))
    kinds = [_kind(path, model, str(row["type"])) for row in rows]
    speeds = np.array([float(row["speed"]) for row in rows])
    if np.any(speeds <= 0):
        raise FileError(path, f"speeds along a path are positive, not {speeds.min():g}")
    player = LocomotionPlayer(model, ground=ground)
    x, z, heading = curve.at(0.0)
    gone = 0.0
    played = _Played(player)
    player.step_along(0.0, player.wish, (x, z, heading))
    can_stand = any(node.kind == STAND for node in model.nodes)
    still = 0.0
    for _ in range(_frames(_LONGEST, fps)):
        ahead = player.standing.speed / fps
        gone = min(gone + max(ahead, 0.0), curve.length)
        x, z, heading = curve.at(gone)
        point = min(int(np.searchsorted(curve.knots, gone, side="right")) - 1, len(rows) - 2)
        speed = float(np.interp(gone, curve.knots, speeds))
        done = curve.length - gone < 0.02
        stopping = curve.length - gone < speed * _AHEAD
        wish = Wish(kinds[point], speed, curve.bend(gone) * max(player.standing.speed, 0.1))
        if can_stand and (done or stopping):
            wish = Wish(STAND)
        pose = player.step_along(1.0 / fps, wish, (x, z, heading))
        played.add(pose, wish)
        resting = player.standing.way is None and player.standing.kind == STAND
        still = still + 1.0 / fps if done or (stopping and resting) else 0.0
        if (not can_stand and done) or (resting and still > 1.0):
            break
    return played.whole(fps)


def steer_chase(model: Locomotion, path: Path, *, fps: float = 60.0, ground: Ground | None = None) -> Steered:
    """Chase a pointer (seconds,x,z): turn towards it, run if it is far, walk if it is near, stand when it is reached.

    Raises
    ------
    FileError
        If the file is wrong or its seconds do not rise.
    """
    rows = read_table(path, ("seconds", "x", "z"))
    times = np.array([row["seconds"] for row in rows], dtype=np.float64)
    places = np.array([[row["x"], row["z"]] for row in rows], dtype=np.float64)
    if np.any(np.diff(times) <= 0):
        raise FileError(path, "seconds must rise from line to line")
    if not 0.0 <= times[-1] <= _LONGEST:
        raise FileError(path, f"seconds lie from 0 to {_LONGEST:g}, not {times[-1]:g}")
    player = LocomotionPlayer(model, ground=ground)
    ranges = {
        node.kind: (float(node.set.parameters[:, 0].min()), float(node.set.parameters[:, 0].max()))
        for node in model.nodes
    }

    def wishes() -> Iterator[Wish | None]:
        for frame in range(_frames(float(times[-1]), fps)):
            target = np.array([np.interp(frame / fps, times, places[:, c]) for c in range(2)])
            yield _chasing(player.standing, target, ranges)

    return _played(player, wishes(), fps)


def _chasing(now: Standing, target: Floats, ranges: dict[str, tuple[float, float]]) -> Wish:
    """Wish of a chaser: how far and in which direction the pointer is says how fast and whither."""
    away = target - np.array(now.place)
    far = float(np.hypot(*away))
    if far < _CLOSE and STAND in ranges:
        return Wish(STAND)
    gap = float(wrapped(np.arctan2(away[0], away[1]) - now.heading))
    moving = {kind: span for kind, span in ranges.items() if kind != STAND} or ranges
    wanted = far / (2 * _AHEAD)
    slow = min(moving, key=lambda kind: moving[kind][0])
    fast = max(moving, key=lambda kind: moving[kind][1])
    at_ease = now.kind == fast and wanted > 0.8 * moving[fast][0]  # no to and fro between two types
    kind = fast if fast != slow and (wanted > moving[fast][0] or at_ease) else slow
    speed = float(np.clip(wanted, *moving[kind]))
    return Wish(kind, speed, _TURNING * gap)


def _frames(seconds: float, fps: float) -> int:
    if not (fps > 0 and 0 < seconds <= _LONGEST):
        msg = f"a steered motion lasts up to {_LONGEST:g} s at a positive rate, not {seconds:g} s at {fps:g} fps"
        raise SettingError(msg)
    return round(seconds * fps) + 1


def _played(player: LocomotionPlayer, wishes: Iterator[Wish | None], fps: float) -> Steered:
    """Motion of a stream of wishes: the first frame is the start, each other a step."""
    played = _Played(player)
    dt = 0.0
    for wish in wishes:
        pose = player.step(dt, wish)
        played.add(pose, player.wish)
        dt = 1.0 / fps
    return played.whole(fps)


@dataclass(frozen=True, eq=False)
class _Curve:
    """A smooth curve through points, by the length along it."""

    knots: Floats
    table: Floats
    length: float

    @staticmethod
    def through(path: Path, points: Floats) -> _Curve:
        """Curve through points (n, 2); two in one place are one."""
        from scipy.interpolate import CubicSpline

        apart = np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-6])
        if apart.sum() < 2 or not apart.all():
            raise FileError(path, "a path needs two points or more, and no point twice in turn")
        chords = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        spline = CubicSpline(chords, points, bc_type="natural") if len(points) > 2 else None
        fine = np.linspace(0.0, chords[-1], max(200, int(chords[-1] * 100)))
        places = (
            spline(fine)
            if spline is not None
            else points[0] + fine[:, None] / chords[-1] * (points[1] - points[0])
        )
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
        tangent = np.gradient(places, along, axis=0)
        heading = np.unwrap(np.arctan2(tangent[:, 0], tangent[:, 1]))
        bend = np.gradient(heading, along)
        table = np.column_stack([along, places, heading, bend])
        return _Curve(np.interp(chords, fine, along), table, float(along[-1]))

    def at(self, gone: float) -> tuple[float, float, float]:
        """Place and heading after so many metres."""
        x, z, heading = (float(np.interp(gone, self.table[:, 0], self.table[:, c])) for c in (1, 2, 3))
        return x, z, heading

    def bend(self, gone: float) -> float:
        """Radians a metre, positive to the left."""
        return float(np.interp(gone, self.table[:, 0], self.table[:, 4]))
