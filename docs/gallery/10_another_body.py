"""
Onto another body
=================

Bodies differ in names, proportions and rest poses. Roles say which joint is which; directions of limbs are laid on one
another, travel is scaled with the legs.
"""

import numpy as np

import segue
from segue.motion.kinematics import world_positions
from segue.pictures.filmstrip import filmstrip

walk = segue.sample("walk")
body = walk.skeleton

# %%
# A shorter body whose joints have the names of another program:

renamed = {"Hips": "pelvis", "LeftUpLeg": "thigh_l", "LeftLeg": "calf_l", "LeftFoot": "foot_l"}
renamed |= {"RightUpLeg": "thigh_r", "RightLeg": "calf_r", "RightFoot": "foot_r"}
child = segue.Skeleton(
    [renamed.get(name, name) for name in body.names],
    body.parents,
    body.offsets * 0.62,
    [type(site)(site.joint, site.offset * 0.62) for site in body.end_sites],
)
found = segue.roles(child)
print(f"the left knee of the other body is {child.names[found['left_knee']]}")

# %%
# The same steps, as much shorter as the legs are:

carried = segue.retarget(walk, child)
for clip in (walk, carried):
    way = np.linalg.norm(clip.root_positions[-1, [0, 2]] - clip.root_positions[0, [0, 2]])
    height = world_positions(clip)[:, segue.roles(clip.skeleton)["head"], 1].mean()
    print(f"{way:.2f} m walked, the head {height:.2f} m above the ground")

# Picture: twelve figures of the walk on the smaller body, planted feet marked
strip = filmstrip(carried, count=12, title="walk on the other body")

# %%
# Clips of both bodies go into one graph: everything is carried over to the first clip's skeleton.

stop = segue.sample("stop")
points = segue.transition_points(carried, stop)
motion = segue.splice(carried, stop, points[0])
print(f"{motion.skeleton.names[0]} plays {' and '.join(motion.origin.clips)}")
