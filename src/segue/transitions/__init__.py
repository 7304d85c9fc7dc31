"""Where a clip may be left for another: transition points, and how good they have to be.

Owns: searching cost matrices, pruning, thresholds, telling copies of one motion. May import: costs, motion, maths and
below. Makes no frames and builds no graph.

- `selection`: `transition_points` of two clips, with the threshold found as asked
- `transition`: `TransitionPoint`, its kind and alignment
- `candidates`: all minima of one pair of prepared clips, judged before any threshold, also where its costs are not
  held whole
- `tiles`: candidates of many pairs in one go
- `minima`: local minima and sector minima of a matrix; `pruning`: the three prunes, two modes
- `threshold`: a number, or `auto_threshold`; `largest_component`; `knee`: where the sorted costs bend
- `copies`: two clips that hold one motion
"""
