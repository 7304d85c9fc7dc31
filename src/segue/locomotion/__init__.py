"""On-line locomotion from a few clips, controlled by speed and turning rate (Park, Shin, Kim & Shin 2004).

May import synthesis and below. In order: `phases` finds the gaits of a clip, `cutting` cuts it into examples
(`examples`, `arcs`), `making` makes transitions between types that no clip holds, `choosing` selects examples, `build`
returns a `model.Locomotion`, whose blend sets (`blend_set`) the player in `runtime` blends frame by frame.
"""
