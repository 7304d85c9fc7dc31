"""Choose the examples of a type, with the reason why others are left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats
from segue.locomotion.examples import CYCLES, PARAMETERS, STAND, Example, LeftOut, TransitionExample
from segue.locomotion.model import Tally
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.kinematics import world
from segue.motion.resample import cut
from segue.motion.roles import require

_FLOORS = np.array([0.1, np.radians(10.0)])  # smallest scale of speed and turn
_OUTLIER = 5.0  # median deviations of a cycle's length from a linear fit by speed and turn


def values_of(examples: Sequence[Example], names: Sequence[str]) -> Floats:
    """Return the parameters (N, P) of examples, in their own units."""
    return np.array([[example.parameters[name] for name in names] for example in examples])


def scale_of(values: Floats) -> Floats:
    """Return the scale of parameters (N, P): their standard deviation over the examples."""
    floors = np.concatenate([_FLOORS, np.full(values.shape[1] - len(_FLOORS), 1e-6)])
    spread = values.std(axis=0)
    out: Floats = np.where(spread < floors, np.maximum(floors, 1e-6), spread)
    return out


def chosen(
    examples: Sequence[Example],
    names: Sequence[str],
    *,
    most: int,
    spacing: float,
    transitions: Sequence[TransitionExample] = (),
) -> tuple[list[Example], list[LeftOut]]:
    """Choose examples of one type: the best first, then always the one farthest from those already chosen.

    The best stand is one whose feet are placed as in starts and stops, the ``transitions``.

    Returns
    -------
    tuple
        The kept examples, and the others with the reason, in the order in which they were found.
    """
    odd = _odd(examples)
    reasons = {
        example.name: "lasts unlike others of its speed"
        for example, is_odd in zip(examples, odd, strict=True)
        if is_odd
    }
    usual = [example for example, is_odd in zip(examples, odd, strict=True) if not is_odd]
    values = values_of(usual, names)
    places = values / scale_of(values)
    scores = np.array([example.quality.score for example in usual]) + _unlike_stances(usual, transitions)
    order = [int(np.argmin(scores))]
    nearest = np.linalg.norm(places - places[order[0]], axis=1)
    apart = max(spacing, 1e-6)
    while len(order) < most:
        # among equally distant ones the better example: one standard deviation of distance is worth a score of 1
        worth = np.where(nearest >= apart, nearest - scores, -np.inf)
        best = int(np.argmax(worth))
        if not np.isfinite(worth[best]):
            break
        order.append(best)
        nearest = np.minimum(nearest, np.linalg.norm(places - places[best], axis=1))
    for index in sorted(set(range(len(usual))) - set(order)):
        beside = usual[order[int(np.argmin(np.linalg.norm(places[order] - places[index], axis=1)))]].name
        reasons[usual[index].name] = (
            f"is within {spacing:g} deviations of {beside}"
            if nearest[index] < apart
            else f"is {nearest[index]:.2f} deviations from {beside}, and {most} are kept"
        )
    left = [
        LeftOut(example.name, example.kind, reasons[example.name])
        for example in examples
        if example.name in reasons
    ]
    return [usual[index] for index in order], left


def _unlike_stances(examples: Sequence[Example], transitions: Sequence[TransitionExample]) -> Floats:
    """Score (N,) for the difference of stands' foot placement from that of starts and stops; 10 cm count 1."""
    if not examples or examples[0].kind != STAND:
        return np.zeros(len(examples))
    met = [_stance(cut(one.clip, 0, 1)) for one in transitions if one.source == STAND]
    met += [
        _stance(cut(one.clip, one.clip.n_frames - 1, one.clip.n_frames))
        for one in transitions
        if one.target == STAND
    ]
    if not met:
        return np.zeros(len(examples))
    own = np.array([_stance(example.clip) for example in examples])
    apart = np.linalg.norm(own[:, None] - np.array(met)[None], axis=-1)
    out: Floats = np.median(apart, axis=1) / 0.1
    return out


def _stance(piece: Clip) -> Floats:
    """Mean vector (2,) over frames from the right to the left ankle: across and ahead, in metres."""
    found = require(piece.skeleton, "left_ankle", "right_ankle")
    places = world(piece).positions
    away = (places[:, found["left_ankle"]] - places[:, found["right_ankle"]])[:, [0, 2]]
    facing = heading(piece)
    s, c = np.sin(facing), np.cos(facing)
    return np.array([np.mean(c * away[:, 0] - s * away[:, 1]), np.mean(s * away[:, 0] + c * away[:, 1])])


def tally_of(examples: Sequence[Example], kept: Sequence[Example]) -> Tally:
    """Count the examples of a type, and measure how well its kept examples close."""
    places = [_place(example.name) for example in examples]
    starts = {(clip, start) for clip, start, _ in places}
    followed = sum((clip, stop) in starts and start != stop for clip, start, stop in places)
    return Tally(len(examples), followed, float(np.median([example.quality.closure for example in kept])))


def _place(name: str) -> tuple[str, str, str]:
    """Clip, first and last frame in an example's name; a name set by the user holds no frames."""
    clip, _, frames = name.rpartition(":")
    start, _, stop = frames.partition("-")
    return clip, start, stop


def _odd(examples: Sequence[Example]) -> list[bool]:
    """Flags of examples whose length does not fit those of their type, given speed and turning rate."""
    if len(examples) < 8 or examples[0].kind not in CYCLES:
        return [False] * len(examples)
    values = values_of(examples, PARAMETERS)
    rows = np.column_stack([np.ones(len(values)), values[:, 0], np.abs(values[:, 1])])
    seconds = np.array([example.seconds for example in examples])
    off = seconds - rows @ np.linalg.lstsq(rows, seconds, rcond=None)[0]
    typical = float(np.median(np.abs(off)))
    return [bool(value) for value in np.abs(off) > _OUTLIER * max(typical, 0.02)]
