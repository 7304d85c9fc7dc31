"""Transition points between clips, and the highest cost that they may have.

Owns: searching cost matrices, pruning, thresholds, recognising copies of one motion. May import: costs,
motion, maths and below. Makes no frames and builds no graph.

- `selection`: `transition_points` of two clips, at a given or found threshold
- `transition`: `TransitionPoint`, its kind and alignment
- `candidates`: all minima of one pair of prepared clips, evaluated without a threshold, also in bands of the
  cost matrix
- `tiles`: candidates of many pairs in one batch
- `minima`: local minima and sector minima of a matrix; `pruning`: the three prunes, two modes
- `threshold`: a number, or `auto_threshold`; `largest_component`; `knee`: where the sorted costs bend
- `copies`: two clips that hold the same motion
"""
