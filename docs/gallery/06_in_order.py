"""
Three clips in order
====================

Stitching joins clips in the given order and optimises all joins together: it may leave a clip a little
earlier if the later joins improve.
"""

import segue
from segue.graph.stitch import stitch
from segue.pictures.timeline import timeline

clips = [segue.sample(name) for name in ("start", "walk_turn_left", "stop")]
made = stitch(clips)
motion = segue.render(made.walk)
print(" to ".join(made.walk.clips_played), f"in {motion.seconds:.2f} s")
for join, cost, badness in zip(made.walk.plan.joins, made.costs, made.badness, strict=True):
    label = f"{clips[join.a_clip].name} to {clips[join.b_clip].name}"
    print(f"{label:<24} {cost / made.next_frame_cost:5.2f} next-frame costs, {badness:.0%} of the bounds")

# %%
# Bars show which clip plays when, and numbered diamonds are seams; the path from above is drawn below.

# Picture: a bar in three colours with two seams, and below it the path, which bends to the left
picture = timeline(motion)

# %%
# On the command line: ``segue stitch sample:start sample:walk_turn_left sample:stop -o in-order.glb``.
