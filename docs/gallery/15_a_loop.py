"""
A loop
======

The best cycle of a clip, closed in pose, speed, heading and foot contacts, and repeated.
"""

import numpy as np

import segue
from segue.pictures.filmstrip import filmstrip
from segue.synthesis.loop import on_the_spot, repeated

walk = segue.sample("walk", 30)
stride = segue.loop(walk)
cycle = stride.cycle
print(f"from {cycle.start / walk.fps:.2f} to {cycle.stop / walk.fps:.2f} s: {cycle.strides} stride")
print(
    f"closing adds {100 * cycle.share:.1f} % to the motion of a frame; a cycle covers {stride.step.z:.2f} m"
)

# %%
# Ten cycles in a row without a duplicate frame; in place, the body walks without travelling.

ten = repeated(stride, 10)
spot = repeated(on_the_spot(stride), 10)
for name, motion in (("going on", ten), ("on the spot", spot)):
    far = np.linalg.norm(motion.root_positions[-1, [0, 2]] - motion.root_positions[0, [0, 2]])
    print(f"{name}: {motion.seconds:.1f} s, {far:.2f} m away from where it began")

# Picture: figures around the third wrap of ten, marked by a dashed line; the feet land as in every other cycle
n = stride.clip.n_frames - 1
strip = filmstrip(ten, frames=range(3 * n - 12, 3 * n + 13, 3), seam_frames=[3 * n], title="around a wrap")

# Film of spot: a body walks in place, ten cycles without a visible seam
print(f"{spot.n_frames} frames")

# %%
# A walk that turns goes round in a circle; for standing, the loop is as long as possible, so that it does not
# repeat too soon.

left = segue.loop(segue.sample("walk_left", 30))
breath = segue.loop(segue.sample("stand", 30))
print(f"turns {np.degrees(left.step.turn):.0f} degrees a round; a breath lasts {breath.seconds:.1f} s")
