"""How to get across: the frames between leaving one motion and arriving in another.

Owns: blend settings and the crossfade. May import: costs, measures, motion, maths and below.

- `methods`: `Blend`, the settings of a way across
- `crossfade`: joints by slerp, the root by position or by displacement
"""
