"""
Foot skate
==========

A foot that is planted in both clips should stay where it is while they are blended. For each plant, one
unbroken contact of a heel or toe, the measure gives the distance it moves on the ground.
"""

import numpy as np
from matplotlib.figure import Figure

import segue
from segue.measures.foot_skate import carried_contacts, foot_skate

walk, slow = segue.sample("walk"), segue.sample("walk_slow")
print(f"{100 * max(plant.start_to_end for plant in foot_skate(walk)):.2f} cm at most in the walk itself")

# %%
# Leave the walk at one frame, and enter the slow walk at every phase of its step cycle: in step, out of step,
# and in step again. Each phase gives a cost, and each spliced motion a slide.

cost = segue.PointCloudCost()
a, b = cost.prepare(walk), cost.prepare(slow)
row = 60
costs, slides = [], []
columns = np.arange(20, 90, 2)
for column in columns:
    price = float(cost.pairs(a, b, np.array([row]), np.array([column]))[0])
    place = cost.alignment(a, b, row, column)
    frames = int(a.frames[row]), int(b.frames[column])
    point = segue.TransitionPoint("walk", "walk_slow", *frames, price, "aligned", place, price, True)
    motion = segue.splice(walk, slow, point, feet="free")
    planted = carried_contacts(motion, [walk, slow])
    at_seam = [
        plant.along_path
        for plant in foot_skate(motion, planted=planted)
        if plant.start - 10 <= point.a_frame <= plant.stop + 10
    ]
    costs.append(price)
    slides.append(100 * max(at_seam, default=0.0))
print(f"cheapest: {costs[np.argmin(costs)]:.4f}, slide {slides[np.argmin(costs)]:.1f} cm")
print(f"dearest:  {costs[np.argmax(costs)]:.4f}, slide {slides[np.argmax(costs)]:.1f} cm")

# Picture: two curves over the phase of entry, cost and slide; both are low in step and high out of step
figure = Figure(figsize=(8, 4), layout="constrained")
upper, lower = figure.subplots(2, sharex=True)
upper.plot(b.frames[columns] / slow.fps, costs, color="#3b6fb6")
upper.set(ylabel="cost [m²]", ylim=(0, None), title="Where the slow walk is entered")
lower.plot(b.frames[columns] / slow.fps, slides, color="#c44e52")
lower.set(ylabel="slide [cm]", ylim=(0, None), xlabel="seconds of walk_slow")

# %%
# The cost and the measure are computed independently. That they rise and fall together, if not at every
# frame, shows that the cost is useful.

print(f"correlation: {np.corrcoef(costs, slides)[0, 1]:.2f}")

# %%
# On the command line: ``segue measure MOTION`` prints the mean over all plants of a motion.
