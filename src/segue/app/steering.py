"""Steer a walker from files: a script of commands, a path on the ground, a pointer to chase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.displays import Displayed
from segue.errors import FileError, SettingError
from segue.library.connection import Store
from segue.library.walkers import read_walker
from segue.locomotion.examples import STAND
from segue.locomotion.model import Locomotion
from segue.maths.planar import wrapped
from segue.motion.clip import Clip, Origin
from segue.motion.pose import Pose
from segue.runtime.heights import Ground
from segue.runtime.steered.origins import BlendPart, FrameSource, frame_sources
from segue.runtime.steered.player import Command, LocomotionPlayer, Standing
from segue.tables import Column, Table, by_head, rows_of, table_text

_LONGEST = 3600.0  # seconds of a steered motion
_MOST_FRAMES = 500_000
_FASTEST_RATE = 1000.0  # frames a second
_APART = 1e-6  # metres; least distance between points of a path
_FARTHEST = 100_000.0  # metres of a path
_MOST_PLACES = 500_000  # most samples of a path
_SLOWEST = 0.1  # m/s; least speed assumed along a path
_FASTER = 1.25  # most speed of a walker, relative to its fastest example
_SECONDS = Column("seconds", least=0.0, most=_LONGEST)
_KIND = Column("type", "text")
_SPEED = Column("speed", least=-100.0, most=100.0)
_PATH_SPEED = Column("speed", least=0.001, most=100.0)
_TURN = Column("turn", least=-3600.0, most=3600.0)
_CALM = 2.0  # seconds of standing after the last command of a script
_AHEAD = 0.6  # seconds that a chaser looks ahead, and before the end of a path at which a walker stops
_CLOSE = 0.5  # metres from the pointer at which a chaser stops
_TURNING = 2.0  # 1/s; turning rate of a chaser per radian of heading error


@dataclass(frozen=True)
class Steered(Displayed):
    """A steered motion: the clip, and for every frame the character's place, its command and its sources."""

    clip: Clip
    standing: tuple[Standing, ...]
    commands: tuple[Command, ...]
    parts: tuple[tuple[BlendPart, ...], ...]
    model: Locomotion

    def sources(self, frame: int) -> tuple[FrameSource, ...]:
        """Examples that made a frame, with clip, second and weight, the heaviest first."""
        return frame_sources(self.model, self.parts[frame])


@dataclass
class _SteeredFrames:
    player: LocomotionPlayer
    poses: list[Pose] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    parts: list[tuple[BlendPart, ...]] = field(default_factory=list)

    def add(self, pose: Pose, command: Command) -> None:
        """Add a frame."""
        self.poses.append(pose)
        self.standing.append(self.player.standing)
        self.commands.append(command)
        self.parts.append(self.player.parts)

    def whole(self, fps: float) -> Steered:
        """Return the complete motion."""
        rotations = np.array([pose.rotations for pose in self.poses])
        roots = np.array([pose.root_position for pose in self.poses])
        origin = Origin.of("steered", len(rotations))
        clip = Clip(self.player.skeleton, rotations, roots, fps, name="steered", origin=origin)
        return Steered(clip, tuple(self.standing), tuple(self.commands), tuple(self.parts), self.player.model)


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


def read_script(
    path: str | Path, model: Locomotion, *, text: str | None = None
) -> list[tuple[float, Command]]:
    """Commands of a script (seconds,type,speed,turn in m/s and degrees a second), each valid from its second on.

    Further parameters of the walker have a column each, and are 0 without it. ``text`` is the text of the file, if it
    was read before.

    Raises
    ------
    FileError
        With the line, if a value is wrong, a type is unknown, or the seconds do not increase.
    """
    named = {name.lower(): name for name in model.parameters[2:]}
    columns = [_SECONDS, _KIND, _SPEED, _TURN, *(Column(name, needed=False) for name in named)]
    table = _table(path, columns, text)
    _require_rising(table)
    kinds, turns = _kinds(table, model), np.radians(table.numbers["turn"]).tolist()
    speeds, seconds = (table.numbers[name].tolist() for name in ("speed", "seconds"))
    out = []
    for row, kind in enumerate(kinds):
        more = tuple(
            (name, float(table.numbers[column][row]))
            for column, name in named.items()
            if column in table.numbers
        )
        out.append((seconds[row], Command(kind, speeds[row], turns[row], more)))
    return out


def _table(path: str | Path, columns: Sequence[Column], text: str | None) -> Table:
    return by_head(rows_of(table_text(path) if text is None else text, path), path, columns)


def _require_rising(table: Table) -> None:
    seconds = table.numbers["seconds"]
    for row in np.flatnonzero(np.diff(seconds) <= 0).tolist():
        raise table.error(row + 1, f"seconds must rise; {seconds[row + 1]:g} comes after {seconds[row]:g}")


def _kinds(table: Table, model: Locomotion) -> tuple[str, ...]:
    """Types of the rows; each must be a type of the walker."""
    for row, kind in enumerate(table.texts["type"]):
        try:
            model.index(kind)
        except SettingError as error:
            raise table.error(row, str(error)) from None
    return table.texts["type"]


def steer_script(
    model: Locomotion,
    script: Sequence[tuple[float, Command]],
    *,
    fps: float = 60.0,
    seconds: float | None = None,
    ground: Ground | None = None,
) -> Steered:
    """Play a script of commands; without a length it ends some time after the last command."""
    player = LocomotionPlayer(model, ground=ground)
    length = script[-1][0] + _CALM if seconds is None else seconds
    times = [start for start, _ in script]

    def commands() -> Iterator[Command | None]:
        for frame in range(_frames(length, fps)):
            row = int(np.searchsorted(times, frame / fps + 1e-9, side="right")) - 1
            yield script[row][1] if row >= 0 else None

    return _played(player, commands(), fps)


def steer_path(
    model: Locomotion,
    path: str | Path,
    *,
    fps: float = 60.0,
    ground: Ground | None = None,
    text: str | None = None,
) -> Steered:
    """Follow a path on the ground (x,z,type,speed at each point); the guide stays on it, with the given type and speed.

    The turning rate is the curvature of the path times the speed. At the end the character stands still if it can.
    ``text`` is that of the file if it was read before.

    Raises
    ------
    FileError
        If the file is wrong, its points coincide, or the walker cannot reach its end in time.
    """
    table = _table(path, (Column("x"), Column("z"), _KIND, _PATH_SPEED), text)
    curve = _Curve.through(table)
    kinds, speeds = _kinds(table, model), table.numbers["speed"]
    _require_end(table, model, curve, fps)
    player = LocomotionPlayer(model, ground=ground)
    x, z, heading = curve.at(0.0)
    gone = 0.0
    played = _SteeredFrames(player)
    player.step_along(0.0, player.command, (x, z, heading))
    can_stand = any(node.kind == STAND for node in model.nodes)
    still = 0.0
    for _ in range(min(_frames(_LONGEST, fps, most=np.inf), _MOST_FRAMES)):
        ahead = player.standing.speed / fps
        gone = min(gone + max(ahead, 0.0), curve.length)
        x, z, heading = curve.at(gone)
        point = min(int(np.searchsorted(curve.knots, gone, side="right")) - 1, len(table) - 2)
        speed = float(np.interp(gone, curve.knots, speeds))
        done = curve.length - gone < 0.02
        stopping = curve.length - gone < speed * _AHEAD
        command = Command(kinds[point], speed, curve.bend(gone) * max(player.standing.speed, 0.1))
        if can_stand and (done or stopping):
            command = Command(STAND)
        pose = player.step_along(1.0 / fps, command, (x, z, heading))
        played.add(pose, command)
        resting = player.standing.transition is None and player.standing.kind == STAND
        still = still + 1.0 / fps if done or (stopping and resting) else 0.0
        if (not can_stand and done) or (resting and still > 1.0):
            break
    return played.whole(fps)


def _require_end(table: Table, model: Locomotion, curve: _Curve, fps: float) -> None:
    """Refuse a path whose end the walker cannot reach in the allowed time."""
    ranges = speed_ranges(model)
    for row, kind in enumerate(table.texts["type"][:-1]):
        if ranges[kind][1] < _SLOWEST:
            raise table.error(row, f"{kind!r} gets nowhere; only the last point of a path can have it")
    slow, fast = np.array([ranges[kind] for kind in table.texts["type"][:-1]]).T
    speeds = np.clip(
        table.numbers["speed"][:-1], np.maximum(slow, _SLOWEST), np.maximum(_FASTER * fast, _SLOWEST)
    )
    seconds = float(np.sum(np.diff(curve.knots) / speeds))
    most = min(_LONGEST, _MOST_FRAMES / fps)
    if seconds > most:
        msg = (
            f"the path is {curve.length:,.0f} m long and takes this walker {seconds:,.0f} s; "
            f"a steered motion lasts up to {most:,.0f} s at {fps:g} fps"
        )
        raise FileError(table.path, msg)


def steer_chase(
    model: Locomotion,
    path: str | Path,
    *,
    fps: float = 60.0,
    ground: Ground | None = None,
    text: str | None = None,
) -> Steered:
    """Chase a pointer (seconds,x,z): turn towards it, run if it is far, walk if it is near, stand when it is reached.

    ``text`` is that of the file if it was read before.

    Raises
    ------
    FileError
        If the file is wrong or its seconds do not increase.
    """
    table = _table(path, (_SECONDS, Column("x"), Column("z")), text)
    _require_rising(table)
    times, ends = table.numbers["seconds"], [table.numbers[name] for name in ("x", "z")]
    player = LocomotionPlayer(model, ground=ground)
    ranges = speed_ranges(model)

    def commands() -> Iterator[Command | None]:
        for frame in range(_frames(float(times[-1]), fps)):
            target = np.array([np.interp(frame / fps, times, end) for end in ends])
            now = player.standing
            yield chasing(now.kind, now.place, now.heading, target=target, ranges=ranges)

    return _played(player, commands(), fps)


def speed_ranges(model: Locomotion) -> dict[str, tuple[float, float]]:
    """Slowest and fastest speed of each type."""
    return {
        node.kind: (float(node.set.parameters[:, 0].min()), float(node.set.parameters[:, 0].max()))
        for node in model.nodes
    }


def chasing(
    kind: str,
    place: tuple[float, float],
    heading: float,
    *,
    target: Floats,
    ranges: Mapping[str, tuple[float, float]],
) -> Command:
    """Command of a chaser: speed and turning rate from the distance and direction of the pointer.

    Parameters
    ----------
    kind
        Current type.
    place, heading
        Position (x, z in metres) and heading (radians) of the character.
    target
        (2,) x and z of the pointer.
    ranges
        Slowest and fastest speed of each allowed type (`speed_ranges`).

    Examples
    --------
    >>> import numpy as np
    >>> command = chasing("stand", (0.0, 0.0), 0.0, target=np.array([0.0, 9.0]), ranges={"walk": (0.5, 2.0)})
    >>> command.kind, command.speed, command.turn
    ('walk', 2.0, 0.0)
    """
    away = target - np.array(place)
    far = float(np.hypot(*away))
    if far < _CLOSE and STAND in ranges:
        return Command(STAND)
    gap = float(wrapped(np.arctan2(away[0], away[1]) - heading))
    moving = {name: span for name, span in ranges.items() if name != STAND} or dict(ranges)
    wanted = far / (2 * _AHEAD)
    slow = min(moving, key=lambda name: moving[name][0])
    fast = max(moving, key=lambda name: moving[name][1])
    at_ease = kind == fast and wanted > 0.8 * moving[fast][0]  # hysteresis between the two types
    chosen = fast if fast != slow and (wanted > moving[fast][0] or at_ease) else slow
    speed = float(np.clip(wanted, *moving[chosen]))
    return Command(chosen, speed, _TURNING * gap)


def _frames(seconds: float, fps: float, *, most: float = _MOST_FRAMES) -> int:
    if not (1.0 <= fps <= _FASTEST_RATE and 0 < seconds <= _LONGEST):
        msg = (
            f"a steered motion lasts up to {_LONGEST:g} s at 1 to {_FASTEST_RATE:g} frames a second, "
            f"not {seconds:g} s at {fps:g}"
        )
        raise SettingError(msg)
    count = round(seconds * fps) + 1
    if count > most:
        msg = f"{seconds:g} s at {fps:g} fps are {count:,} frames; a steered motion has {most:,.0f} at most"
        raise SettingError(msg)
    return count


def _played(player: LocomotionPlayer, commands: Iterator[Command | None], fps: float) -> Steered:
    """Play a stream of commands: the first frame is the start, each further one a step."""
    played = _SteeredFrames(player)
    dt = 0.0
    for command in commands:
        pose = player.step(dt, command)
        played.add(pose, player.command)
        dt = 1.0 / fps
    return played.whole(fps)


@dataclass(frozen=True, eq=False)
class _Curve:
    """A smooth curve through points, by arc length."""

    knots: Floats
    along: Floats
    columns: tuple[Floats, ...]
    length: float

    @staticmethod
    def through(table: Table) -> _Curve:
        """Curve through the points of a table."""
        from scipy.interpolate import CubicSpline

        points = np.column_stack([table.numbers["x"], table.numbers["z"]])
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if len(points) < 2:
            raise FileError(table.path, "a path needs two points or more")
        for row in np.flatnonzero(steps <= _APART).tolist():
            raise table.error(row + 1, "a path has no point twice in turn")
        chords = np.concatenate([[0.0], np.cumsum(steps)])
        if chords[-1] > _FARTHEST:
            raise FileError(table.path, f"the path is {chords[-1]:,.0f} m long; {_FARTHEST:,.0f} m at most")
        spline = CubicSpline(chords, points, bc_type="natural") if len(points) > 2 else None
        fine = np.linspace(0.0, chords[-1], int(np.clip(chords[-1] * 100, 200, _MOST_PLACES)))
        places = (
            spline(fine)
            if spline is not None
            else points[0] + fine[:, None] / chords[-1] * (points[1] - points[0])
        )
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
        tangent = np.gradient(places, along, axis=0)
        heading = np.unwrap(np.arctan2(tangent[:, 0], tangent[:, 1]))
        columns = (places[:, 0], places[:, 1], heading, np.gradient(heading, along))
        knots = np.interp(chords, fine, along)
        # np.interp copies a column that is not contiguous at each look-up.
        return _Curve(knots, along, tuple(map(np.ascontiguousarray, columns)), float(along[-1]))

    def at(self, gone: float) -> tuple[float, float, float]:
        """Position and heading after a number of metres."""
        x, z, heading = (float(np.interp(gone, self.along, column)) for column in self.columns[:3])
        return x, z, heading

    def bend(self, gone: float) -> float:
        """Curvature in radians per metre, positive to the left."""
        return float(np.interp(gone, self.along, self.columns[3]))
