"""
Retarget to another body
========================

Bodies differ in names, proportions and rest poses. Roles identify the joints; limb directions are copied, and
travel is scaled by leg length.
"""

import numpy as np

import segue
from segue.measures.foot_skate import foot_skate
from segue.motion.kinematics import world_positions
from segue.pictures.filmstrip import filmstrip

walk = segue.sample("walk")
body = walk.skeleton

# %%
# A shorter body with even shorter shins, whose joints have the names of another program:

renamed = {"Hips": "pelvis", "LeftUpLeg": "thigh_l", "LeftLeg": "calf_l", "LeftFoot": "foot_l"}
renamed |= {"RightUpLeg": "thigh_r", "RightLeg": "calf_r", "RightFoot": "foot_r"}
shins = np.array([0.9 if name.endswith("Foot") else 1.0 for name in body.names])
child = segue.Skeleton(
    [renamed.get(name, name) for name in body.names],
    body.parents,
    body.offsets * 0.62 * shins[:, None],
    [type(site)(site.joint, site.offset * 0.62) for site in body.end_sites],
)
found = segue.roles(child)
print(f"the left knee of the other body is {child.names[found['left_knee']]}")

# %%
# The same steps, shortened by the ratio of leg lengths:

carried = segue.retarget(walk, child)
for clip in (walk, carried):
    travelled = np.linalg.norm(clip.root_positions[-1, [0, 2]] - clip.root_positions[0, [0, 2]])
    height = world_positions(clip)[:, segue.roles(clip.skeleton)["head"], 1].mean()
    print(f"{travelled:.2f} m walked, the head {height:.2f} m above the ground")

# %%
# Legs of other proportions do not end at the floor. The legs are adjusted so that feet stand where the feet
# of the walk stood and stay there; with ``feet="free"`` all limbs point exactly as before, and feet slide:

planted = segue.contacts(walk).flags
for feet in ("free", "natural", "locked"):
    moved = segue.retarget(walk, child, feet=feet)
    slides = [plant.along_path for plant in foot_skate(moved, planted=planted)]
    print(f"feet {feet}: a plant slides {1000 * np.median(slides):.1f} mm in the median")

# Picture: twelve figures of the walk on the smaller body, planted feet marked
strip = filmstrip(carried, count=12, title="walk on the other body")

# %%
# Clips of both bodies go into one graph: all are retargeted to the first clip's skeleton.

stop = segue.sample("stop")
points = segue.transition_points(carried, stop)
motion = segue.splice(carried, stop, points[0])
print(f"{motion.skeleton.names[0]} plays {' and '.join(motion.origin.clips)}")
