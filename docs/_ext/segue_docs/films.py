"""Films on the pages: motions made from the embedded clips while the pages are built."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import segue
from segue.graph.motion_graph import GraphData
from segue.motion.clip import Clip
from segue.motion.resample import cut

_NAMES = ("walk", "walk_left", "walk_turn_right", "run", "start", "stop", "stand", "step_touch", "speed_up")
_LENGTH = 0.4  # blend length in seconds, for every method
_AROUND = 1.2  # seconds before and after a seam


@lru_cache(maxsize=1)
def _graph() -> GraphData:
    return segue.MotionGraph.build([segue.sample(name) for name in _NAMES])


@lru_cache(maxsize=1)
def _endless() -> Clip:
    return segue.render(_graph().wander(seconds=20, seed=4)).with_motion(name="endless")


@lru_cache(maxsize=1)
def _minute() -> Clip:
    return segue.render(_graph().wander(seconds=60, seed=1)).with_motion(name="a minute")


def endless() -> list[Clip]:
    """Return twenty seconds of a walk through nine clips."""
    return [_endless()]


def worst(rank: int) -> list[Clip]:
    """Return the seam of a given rank in a minute, worst measure first, with a second before and after it."""
    minute = _minute()
    seam = segue.measure(minute, sources=_graph().clips).worst_seams(rank)[rank - 1]
    first = max(round((seam.seconds - _AROUND) * minute.fps), 0)
    last = min(round((seam.seconds + _AROUND) * minute.fps), minute.n_frames - 1)
    return [cut(minute, first, last + 1).with_motion(name=f"{seam.a_clip} to {seam.b_clip}")]


def across(method: str, length: float = _LENGTH) -> list[Clip]:
    """Return one transition from a walk into a run, by one blend method, without foot correction."""
    walk, run = segue.sample("walk", seconds=3.0), segue.sample("run", seconds=3.0)
    middle = [
        point
        for point in segue.transition_points(walk, run, threshold=1e9)
        if 1.0 < point.a_frame / walk.fps < 2.2 and 0.4 < point.b_frame / run.fps < 1.6
    ]
    point = min(middle, key=lambda one: one.cost)
    made = segue.splice(walk, run, point, length=length, way=method, feet="free")
    return [made.with_motion(name=f"walk to run, {'cut' if length == 0 else method.replace('_', ' ')}")]


def cut_or_blend() -> list[Clip]:
    """Return the same transition twice, in step: a hard cut, and the default."""
    return [*across("equal_power", 0.0), *across("equal_power", 1 / 3)]


_ACROSS = (
    "crossfade",
    "equal-power",
    "linear",
    "sigmoid",
    "timewarped",
    "registration",
    "inertialization",
    "dead",
)

FILMS: dict[str, Callable[[], list[Clip]]] = {
    "endless": endless,
    "cut-or-blend": cut_or_blend,
    "hard-cut": partial(across, "equal_power", 0.0),
    **{f"worst-{rank}": partial(worst, rank) for rank in (1, 2, 3)},
    **{name: partial(across, name.replace("-", "_")) for name in _ACROSS},
}
"""Films by name, for ```{film} NAME```."""
