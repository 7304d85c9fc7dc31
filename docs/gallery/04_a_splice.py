"""
Splice two clips
================

Two clips and one transition point become one motion: the first up to the point, a blend of a third of a
second, the second from there to its end. Position and heading continue across the seam.
"""

import segue
from segue.pictures.filmstrip import filmstrip
from segue.pictures.seam_strip import seam_strip

walk, stop = segue.sample("walk"), segue.sample("stop")
points = segue.transition_points(walk, stop)
late = max(points, key=lambda point: point.a_frame - point.b_frame)
motion = segue.splice(walk, stop, late)
print(f"{walk.seconds:g} s and {stop.seconds:g} s became {motion.seconds:.2f} s")

# %%
# Frames that blend both clips have a tinted background; the band under each figure gives its source clip and
# frame.

# Picture: fifteen walking figures; the three in the middle have a tinted background
strip = filmstrip(motion, frames=range(282, 400, 8))

# Film of motion: a body walks and stops; it has a yellow outline while both clips are blended
print(f"{motion.n_frames} frames")

# %%
# Every frame records the clip and frame it came from.

blended = [f for f in range(motion.n_frames) if motion.origin.weight[f].min() > 0]
for frame in (blended[0] - 1, blended[0], blended[len(blended) // 2], blended[-1], blended[-1] + 1):
    shown = [
        f"{weight:4.0%} of {motion.origin.clips[clip]} frame {at:g}"
        for clip, at, weight in zip(
            motion.origin.clip[frame], motion.origin.frame[frame], motion.origin.weight[frame], strict=True
        )
        if weight > 0
    ]
    print(f"frame {frame}: {', '.join(shown)}")

# %%
# The seam, frame by frame, with the joints that change most. The lines across the curves are the bounds of
# the seam measure.

# Picture: every frame around the seam, and curves of the speed and acceleration of three joints
close = seam_strip(motion, blended[len(blended) // 2], sources=[walk, stop])
