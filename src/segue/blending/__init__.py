"""Blending: make the frames between leaving one motion and arriving in another.

Owns: blend settings and the crossfade. May import: costs, measures, motion, maths and below.

- `methods`: `Blend`, the settings of a blend
- `crossfade`: joints by slerp, the root by position or by displacement; fast motion, which averaging removes, kept
- `ways`: every blend method behind one interface; `warps`: methods that warp time first
- `durations`: how long a blend should last, and why; `lengths`: the curves it is found from
"""
