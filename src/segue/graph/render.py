"""A walk becomes a clip."""

from __future__ import annotations

from segue.graph.walk import Walk
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut
from segue.settings import DEFAULTS, SeamFeet
from segue.synthesis.assemble import assemble
from segue.synthesis.feet.seams import FinishedFeet, with_feet


def render(walk: Walk, *, feet: SeamFeet = DEFAULTS.feet, creep: float = DEFAULTS.creep) -> Clip:
    """Make the frames of a walk; position and heading continue through every join.

    Feet that the clips have planted at the joins stand there as ``feet`` asks, and creep no more than so many metres
    (`segue.synthesis.feet.seams.with_feet`).

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> segue.render(graph.wander(seconds=4, seed=2)).seconds
    4.0
    """
    return finished(walk, feet=feet, creep=creep).clip


def finished(walk: Walk, *, feet: SeamFeet = DEFAULTS.feet, creep: float = DEFAULTS.creep) -> FinishedFeet:
    """Make the frames of a walk, and report how each plant at a seam is treated."""
    made = assemble(walk.clips, walk.plan, root=walk.root, way=walk.way, name=walk.name)
    motion = made if made.n_frames == walk.n_frames else cut(made, 0, walk.n_frames)
    if walk.placed != PlanarMotion():
        motion = moved(motion, walk.placed)
    return with_feet(motion, walk.clips, feet, creep=creep)
