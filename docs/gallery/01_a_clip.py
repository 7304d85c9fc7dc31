"""
Look at a clip
==============

A clip is one motion of one skeleton at one frame rate: the rotation of every joint and the position of the
root.
"""

import segue
from segue.pictures.filmstrip import filmstrip

walk = segue.sample("walk_turn_left")
print(f"{walk.n_frames} frames at {walk.fps:g} a second: {walk.seconds:g} s")
print(f"{walk.skeleton.n_joints} joints, the first is {walk.skeleton.names[0]}")
print("rotations", walk.rotations.shape, "root positions", walk.root_positions.shape)

# %%
# Joints are found by role, not by name, so the same code works on any body.

knee = segue.roles(walk.skeleton)["left_knee"]
places = segue.world_positions(walk)
print(f"the left knee is {walk.skeleton.names[knee]}")
print(f"it starts {places[0, knee, 1]:.2f} m above the ground")

# %%
# A filmstrip shows the motion. Left limbs, right limbs and trunk have one colour each, planted heels and toes
# are marked by a dot, and the ground path from above is drawn below.

# Picture: twelve figures side by side that walk and turn to the left; the path from above curves to the left
strip = filmstrip(walk, count=12)

# %%
# The same motion in the player:

# Film of walk: a body walks and turns to the left
print(f"{walk.name}: {walk.seconds:g} s")

# %%
# In a notebook a clip plays under its cell. On the command line: ``segue info sample:walk_turn_left``,
# ``segue film sample:walk_turn_left -o film.png``, or ``-o film.html`` for a page that plays.
