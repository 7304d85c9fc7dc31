"""Making the frames of transitions and motions.

Owns: assembling pieces of clips into one motion, carrying a motion over to another body, checking a seam before it
is used. May import: transitions, blending, measures and below.

- `assemble`: pieces and blends to one clip with its origin
- `splice`: two clips and one transition point
- `from_positions`: joint positions to a clip, on a skeleton of their own or a given one
- `retarget`: a clip carried over to another skeleton by roles
- `feet`: what stands in the sources stands, and moves as little as there
- `repairing`: faults mended from the frames around; `smoothing`: jitter filtered out
- `root_motion`: the root's motion of a clip in place, brought back from its feet
- `joins`: many joins as columns, and their frames
- `checks`, `transition_check`: what each transition shows once everything is done to it
"""
