"""Costs: how unlike any two moments of two clips are.

Owns: costs behind one interface, their registry, cost matrices. May import: motion and everything below.
Never reads a motion file.

- `protocol`: interface of costs and prepared clips
- `clouds`: body point clouds and the ground motion that aligns one with another
- `point_cloud`: windowed point clouds with closed-form alignment
- `joint_angle`: differences of joint rotations and of their speeds
- `features`: features of motion matching
- `simple`: shared code of costs, so that a new one is one short file
- `relative_distance`: changes of the distances between joints
- `probability`: how likely one frame is to follow another
- `registry`: costs by name, with settings in words, and as documents
- `matrix`: cost matrices between clips, costs of consecutive frames
- `engine`: costs between entire sets of clips: strips, matrices, memory
- `pruned`: exclusion of pairs of clips by lower bounds of uniform point clouds
"""
