"""A walk becomes a clip."""

from __future__ import annotations

from segue.graph.walk import Walk
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut
from segue.synthesis.assemble import assemble
from segue.synthesis.footplants import SeamFeet, with_feet


def render(walk: Walk, *, feet: SeamFeet = "free") -> Clip:
    """Make the frames of a walk; position and heading continue through every join.

    ``feet="planted"`` holds the feet that the clips had planted at the joins (`segue.synthesis.footplants`);
    ``"captured"`` lets them drift as they do in the clips, and no more.

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> segue.render(graph.wander(seconds=4, seed=2)).seconds
    4.0
    """
    made = assemble(walk.clips, walk.plan, root=walk.root, way=walk.way, name=walk.name)
    motion = made if made.n_frames == walk.n_frames else cut(made, 0, walk.n_frames)
    if walk.placed != PlanarMotion():
        motion = moved(motion, walk.placed)
    return with_feet(motion, walk.clips, feet)
