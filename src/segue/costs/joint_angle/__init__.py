"""The joint-angle cost: differences of joint rotations and of joint velocities between two moments.

Owns: weights of joints, rotations of joints by role relative to one rest pose, the cost and its kernel. May
import: the same as costs.

- `cost`: `JointAngleCost`
- `turns`: rotations of a clip's joints by role, comparable across skeletons
- `weights`: named sets of weights, and weights set by the user or a file
"""
