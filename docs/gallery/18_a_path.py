"""
A walk along a path
===================

A path on the ground, and the walk through a motion graph that stays closest to it.
"""

import numpy as np

import segue
from segue.graph.goals import Goals
from segue.graph.search.directed import direct
from segue.maths.paths import GroundPath
from segue.pictures.path_view import path_view

names = (
    "walk",
    "walk_left",
    "walk_right",
    "walk_bend_left",
    "walk_bend_right",
    "walk_turn_left",
    "walk_turn_right",
)
# All transitions within bounds, not only the best: following a path needs many turns.
graph = segue.MotionGraph.build([segue.sample(name) for name in names], share=1.0)

# %%
# A gentle slalom of 12 m, x to the side and z ahead. The walk of lowest cost among those searched is
# returned.

z = np.linspace(0.0, 12.0, 200)
path = GroundPath.through(np.column_stack([0.8 * np.sin(2 * np.pi * z / 12), z]))
made = direct(graph, Goals(path=path), budget=None, most_states=60_000)
print(f"{made.walk.seconds:.1f} s, cost {made.cost:.3f}; no walk costs less than {made.bound:.3f}")
print(f"off the path {made.off.mean():.3f} m on average, {made.off.max():.3f} m at most")
print("played:", ", ".join(made.walk.clips_played))

# %%
# From above, +Z down the page: the path is the pale band, colours are clips, diamonds are seams.

# Picture: a winding pale band from above and a coloured line that follows it, with diamonds where clips are joined
picture = path_view(segue.render(made.walk), path, off=made.off)

# %%
# The walk of lowest cost from one frame of a clip to a frame of another. The search is exact: no other walk
# costs less.

made = direct(graph, Goals(start=("walk", 30), end=("walk_turn_right", 200)))
print(f"{made.walk.seconds:.2f} s through {', '.join(made.walk.clips_played)}; proven best: {made.proven}")

# %%
# On the command line: ``segue walk sample: --path route.csv``, or ``--from walk:30 --to walk_turn_right:200``.
