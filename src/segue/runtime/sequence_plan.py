"""Plan of a sequence player: a sequence that ends in a loop, which repeats after its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.closing import ground_round
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.replanning import replan, withdraw
from segue.sequencing.script import Placement, SequenceMethod, SequenceScript
from segue.sequencing.sequence import MotionSequence, make_sequence
from segue.synthesis.loop import Loop, repeated

IDLE, TO_IDLE = "idle loop", "to the idle loop"
"""Names of the loop among the motions of a plan: at the start, and after a motion that leads to it."""
LEAD = 2.0
"""Seconds before a motion's preparation at which it enters the plan."""
_AHEAD = 8.0  # seconds of the loop that are ready after a motion, in addition to two rounds
_MOST = 30.0  # seconds already played after which a plan drops them where it can
_SPARE = 2.0  # seconds of the loop that are ready before a motion, in addition to its preparation and `LEAD`
_ARRIVING = 0.5  # seconds of the loop over which a motion may blend into it


@dataclass(frozen=True, eq=False)
class LivePlan:
    """A sequence that ends in a loop, which repeats after its last frame; its clock is the player's.

    Parameters
    ----------
    sequence
        Sequence that ends in the loop.
    loops
        Frames of one round of the loop.
    step
        Ground motion of a round.
    asked
        Positions of requests in the script, each with the number of its answer.
    """

    sequence: MotionSequence
    loops: int
    step: PlanarMotion
    asked: tuple[tuple[int, int], ...] = ()

    @property
    def start(self) -> int:
        """Frame of the player at which its first frame is shown."""
        return self.sequence.first_frame

    @property
    def last(self) -> int:
        """Frame of the player at which the clip's last frame is shown."""
        return self.start + self.sequence.clip.n_frames - 1

    @property
    def settled(self) -> int:
        """Frame of the player from which only the loop plays."""
        pairs = self.sequence.pairs
        return pairs[-1].end_frame if pairs else self.start

    def row(self, frame: int) -> tuple[int, int]:
        """Return the row of the clip at a frame of the player, and the rounds of the loop by which it is moved."""
        over, last = frame - self.last, self.sequence.clip.n_frames - 1
        if over <= 0:
            return frame - self.start, 0
        rounds, within = divmod(over, self.loops)
        return (last, rounds) if within == 0 else (last - self.loops + within, rounds + 1)

    def shown(self, frame: int) -> tuple[Quaternions, Positions]:
        """Return rotations (J, 4) and root position (3,) at a frame of the player."""
        row, rounds = self.row(frame)
        rotations, root = self.sequence.clip.rotations[row], self.sequence.clip.root_positions[row]
        if not rounds or self.step == PlanarMotion():
            return rotations, root
        placed = many(self.step, rounds)
        turned = np.array(rotations)
        turned[0] = placed.rotate(turned[0])
        return turned, placed.apply(root)

    def first_changed(self, before: LivePlan, frame: int) -> int | None:
        """Return the first frame after ``frame`` that differs from another plan; None if there is none."""
        both = max(min(self.last, before.last), frame)
        ours, theirs = (
            (clip.rotations[rows], clip.root_positions[rows])
            for clip, rows in (
                (plan.sequence.clip, slice(frame + 1 - plan.start, both + 1 - plan.start))
                for plan in (self, before)
            )
        )
        other = (ours[0] != theirs[0]).any(axis=(1, 2)) | (ours[1] != theirs[1]).any(axis=1)
        if other.any():
            return frame + 1 + int(np.argmax(other))
        for number in range(both + 1, max(self.last, before.last) + 1):
            new, old = self.shown(number), before.shown(number)
            if not (np.array_equal(new[0], old[0]) and np.array_equal(new[1], old[1])):
                return number
        return None


def many(step: PlanarMotion, rounds: int) -> PlanarMotion:
    """Repeat a ground motion; the time grows with the logarithm of the number of rounds.

    Examples
    --------
    >>> many(PlanarMotion(0.0, 1.0, 0.5), 5)
    PlanarMotion(turn=0.0, x=5.0, z=2.5)
    """
    out = PlanarMotion()
    while rounds:
        if rounds & 1:
            out = out.then(step)
        step, rounds = step.then(step), rounds >> 1
    return out


class Planner:
    """Plans of one player: its motions, its loop, and the method that joins pairs.

    Parameters
    ----------
    motions
        Elementary motions by name.
    idle
        Loop between them.
    smoothness, method
        As in a script.

    Raises
    ------
    SettingError
        If a motion has a name reserved for the loop, or smoothness or method are not possible.
    """

    def __init__(
        self, motions: Mapping[str, ElementaryMotion], idle: Loop, smoothness: float, method: SequenceMethod
    ) -> None:
        taken = next((name for name in (IDLE, TO_IDLE) if name in motions), None)
        if taken is not None:
            msg = f"a player calls its loop {taken!r}; give that elementary motion another name"
            raise SettingError(msg)
        self.idle, self.loops, self.fps = idle, idle.clip.n_frames - 1, idle.clip.fps
        self._smoothness, self._method = smoothness, method
        longest = max([0.0, *(one.core[0] / one.clip.fps for one in motions.values())])
        self._ready = int(np.ceil((LEAD + longest + _SPARE) * self.fps)) + self.loops + 1
        rounds = 2 + -(-int(np.ceil(_AHEAD * self.fps)) // self.loops)
        whole = repeated(idle, rounds).with_motion(name=IDLE)
        arriving = round(_ARRIVING * self.fps)
        self._motions = {**motions, TO_IDLE: ElementaryMotion(TO_IDLE, whole, (arriving, arriving))}
        self.first = self._based(whole, 0)
        for name in motions:  # prepared for the loop's body and rate before any is requested
            self.first.sequence.material.motion(name)

    def _based(self, clip: Clip, start: int) -> LivePlan:
        motions = {**self._motions, IDLE: ElementaryMotion(IDLE, clip, (0, 0))}
        script = SequenceScript((Placement(IDLE, start / self.fps),), self._smoothness, self._method)
        sequence = make_sequence(motions, script, skeleton=clip.skeleton, fps=self.fps)
        return self._ended(LivePlan(sequence, self.loops, PlanarMotion()))

    def _ended(self, plan: LivePlan) -> LivePlan:
        """Add the ground motion of a round of the loop to a plan."""
        if self.idle.stays:
            return plan
        last = plan.sequence.clip.n_frames - 1
        return replace(plan, step=ground_round(plan.sequence.clip, last - self.loops, last))

    def opened(self, plan: LivePlan, shown: int) -> LivePlan:
        """Return a plan that a motion can be added to, equal up to the frame ``shown``.

        Where only the loop plays, and little of it is ready or much was played before it, this is the loop from there
        on and nothing before it. Otherwise it is the plan without the loop at its end, unless that has begun.
        """
        alone = plan.sequence.cores[-1].motion in {IDLE, TO_IDLE} and shown >= plan.settled
        if alone and (plan.last - shown < self._ready or shown - plan.start > _MOST * self.fps):
            rows = [plan.row(shown + k)[0] for k in range(self._ready)]
            poses = [plan.shown(shown + k) for k in range(self._ready)]
            clip = self.idle.clip.with_motion(
                np.stack([pose[0] for pose in poses]),
                np.stack([pose[1] for pose in poses]),
                origin=plan.sequence.clip.origin.take(rows),
                name=IDLE,
            )
            return self._based(clip, shown)
        try:
            return replace(plan, sequence=withdraw(plan.sequence, TO_IDLE, now=shown / self.fps))
        except SettingError:  # it has begun: the requested motion follows it
            return plan

    def closed(self, plan: LivePlan, shown: int) -> LivePlan:
        """Return a plan with the loop after its last motion: when that has ended, else as soon as possible.

        Raises
        ------
        SettingError
            If the loop cannot follow.
        """
        sequence = plan.sequence
        last = sequence.cores[-1]
        if last.motion in {IDLE, TO_IDLE}:
            return self._ended(plan)
        now, ends = shown / self.fps, last.start_frame + last.n_frames
        for at in (max(ends, last.end_frame + round(_ARRIVING * self.fps)) / self.fps, None):
            closed = replan(sequence, Placement(TO_IDLE, at), now=now)
            if closed.cores[-1].motion == TO_IDLE:
                return self._ended(replace(plan, sequence=closed))
        msg = f"the loop cannot follow {last.motion!r}: {closed.rejected[-1].reason}"
        raise SettingError(msg)
