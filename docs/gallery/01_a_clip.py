"""
Look at a clip
==============

A clip is one motion of one skeleton at one frame rate: rotations of every joint, and where the root is.
"""

import segue
from segue.pictures.filmstrip import filmstrip

walk = segue.sample("walk_turn_left")
print(
    f"{walk.n_frames} frames at {walk.fps:g} a second are {walk.seconds:g} s, {walk.skeleton.n_joints} joints"
)
print("rotations", walk.rotations.shape, "root", walk.root_positions.shape)

# %%
# Joints are found by role and not by name, so that the same lines work on any body.

knee = segue.roles(walk.skeleton)["left_knee"]
print(
    walk.skeleton.names[knee], "stands", f"{segue.world_positions(walk)[0, knee, 1]:.2f} m above the ground"
)

# %%
# A filmstrip shows it: left limbs, right limbs and trunk have a colour each, planted heels and toes carry a dot, and
# below lies the way from above.

# Picture: twelve figures that walk and turn to the left, the way below them as a bow
strip = filmstrip(walk, count=12)
