"""
Seven blend methods
===================

A crossfade is one of several blend methods. Some methods mix both clips for a while; others switch to the new
clip at once and let the difference to the old one decay.
"""

import numpy as np
from matplotlib.figure import Figure

import segue
from segue.blending.ways import WAYS

walk, faster = segue.sample("walk"), segue.sample("speed_up")
points = segue.transition_points(walk, faster, threshold=0.02)
point = points[len(points) // 2]
made = {name: segue.splice(walk, faster, point, way=name, feet="free") for name in WAYS}

# %%
# Each motion is compared with the bounds of the seam measure, where values up to 100 % are within bounds, and
# the slide of planted feet is measured.

for name, motion in made.items():
    found = segue.measure(motion, sources=[walk, faster])
    share, (slide, _) = found.seams[0].badness(found.bounds), found.mean_slide
    print(f"{name:<15} {share:6.0%} of the bounds, a planted foot slides {100 * slide:.2f} cm")

# %%
# The angular speed of the right elbow with each method. The blend is the tinted third of a second.

elbow = segue.roles(walk.skeleton)["right_elbow"]

# Picture: seven curves of angular speed that differ inside a tinted stretch and agree outside it
figure = Figure(figsize=(8, 3.8), layout="constrained")
axes = figure.subplots()
axes.axvspan(-1 / 6, 1 / 6, color="#fbe9b5")
for k, (name, motion) in enumerate(made.items()):
    q = motion.rotations[:, elbow]
    turned = 2 * np.arccos(np.clip(np.abs(np.sum(q[1:] * q[:-1], axis=1)), 0, 1))
    seconds = (np.arange(len(turned)) + 0.5 - point.a_frame) / motion.fps
    axes.plot(seconds, np.degrees(turned) * motion.fps, color=f"C{k}", label=name)
axes.set(xlim=(-0.5, 0.5), xlabel="seconds from the seam", ylabel="degrees a second")
axes.legend()

# %%
# On the command line: ``segue wander FILES --way inertialization``.
