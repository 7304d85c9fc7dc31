"""
A hard cut against a blend
==========================

A hard cut keeps position and heading too, but joints jump. The seam measure quantifies the jump: the angular
speed and acceleration of every joint around the seam, divided by the largest values of that joint in both
clips near the join.
"""

import numpy as np
from matplotlib.figure import Figure

import segue

walk, faster = segue.sample("walk"), segue.sample("speed_up")
points = segue.transition_points(walk, faster, threshold=0.02)
point = points[len(points) // 2]
print(f"from frame {point.a_frame} to frame {point.b_frame}, cost {point.cost:.4f}")

made = {
    "hard cut": segue.splice(walk, faster, point, length="cut", feet="free"),
    "blend of 0.1 s": segue.splice(walk, faster, point, length=0.1, feet="free"),
    "blend of 1/3 s": segue.splice(walk, faster, point, feet="free"),
}
for name, motion in made.items():
    found = segue.measure(motion, sources=[walk, faster])
    seam = found.seams[0]
    worst = walk.skeleton.names[int(np.argmax(seam.acceleration_ratio))]
    share = seam.badness(found.bounds)
    print(f"{name:<15} {share:6.0%} of the bound; worst acceleration: {worst}")

# %%
# Side by side, in step. Use the arrow keys to step through the seam.

# Film of hard, soft: the same transition twice; on the left all limbs jump at the seam, on the right they do not
hard, soft = made["hard cut"].with_motion(name="hard cut"), made["blend of 1/3 s"].with_motion(name="blend")

# %%
# The angular speed of the joint with the largest jump:

jump = segue.measure(made["hard cut"], sources=[walk, faster]).seams[0]
joint = int(np.argmax(jump.speed_share(segue.measure(walk).bounds)))
name = walk.skeleton.names[joint]

# Picture: angular speed over time; the hard cut is a spike at the seam, the blends pass it smoothly
figure = Figure(figsize=(8, 3.4), layout="constrained")
axes = figure.subplots()
for (label, motion), colour in zip(made.items(), ("#c44e52", "#dd8452", "#3b6fb6"), strict=True):
    q = motion.rotations[:, joint]
    turned = 2 * np.arccos(np.clip(np.abs(np.sum(q[1:] * q[:-1], axis=1)), 0, 1))
    seconds = (np.arange(len(turned)) + 0.5) / motion.fps
    axes.plot(seconds - point.a_frame / walk.fps, np.degrees(turned) * motion.fps, color=colour, label=label)
axes.set(xlim=(-0.6, 0.6), xlabel="seconds from the seam", ylabel="degrees a second")
axes.set_title(f"How fast {name} turns")
axes.legend()

# %%
# On the command line: ``segue measure MOTION`` lists the worst seams, ``segue film MOTION --seam 1`` shows
# one.
