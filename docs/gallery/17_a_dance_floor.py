"""
A dance floor
=============

Many characters on one graph: each has its own position, its own start, its own endless walk.
"""

import numpy as np

import segue
from segue.motion.facing import moved
from segue.pictures.floor import floor_picture
from segue.pictures.palette import source_colours
from segue.runtime.crowd import GraphCrowd
from segue.runtime.floor import put, scattered, seeds
from segue.runtime.graph_player import GraphPlayer, Request

names = ("walk", "walk_left", "walk_right", "walk_fast", "step_touch", "walk_bend_left")
graph = segue.MotionGraph.build([segue.sample(name, 30) for name in names])

# %%
# Six walks from six seeds, each at its own position:

motions = []
for seed, place in zip(seeds(1, 6), scattered(6, seed=1), strict=True):
    motion = segue.render(graph.wander(seconds=8, seed=seed))
    motions.append(moved(motion, put(motion, place)))

# Picture: six figures at four moments, coloured by the clip they play, and their paths from above
floor = floor_picture(motions, source_colours(names))

# %%
# At run time, the same seed gives the same frames; a requested clip is reached by the shortest path.

player = GraphPlayer(graph)
player.reset(seeds(1, 1)[0])
live = np.array([player.step(k and 1 / 30).root_position for k in range(150)])
ahead = segue.render(graph.wander(seconds=8, seed=seeds(1, 1)[0]), feet="free")
print("live as made ahead:", np.array_equal(live, ahead.root_positions[:150]))
waited = 0.0
while player.source[0] != "walk_left":
    player.step(1 / 60, Request(clip="walk_left"))
    waited += 1 / 60
print(f"'walk_left' after {waited:.1f} s")

# %%
# A thousand characters in one batch, with a few array operations a step:

crowd = GraphCrowd(graph, 1000)
rotations, roots = crowd.step(1 / 30)
print(f"{len(roots)} poses of {rotations.shape[1]} joints; clips on the floor: {len(set(crowd.sources))}")
