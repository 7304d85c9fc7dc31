"""The joint-angle cost: how far joints are turned apart in two moments, and how differently they move.

Owns: weights of joints, rotations of joints by role on one rest pose, the cost and its kernel. May import: what costs
may.

- `cost`: `JointAngleCost`
- `turns`: rotations of a clip's joints by role, comparable across skeletons
- `weights`: named sets of weights, weights told by a person or a file
"""
