"""
Mirror images
=============

Left and right are exchanged: there is twice the material, and a dancer who only turns left also turns right.
"""

import numpy as np

import segue
from segue.pictures.filmstrip import filmstrip

turn = segue.sample("walk_turn_left", 30)
image = segue.mirror(turn)
for clip in (turn, image):
    x, _, z = clip.root_positions[-1] - clip.root_positions[0]
    print(f"{clip.name}: {x:+.1f} m to the left and {z:.1f} m ahead")

# Picture: the walk that turned left turns right; the leg that was orange in one is blue in the other
strip = filmstrip(image, count=12, title=image.name)

# %%
# Contacts are exchanged with the feet.

left, right = segue.contacts(turn), segue.contacts(image)
print("the right heel lands as the left one did:", bool(np.array_equal(left.left_heel, right.right_heel)))

# %%
# A graph of a clip and its mirror image turns in both directions.

graph = segue.MotionGraph.build([turn, image])
motion = segue.render(graph.wander(seconds=20, seed=3))
print(f"played: {', '.join(sorted(set(motion.origin.clips)))}")
