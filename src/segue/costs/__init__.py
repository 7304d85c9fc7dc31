"""How unlike any two moments of two clips are.

Owns: costs behind one interface, their registry, cost matrices. May import: motion and everything below. Never
reads a motion file.

- `protocol`: what a cost offers, what preparing a clip leaves behind
- `clouds`: body point clouds and the ground motion that lays one onto another
- `point_cloud`: windowed point clouds with closed-form alignment
- `joint_angle`: differences of joint rotations and of their speeds
- `features`: what motion matching looks at
- `simple`: what costs have in common, so that a new one is one short file
- `relative_distance`: changes of the distances between joints
- `probability`: how likely one frame is to follow another
- `registry`: costs by name, with settings in words, and as documents
- `matrix`: cost matrices between clips, costs of unbroken steps
- `engine`: costs between whole sets of clips: strips, matrices, memory
- `pruned`: pairs of clips that lower bounds of uniform point clouds rule out
"""
