"""
Where one clip can be left for another
======================================

Minima of the cost matrix are candidates. Those that pass every test become transition points.
"""

import textwrap

import segue
from segue.pictures.matrix import cost_picture

walk, stop = segue.sample("walk"), segue.sample("stop")
points = segue.transition_points(walk, stop)
for step, count in points.counts.items():
    print(f"{count:>4} {step}")
print(textwrap.fill(points.threshold.sentence, 95))

# %%
# A transition point holds both frames, the cost, and the ground transform that aligns the second clip with
# the first.

best = points[0]
print(f"leave {best.a_clip} at frame {best.a_frame}, enter {best.b_clip} at frame {best.b_frame}")
print(f"turned by {best.alignment.turn:.3f} rad, moved by {best.alignment.x:.2f}, {best.alignment.z:.2f} m")

# %%
# Rings are minima under the threshold, dots the points that were chosen: one for each sweet spot.

from segue.transitions.minima import local_minima

cost = segue.PointCloudCost()
matrix = segue.cost_matrix(walk, stop, cost=cost)
cells = local_minima(matrix.values)
low = cells[matrix.values[cells[:, 0], cells[:, 1]] <= points.threshold.value]
minima = [(matrix.a_frames[row], matrix.b_frames[column]) for row, column in low]

# Picture: a cost matrix, striped above and uniform below; rings and dots lie on the stripes
picture = cost_picture(matrix, minima=minima, chosen=points, threshold=points.threshold.value)

# %%
# The sorted costs of all candidates bend where the good ones end. ``threshold="knee"`` stops at that bend;
# ``"auto"``, the default, takes the lowest threshold that keeps most of the motion reachable.

import numpy as np
from matplotlib.figure import Figure

from segue.transitions.knee import knee_rank

run, faster = segue.sample("run"), segue.sample("speed_up")
wide = segue.cost_matrix(run, faster, cost=cost)
cells = local_minima(wide.values)
costs = np.sort(wide.values[cells[:, 0], cells[:, 1]])
knee = knee_rank(costs)
print(f"{len(costs)} minima, the knee is at rank {knee}")

# Picture: costs by rank: flat and near zero up to a marked dot, then increasingly steep
figure = Figure(figsize=(8, 3.2), layout="constrained")
axes = figure.subplots()
axes.plot(np.arange(1, len(costs) + 1), costs, color="#3b6fb6")
if knee is not None:
    axes.plot(knee, costs[knee - 1], "o", color="#c44e52", label=f"knee, rank {knee}")
    axes.legend()
axes.set(xlabel="rank", ylabel="cost [m²]", title="Sorted minima of run and speed_up")

# %%
# If no candidate passes, one sentence reports the best cost, the threshold, and what to change.

none = segue.transition_points(walk, segue.sample("run"))
print(textwrap.fill(none.sentence, 95))
