"""
Endless motion
==============

A walk through the graph lasts exactly as long as requested. The same seed gives the same walk.
"""

import segue
from segue.pictures.filmstrip import filmstrip
from segue.pictures.timeline import timeline

names = ("walk", "walk_left", "walk_turn_right", "start", "stop", "stand", "step_touch")
graph = segue.MotionGraph.build([segue.sample(name) for name in names])
walk = graph.wander(seconds=20, seed=4)
motion = segue.render(walk)
print(f"{motion.seconds:g} s, {motion.n_frames} frames, {len(walk.plan.joins)} seams")
print("played:", ", ".join(walk.clips_played))

# %%
# Colours are clips, diamonds are seams.

# Picture: bars in many colours with numbered seams, and the path from above
picture = timeline(motion)

# Film of motion: a body walks, turns, stops and steps; the colours of the timeline are clips
print(f"{motion.name}: {motion.fps:g} frames a second")

# %%
# The seam measure. 100 % of the bounds is one and a half times the largest value in the clips themselves.

found = segue.measure(motion, sources=graph.clips)
for seam in found.worst_seams(3):
    share = seam.badness(found.bounds)
    print(f"{seam.seconds:5.2f} s, {seam.a_clip} to {seam.b_clip}: {share:.0%} of the bounds")
start_to_end, along = found.mean_slide
print(f"a planted foot slides {100 * start_to_end:.2f} cm, {100 * along:.2f} cm along its path")

# %%
# The motion itself:

# Picture: sixteen figures of the walk from the side; those on a tinted background are blends of two clips
strip = filmstrip(motion, count=16)

# %%
# On the command line: ``segue wander sample: --seconds 20 --seed 4 -o endless.bvh``.
