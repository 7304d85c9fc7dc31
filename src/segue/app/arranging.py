"""A sequence while a person arranges it: its frames for a page, and the frames that an edit changed.

A pair of motions that was joined before is not joined again (`segue.sequencing.sequence`), and the frames are written
directly as float32; the clip with its origin is made on demand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.app.sequencing import ScriptedSequence, make
from segue.arrays import Bools, Floats, frozen
from segue.maths.planar import turned
from segue.maths.quaternions import yawed
from segue.motion.flags import runs, without_short
from segue.sequencing.decisions import PairDecision
from segue.sequencing.rendering import SequencePiece, pieces
from segue.sequencing.sequence import MotionSequence

PLACED = 7
"""Numbers at the start of a pose that change when it moves along the ground: root position and root rotation."""
_FEET = ((0, "left"), (1, "right"))
_BRIEF = 0.05  # seconds: shorter moves and rests are not shown


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A sequence with its frames in the format of a page.

    Parameters
    ----------
    script
        The script it was made from.
    sequence
        The sequence.
    poses
        (F, 3 + 4 J) float32: root position in metres, then each joint's rotation from its parent's, wxyz.
    planted
        (F, 4) which heels and toes are on the ground.
    moving
        (F, 2) whether the left and the right foot move.

    Examples
    --------
    >>> from segue.app.demo import demo_sequence
    >>> made = arrange(demo_sequence())
    >>> made.poses.shape == (made.sequence.clip.n_frames, 3 + 4 * made.sequence.clip.skeleton.n_joints)
    True
    """

    script: ScriptedSequence
    sequence: MotionSequence
    poses: npt.NDArray[np.float32]
    planted: Bools
    moving: Bools

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.poses)


def arrange(script: ScriptedSequence) -> Arrangement:
    """Make the sequence of a script, with its frames for a page.

    Raises
    ------
    SettingError
        If it would exceed the largest allowed number of frames.
    SkeletonError
        If a body has no legs; names the missing roles.
    """
    made = make(script)
    first = made.first_frame
    count = made.placed[-1].start + made.placed[-1].motion.n_frames - first
    poses = np.empty((count, 3 + 4 * made.material.skeleton.n_joints), dtype=np.float32)
    roots, tops = np.empty((count, 3)), np.empty((count, 4))
    ground = np.empty((count, 3))  # turn, x and z
    planted, moving = np.empty((count, 4), dtype=bool), np.empty((count, 2), dtype=bool)
    for piece in pieces(made.placed):
        at = slice(piece.begin - first, piece.end - first)
        rotations, places = piece.frames
        poses[at, PLACED:] = rotations[:, 1:].reshape(len(rotations), poses.shape[1] - PLACED)
        roots[at], tops[at] = places, rotations[:, 0]
        ground[at] = piece.placed.turn, piece.placed.x, piece.placed.z
        planted[at], moving[at] = _feet(piece)
    poses[:, :PLACED] = _on_ground(roots, tops, ground)
    return Arrangement(
        script, made, frozen(poses, np.float32), frozen(planted, bool), _steady(moving, made.fps)
    )


def _on_ground(roots: Floats, tops: Floats, ground: Floats) -> Floats:
    """Move roots and their rotations along the ground by (F, 3) turns and shifts; return (F, 7)."""
    out = np.empty((len(roots), PLACED))
    out[:, :3] = roots
    out[:, :3:2] = turned(ground[:, 0], roots[:, ::2]) + ground[:, 1:]
    out[:, 3:] = yawed(ground[:, 0], tops)
    return out


def _feet(piece: SequencePiece) -> tuple[Bools, Bools]:
    """Return flags (n, 4) of parts on the ground and (n, 2) of feet that move."""
    if piece.before is not None and piece.motion.pair is not None:
        planted = piece.motion.pair.planted
        return planted, np.logical_not(planted.reshape(len(planted), 2, 2).any(axis=2))
    rows, ready = piece.rows, piece.motion.motion.motion
    return ready.planted[rows], ~ready.support[rows]


def _steady(moving: Bools, fps: float) -> Bools:
    """Remove moves and rests shorter than `_BRIEF`."""
    return frozen(without_short(moving, _BRIEF * fps), bool)


def moving_feet(made: Arrangement) -> dict[str, list[tuple[float, float]]]:
    """Return the seconds of the clock in which each foot moves."""
    first, fps = made.sequence.first_frame, made.sequence.fps
    return {
        side: [((first + a) / fps, (first + b) / fps) for a, b in runs(made.moving[:, foot])]
        for foot, side in _FEET
    }


@dataclass(frozen=True)
class FrameChanges:
    """Frames of a sequence that an edit changed, half open and in order.

    Parameters
    ----------
    poses
        Frames whose whole pose changed.
    places
        Frames that only moved along the ground: only the first `PLACED` numbers of their poses changed.
    """

    poses: tuple[tuple[int, int], ...]
    places: tuple[tuple[int, int], ...]


def changes(made: Arrangement, before: Arrangement | None) -> FrameChanges | None:
    """Return the frames that differ from before, on the clock; None if the two cannot be compared.

    Examples
    --------
    >>> from segue.app.demo import demo_sequence
    >>> made = arrange(demo_sequence())
    >>> changes(made, made), changes(made, None)
    (FrameChanges(poses=(), places=()), None)
    """
    if before is None or before.sequence.fps != made.sequence.fps:
        return None
    if before.sequence.material.skeleton is not made.sequence.material.skeleton:
        return None
    ahead = made.sequence.first_frame - before.sequence.first_frame
    low, high = max(0, -ahead), min(made.n_frames, before.n_frames - ahead)
    if high <= low:
        return None
    whole, placed = np.ones(made.n_frames, dtype=bool), np.zeros(made.n_frames, dtype=bool)
    now, then = made.poses[low:high], before.poses[low + ahead : high + ahead]
    whole[low:high] = (now[:, PLACED:] != then[:, PLACED:]).any(axis=1)
    placed[low:high] = (now[:, :PLACED] != then[:, :PLACED]).any(axis=1)
    return FrameChanges(tuple(runs(whole)), tuple(runs(placed & ~whole)))


def taken(rows: npt.NDArray[np.float32], spans: tuple[tuple[int, int], ...]) -> npt.NDArray[np.float32]:
    """Return the rows of some spans, one after the other.

    Examples
    --------
    >>> taken(np.eye(3, dtype=np.float32), ((0, 1), (2, 3))).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return np.concatenate([rows[a:b] for a, b in spans] or [rows[:0]])


def why_joined(pair: PairDecision) -> str:
    """Return the reason for a pair's method, in words."""
    first, second = pair.previous_phase, pair.following_phase
    if pair.method == "transition" and first is not None:
        return f"{_foot(first.foot, 'moves')} in both"
    if pair.method == "connection" and first is not None:
        return f"{_foot(first.foot, 'moves')} in {pair.previous} alone"
    if pair.method == "adaptation with step" and second is not None:
        return f"no foot moves after the core of {pair.previous}; {_foot(second.foot, 'steps')} in {pair.following}"
    if pair.method == "adaptation without step":
        return "no foot moves between the cores"
    if pair.method == "cut":
        return "one core follows the other at once"
    return "the method that the sequence is set to"


def _named(feet: list[str]) -> str:
    if not feet:
        return ""
    if "both" in feet:
        return "both feet: "
    return "either foot: " if len(feet) > 1 else f"{feet[0]} foot: "


def _foot(foot: str, verb: str) -> str:
    return f"both feet {verb.removesuffix('s')}" if foot == "both" else f"{foot} foot {verb}"


def lost_methods(pair: PairDecision) -> Iterator[tuple[str, str]]:
    """Yield the rejected methods with their reasons: those tried before the chosen one, then those after."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for one in pair.lost:
        if one.method != pair.method:
            phase = one.previous_phase or one.following_phase
            feet = reasons.setdefault(one.method, {}).setdefault(one.reason, [])
            feet += [] if phase is None or phase.foot in feet else [phase.foot]
    for method, found in reasons.items():
        # A reason that names a foot is more precise than one that holds for all steps.
        shown = [(reason, feet) for reason, feet in found.items() if feet or not any(found.values())]
        yield method, "; ".join(f"{_named(feet)}{reason}" for reason, feet in shown)
    first, second = pair.previous_phase, pair.following_phase
    if pair.method == "transition" and first is not None:
        yield "connection", f"{_foot(first.foot, 'moves')} in {pair.following} too"
    if pair.method in {"transition", "connection"} and first is not None:
        yield "adaptation", f"{_foot(first.foot, 'moves')} after the core of {pair.previous}"
    if pair.method == "adaptation with step" and second is not None:
        yield "adaptation without step", f"{_foot(second.foot, 'steps')} before the core of {pair.following}"
