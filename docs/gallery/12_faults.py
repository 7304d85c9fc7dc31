"""
Frames that hold no motion
==========================

Captures contain dropouts, glitches and leading rest poses. They are found in the clip as read; walks do not
play them, and blends keep away from them.
"""

import segue
from segue.motion.faults import usable_ranges
from segue.pictures.filmstrip import filmstrip

walk = segue.sample("walk")
print(len(segue.find_faults(walk)), "faults in the clip itself")

# %%
# Add faults: an arm jumps in one frame, and the solver returns zeros for a tenth of a second.

rotations = walk.rotations.copy()
rotations[100, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
rotations[200:206] = [1, 0, 0, 0]
broken = segue.Clip(walk.skeleton, rotations, walk.root_positions, walk.fps, name="broken")
found = segue.find_faults(broken)
for fault in found.found:
    print(f"{fault.kind}: {fault.sentence}")
print("to be played:", usable_ranges(broken))

# Picture: eight walking figures; the fourth stands stiff in the rest pose
strip = filmstrip(broken, frames=[190, 194, 198, 202, 206, 210, 214, 218], contacts=())

# %%
# A graph uses the stretches without faults and reports what it left out.

graph = segue.MotionGraph.build([broken, segue.sample("stop"), segue.sample("start")])
print(*graph.report.notes, sep="\n")
motion = segue.render(graph.wander(seconds=20, seed=1, start="broken"))
origin = motion.origin
number = origin.clips.index("broken")
shown = origin.frame[(origin.clip == number) & (origin.weight > 0)]
print("broken frames shown:", int(found.unusable[shown.round().astype(int)].sum()), "of", len(shown))

# %%
# On the command line: ``segue info FILES`` lists every fault; :doc:`/faults` explains how each is detected.
