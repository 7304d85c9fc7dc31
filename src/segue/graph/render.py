"""A walk becomes a clip."""

from __future__ import annotations

from segue.graph.walk import Walk
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.synthesis.assemble import assemble
from segue.synthesis.footplants import Feet, with_feet


def render(walk: Walk, *, feet: Feet = "free") -> Clip:
    """Make the frames of a walk; position and heading continue through every join.

    ``feet="planted"`` holds the feet that the clips had planted at the joins (`segue.synthesis.footplants`).

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> segue.render(graph.wander(seconds=4, seed=2)).seconds
    4.0
    """
    made = assemble(walk.clips, walk.plan, root=walk.root, way=walk.way, name=walk.name)
    motion = made if made.n_frames == walk.n_frames else cut(made, 0, walk.n_frames)
    return with_feet(motion, walk.clips, feet)
