"""The two baselines of the source: joins at the most similar poses, and joins by foot constraints alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from segue.sequencing.choice import JoinWindow
from segue.sequencing.curves import WeightCurve
from segue.sequencing.decisions import BlendKind
from segue.sequencing.footholds import HeldMotion
from segue.sequencing.planning import PairPlan, PlannedSegment, join_window
from segue.sequencing.poses import pose_distances
from segue.sequencing.prepared import ReadyMotion

SECONDS = 0.4
"""Length in seconds of a blend by pose similarity."""


def similarity_plan(
    previous: HeldMotion, following: ReadyMotion, offset: int, *, after: int | None = None
) -> PairPlan:
    """Blend both halves together where the two poses outside the cores are most similar, with a smoothstep.

    The blend lasts `SECONDS`, limited to the time between the cores, or as long as the gap between both motions.
    """
    window = join_window(previous, following, offset, after)
    begin, end = _most_alike(previous, following, window)
    one = _whole("S0", "motion-to-motion", begin, end)
    return PairPlan(
        "pose similarity", None, None, (), window, offset, one, replace(one, half="upper"), None, False
    )


def _most_alike(previous: HeldMotion, following: ReadyMotion, window: JoinWindow) -> tuple[int, int]:
    """First and last frame of the blend whose end poses are most similar."""
    earliest, latest = window.left, min(window.ends, window.met - 1)
    length = max(round(SECONDS * window.fps), 1)
    first = np.arange(earliest, latest + 1)
    last = np.minimum(np.maximum(first + length, window.starts), window.met)
    a = previous.rows(first)
    b = np.clip(last - window.starts, 0, following.clip.n_frames - 1)
    joints = previous.lower.points.shape[1], following.upper.points.shape[1]
    apart = np.zeros(len(first))
    for count, x, y in (
        (joints[0], previous.lower.points, following.lower.points),
        (joints[1], previous.motion.upper.points, following.upper.points),
    ):
        apart += count * np.array(
            [float(pose_distances(x[i][None], y[j][None])[0, 0]) for i, j in zip(a, b, strict=True)]
        )
    best = int(np.argmin(apart))
    return int(first[best]), int(last[best])


def constraint_plan(plan: PairPlan, following: ReadyMotion) -> PairPlan:
    """Return the plan with the foot-moving phase as the range of the entire body, blended with a smoothstep."""
    window = plan.window
    begin, end = window.left, window.met
    first, second = plan.previous_phase, plan.following_phase
    if first is not None:
        begin = max(first.begin_frame, window.left)
        end = first.end_frame if second is None else max(first.end_frame, second.end_frame)
        end = min(max(end, window.starts, begin + 1), window.met)
    elif second is not None:
        end = min(end, second.begin_frame)
    begin = min(begin, window.ends, end - 1)
    kind: BlendKind = plan.lower.kind
    release = plan.release
    if release is not None and second is not None:
        stop = min(second.end_frame, plan.offset + following.clip.n_frames - 1)
        release = _whole("S0", "pose-to-motion", second.begin_frame, max(stop, second.begin_frame + 1))
    lower = _whole(plan.lower.name, kind, begin, end)
    upper = replace(lower, name=plan.upper.name, half="upper")
    return replace(plan, lower=lower, upper=upper, release=release)


def _whole(name: str, kind: BlendKind, begin: int, end: int) -> PlannedSegment:
    return PlannedSegment(name, "lower", kind, begin, end, WeightCurve(begin, end, (0.0, 0.0)), fades=False)
