"""On-line locomotion from a few clips, controlled by speed and turning rate (Park, Shin, Kim & Shin 2004).

May import synthesis and below. In order: `phases` says what a clip shows, `cutting` cuts it into examples (`examples`,
`arcs`), `making` makes transitions between types that no clip holds, `choosing` says which examples are kept, `build`
gives a `model.Locomotion`, whose blend sets (`blend_set`) the player in `runtime` blends frame by frame.
"""
