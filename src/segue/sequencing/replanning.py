"""Changes of a sequence while it plays: frames already played stay unchanged (§5 of the source)."""

from __future__ import annotations

import math
from dataclasses import replace

from segue.errors import SettingError
from segue.sequencing.decisions import RejectedMotion
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import MotionSequence
from segue.sequencing.spacing import room_between
from segue.sequencing.timeline import PlacedMotion, Wanted, executed


def replan(sequence: MotionSequence, placement: Placement, *, now: float) -> MotionSequence:
    """Add a motion to a sequence that has been played up to ``now`` seconds of its clock.

    No frame up to ``now`` changes. Motions that have begun stay; the new one and those that have not begun are executed
    by the rules of a script. As soon as possible means after motions that have begun, and before the others if there is
    enough time. A motion that cannot be executed is in ``rejected`` of the result.

    Raises
    ------
    SettingError
        If the motion is unknown.

    Examples
    --------
    >>> import segue
    >>> from segue.sequencing.elements import ElementaryMotion
    >>> from segue.sequencing.script import SequenceScript
    >>> from segue.sequencing.sequence import make_sequence
    >>> walk = ElementaryMotion("walk", segue.sample("walk"), (60, 120))
    >>> made = make_sequence({"walk": walk}, SequenceScript((Placement("walk", at=1.0),)))
    >>> [core.motion for core in replan(made, Placement("walk"), now=1.5).cores]
    ['walk', 'walk']
    """
    script = replace(sequence.script, placements=(*sequence.script.placements, placement))
    number = len(script.placements) - 1
    after = _played(sequence, now)
    kept, waiting = _begun(sequence, after)
    wanted = [_again(one) for one in waiting]
    if placement.at is not None:
        wanted.append(Wanted(placement, number, round(placement.at * sequence.fps)))
        wanted.sort(key=lambda one: (one.frame or 0, -one.placement.priority, one.number))
        placed, rejected = executed(sequence.material, wanted, script=script, before=kept, after=after)
    else:
        placed, rejected = _soonest(sequence, script, kept, wanted, Wanted(placement, number, None), after)
    return replace(sequence, script=script, placed=placed, rejected=_all(sequence.rejected, rejected))


def _soonest(
    sequence: MotionSequence,
    script: SequenceScript,
    kept: tuple[PlacedMotion, ...],
    wanted: list[Wanted],
    new: Wanted,
    after: int,
) -> tuple[tuple[PlacedMotion, ...], tuple[RejectedMotion, ...]]:
    """Execute a motion as soon as possible: in the first gap in which no waiting motion is rejected because of it."""
    found = None
    for gap in range(len(wanted) + 1):
        found = executed(
            sequence.material, [*wanted[:gap], new, *wanted[gap:]], script=script, before=kept, after=after
        )
        if not found[1]:
            break
    return found or ((), ())


def withdraw(sequence: MotionSequence, motion: str, *, now: float) -> MotionSequence:
    """Withdraw the next execution of a motion that has not begun at ``now``; no frame up to then changes.

    Raises
    ------
    SettingError
        If there is no such execution.

    Examples
    --------
    >>> import segue
    >>> from segue.sequencing.elements import ElementaryMotion
    >>> from segue.sequencing.script import SequenceScript
    >>> from segue.sequencing.sequence import make_sequence
    >>> walk = ElementaryMotion("walk", segue.sample("walk"), (60, 120))
    >>> made = make_sequence({"walk": walk}, SequenceScript((Placement("walk", at=1.0),)))
    >>> made = replan(made, Placement("walk", at=9.0), now=1.5)
    >>> [core.motion for core in withdraw(made, "walk", now=2.0).cores]
    ['walk']
    """
    after = _played(sequence, now)
    kept, waiting = _begun(sequence, after)
    taken = next((one for one in waiting if one.placement.motion == motion), None)
    if taken is None:
        begun = any(one.placement.motion == motion for one in kept)
        why = "it has begun" if begun else "it is not in the sequence"
        msg = f"motion {motion!r} cannot be withdrawn at {now:.2f} s: {why}"
        raise SettingError(msg)
    wanted = [_again(one) for one in waiting if one is not taken]
    placed, rejected = executed(sequence.material, wanted, script=sequence.script, before=kept, after=after)
    return replace(
        sequence,
        placed=placed,
        rejected=_all(sequence.rejected, rejected),
        withdrawn=(*sequence.withdrawn, taken.number),
    )


def _played(sequence: MotionSequence, now: float) -> int:
    """Last frame of the clock that must not change: the one at ``now``, or the next one if ``now`` is between two."""
    return math.ceil(now * sequence.fps - 1e-6)


def _begun(sequence: MotionSequence, after: int) -> tuple[tuple[PlacedMotion, ...], tuple[PlacedMotion, ...]]:
    """Executed motions that have begun, and those that have not; the first motion always has.

    A motion counts as begun if the time to its core is too short to change how it is reached.
    """
    count, near = 1, after + room_between(sequence.fps)
    while count < len(sequence.placed):
        one = sequence.placed[count]
        if one.begun > after and one.core.begin_frame >= near:
            break
        count += 1
    return sequence.placed[:count], sequence.placed[count:]


def _again(one: PlacedMotion) -> Wanted:
    return Wanted(one.placement, one.number, one.core.begin_frame)


def _all(before: tuple[RejectedMotion, ...], now: tuple[RejectedMotion, ...]) -> tuple[RejectedMotion, ...]:
    known = {one.number for one in before}
    return (*before, *(one for one in now if one.number not in known))
