"""Blending: the frames between leaving one motion and arriving in another.

Owns: blend settings and the crossfade. May import: costs, measures, motion, maths and below.

- `methods`: `Blend`, the settings of a way across
- `crossfade`: joints by slerp, the root by position or by displacement; what two motions do fast, which averaging them
  removes
- `ways`: every way across behind one interface; `warps`: those that lay time out first
- `durations`: how long a blend should last, and why; `lengths`: what that is found from
"""
