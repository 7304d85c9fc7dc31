"""
How unlike two moments are
==========================

A cost compares a moment of one clip with a moment of another, using a window of a third of a second around
each. The costs of all pairs of moments form a cost matrix.
"""

import numpy as np

import segue
from segue.pictures.matrix import cost_picture

walk, turn = segue.sample("walk"), segue.sample("walk_turn_left")
cost = segue.PointCloudCost()
matrix = segue.cost_matrix(walk, turn, cost=cost)
print("moments compared:", matrix.values.shape, "at", matrix.rate, "a second")
print(f"from {matrix.values.min():.5f} to {matrix.values.max():.4f} square metres")

# %%
# Dark means similar. The dark stripes are pairs of moments in the same phase of a step; they fade as the turn
# begins.

# Picture: a cost matrix in grey with dark diagonal stripes a step apart, brighter towards the bottom
picture = cost_picture(matrix)

# %%
# When is a cost small? Compare it with the cost between a moment and the next one in the same clip, a step
# too small to see.

from segue.costs.matrix import next_frame_costs

step = float(np.median(next_frame_costs(cost.prepare(walk), cost)))
print(f"one step of unbroken walking costs {step:.5f}")
print(f"{(matrix.values < step).mean():.1%} of all pairs of moments cost less than that")

# %%
# Another cost, joint relative distance, compares single poses by the distances between joints. Its unit is
# different, but the stripes are the same.

other = segue.cost_matrix(walk, turn, cost=segue.RelativeDistanceCost())

# Picture: the same stripes by joint relative distance, finer, because there is no window to smooth them
second = cost_picture(other, title="walk  →  walk_turn_left, by joint relative distance")

# %%
# On the command line: ``segue compare sample:walk sample:walk_turn_left -o costs.png``.
