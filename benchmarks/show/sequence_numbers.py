"""Guarantees of a sequence: played frames, cores and planted feet stay, and longer steps take longer.

Shows: 1,000 motions executed live at random times change no played frame; cores and the upper bodies of adaptations
    are as captured; slip of planted feet before and after correction; a lengthened step keeps its speed
Bars: 0 frames differ; cores to 1e-6; 2 mm of slip in 99 % of the pairs; a longer step within 25 % of its speed
Needs: clips
Group: The main job

Live motions: 100 sequences of ten requests each, of 20 elementary motions, half of them as soon as possible.
"""

from __future__ import annotations

import math

import _elements as made_of
import numpy as np
from _runner import Show, run

from segue.maths.quaternions import half_angle
from segue.motion.kinematics import world
from segue.motion.limb_ik import Leg
from segue.sequencing.replanning import replan
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import MotionSequence, make_sequence

SEQUENCES, REQUESTS = 100, 10


def main(show: Show) -> None:
    """Measure everything in turn."""
    live(show)
    intact(show)
    longer(show)


def live(show: Show) -> None:
    """Make random requests while a sequence is played."""
    elements, rng = made_of.elements(), np.random.default_rng(1)
    names, differ, requests, rejected = list(elements), 0, 0, 0
    for _ in range(SEQUENCES):
        first = str(rng.choice(names))
        made = make_sequence(
            elements, SequenceScript((Placement(first, at=1.0),)), skeleton=made_of.body(), fps=made_of.FPS
        )
        now = 0.0
        for _ in range(REQUESTS):
            now += float(rng.uniform(0.05, 1.2))
            at = None if rng.random() < 0.5 else now + float(rng.uniform(-0.2, 3.0))
            after = replan(made, Placement(str(rng.choice(names)), at=at), now=now)
            before, later = made.clip, after.clip
            played = math.ceil(now * made.fps) + 1 - made.first_frame
            rows = max(min(played, before.n_frames, later.n_frames), 0)
            same = (before.rotations[:rows] == later.rotations[:rows]).all(axis=(1, 2))
            same &= (before.root_positions[:rows] == later.root_positions[:rows]).all(axis=1)
            differ += int((~same).sum())
            requests += 1
            made = after
        rejected += len(made.rejected)
    show.check(f"played frames that {requests:,} live motions change", differ, "= 0")
    show.note(f"{rejected} of them were rejected, each with a possible time")


def intact(show: Show) -> None:
    """Check cores and feet of all pairs."""
    elements = made_of.elements()
    core, upper, before, after = 0.0, 0.0, [], []
    for first in elements.values():
        for second in elements.values():
            made = made_of.pair(first, second, gap=0.6)
            method = made.pairs[0].method
            angles = core_angles(made)
            high = made.placed[1].motion.motion.halves.upper[1:]
            if method.startswith("adaptation"):
                upper = max(upper, float(angles[:, high].max(initial=0.0)))
            else:
                core = max(core, float(angles.max(initial=0.0)))
            before.append(made.pairs[0].slip_before)
            after.append(made.pairs[0].slip_after)
    show.check("radians in cores of transitions and connections", core, "<= 1e-6")
    show.check("radians in upper bodies of adaptations", upper, "<= 1e-6")
    slips = 1e3 * np.array([before, after])
    show.table(
        ["slip of planted feet (mm)", "median", "90 %", "most"],
        [
            (word, *(float(np.percentile(row, share)) for share in (50, 90, 100)))
            for word, row in zip(("as blended", "held"), slips, strict=True)
        ],
    )
    show.check("pairs with 2 mm or more after correction", int((slips[1] >= 2.0).sum()), "= 0")


def core_angles(made: MotionSequence) -> np.ndarray:
    """Return angles (n, J) between the second core as played and as captured, without the root's turn."""
    one = made.placed[1]
    first, stop = one.motion.motion.core
    at = one.start + first - made.first_frame
    return 2.0 * half_angle(
        made.clip.rotations[at : at + stop - first, 1:], one.motion.motion.clip.rotations[first:stop, 1:]
    )


def longer(show: Show) -> None:
    """Check the steps of connections that are longer than in the input."""
    elements = made_of.elements()
    ratios = []
    for first in elements.values():
        for second in elements.values():
            made = made_of.pair(first, second, gap=0.6)
            found = step_speeds(made)
            if found is not None:
                ratios.append(found)
    show.note(f"{len(ratios)} steps last longer by a quarter or more and are longer than in the input")
    show.check("fastest of such a step over its own, in the median", float(np.median(ratios)), "0.75 to 1.25",
               ok=0.75 <= float(np.median(ratios)) <= 1.25)  # fmt: skip


def step_speeds(made: MotionSequence) -> float | None:
    """Return the top speed of the moving ankle in a lengthened step over that in the input, or None."""
    (pair,) = made.pairs
    phase = pair.previous_phase
    lower = next(one for one in pair.segments if one.half == "lower")
    if pair.method != "connection" or phase is None or phase.foot == "both" or lower.kind != "motion-to-pose":
        return None
    begin = max(phase.begin_frame, lower.begin_frame)
    own, now = phase.end_frame - begin, lower.end_frame - begin
    if now < 1.25 * own or own < 4:
        return None
    ankle = Leg.of(made.clip.skeleton, phase.foot).ankle
    rows = slice(begin - made.first_frame, lower.end_frame + 1 - made.first_frame)
    shown = world(made.clip).positions[rows, ankle]
    clip = made.placed[0].motion.motion.clip
    start = begin - made.placed[0].start
    source = world(clip).positions[start : start + own + 1, ankle]
    far, near = (float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum()) for path in (shown, source))
    if far < 1.1 * near or near < 0.1:
        return None
    fastest, own_fastest = (
        float(np.linalg.norm(np.diff(path, axis=0), axis=-1).max()) for path in (shown, source)
    )
    return fastest / own_fastest


if __name__ == "__main__":
    run(main, "numbers of sequences")
