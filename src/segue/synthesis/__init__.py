"""Synthesis: make the frames of transitions and motions.

Owns: assembling pieces of clips into one motion, retargeting a motion to another body, checking a seam before it
is used. May import: transitions, blending, measures and below.

- `assemble`: pieces and blends to one clip with its origin
- `splice`: two clips and one transition point
- `from_positions`: joint positions to a clip, on a skeleton grown from them or a given one
- `retarget`: a clip carried over to another skeleton by roles
- `feet`: keep feet planted where they are planted in the sources, and moving no more than there
- `repairing`: faults repaired from the frames around; `smoothing`: jitter filtered out
- `root_motion`: restore the root motion of a clip in place from its feet
- `joins`: many joins as columns, and their frames
- `checks`, `transition_check`: measure each transition as it is in the finished motion
"""
