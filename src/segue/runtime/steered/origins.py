"""Examples that made a steered frame, with their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.accel.layouts import named
from segue.arrays import Floats, frozen
from segue.locomotion.blend_set import BlendSet
from segue.locomotion.model import Locomotion
from segue.locomotion.traces import traced
from segue.runtime.standing import _kernels as k

_LEAST = 5e-7  # smallest weight that is reported: six digits


@dataclass(frozen=True)
class FrameSource:
    """One example in a frame: its name, type or transition, the clip and the second in it, and its weight in the pose.

    The weights of a frame sum to 1; outside the hull of the examples some are negative.
    """

    example: str
    of: str
    clip: str
    seconds: float
    weight: float
    made: bool


@dataclass(frozen=True, eq=False)
class BlendPart:
    """A blend set in a frame: its index (types first, then transitions), generic time, share of the pose, weights."""

    set: int
    at: float
    share: float
    weights: Floats


def parts_of(model: Locomotion, state: Floats) -> tuple[BlendPart, ...]:
    """Return the blend sets of a pose: of its type, its transition, or both (Park et al., eq. 16 to 19)."""
    from segue.runtime.steered._kernels import ARRIVING, BETWEEN, LEAVING, STAYING

    now = named(k.STATE, state)
    mode, node = int(now["mode"]), int(now["node"])
    share = 1.0
    if mode != STAYING:
        transition = model.transitions[int(now["transition"])]
        at, begun = float(now["transition_at"]), float(now["transition_from"])
        done = 0.0
        if mode == LEAVING:
            done = (at - begun) / max(transition.before - begun, 1e-9)
        elif mode == ARRIVING:
            done = 1.0 - (at - (transition.set.n_intervals - transition.after)) / transition.after
        share = 0.0 if mode == BETWEEN else 0.5 + 0.5 * float(np.cos(np.pi * min(max(done, 0.0), 1.0)))
    out = []
    if mode != BETWEEN:
        count = model.nodes[node].set.n_examples
        weights = frozen(np.array(state[k.ROOM : k.ROOM + count]))
        out.append(BlendPart(node, float(now["at"]), share, weights))
    if mode != STAYING:
        weights = frozen(np.array(now["transition_pose"][: transition.set.n_examples]))
        out.append(BlendPart(len(model.nodes) + int(now["transition"]), at, 1.0 - share, weights))
    return tuple(out)


def set_of(model: Locomotion, number: int) -> tuple[str, BlendSet, bool]:
    """Return the name of a blend set, the set, and whether its transition was made rather than captured."""
    if number < len(model.nodes):
        return model.nodes[number].kind, model.nodes[number].set, False
    transition = model.transitions[number - len(model.nodes)]
    return (
        f"{model.nodes[transition.source].kind} to {model.nodes[transition.target].kind}",
        transition.set,
        transition.made,
    )


def frame_sources(model: Locomotion, parts: Sequence[BlendPart]) -> tuple[FrameSource, ...]:
    """Return every example with weight in a frame, heaviest first; in an old walker the clip is the example's name."""
    out = []
    for part in parts:
        word, examples, made = set_of(model, part.set)
        for number, weight in enumerate(part.share * part.weights):
            if abs(weight) < _LEAST:
                continue
            name = examples.names[number]
            clip, seconds = name, 0.0
            if examples.pieces:
                clip, seconds = traced(examples.pieces[number], examples.rates[:, number], part.at)
            out.append(FrameSource(name, word, clip, seconds, float(weight), made))
    return tuple(sorted(out, key=lambda one: -abs(one.weight)))
