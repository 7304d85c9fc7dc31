"""Elementary motions placed in time and joined with optimal blends (Oshita, interactive motion synthesis).

May import synthesis and below; knows neither graph nor locomotion. In the order in which a pair is joined:

- `elements`, `script`: elementary motions and their times; `prepared`: motions for one body at one rate
- `halves`, `phases`, `poses`, `moments`: the two halves of a body, foot phases, pose distances, fractional rows
- `choice`: which of the four methods; `ranges`, `curves`: blend ranges and weights; `planning`: the plan of a pair
- `placing`: place on the ground; `footholds`: feet that keep their place; `reaching`: leg inverse kinematics
- `blends`, `velocities`: frames between the cores; `plants`: planted feet held in them
- `baselines`: the two simple methods; `gentle`: whether the best ranges are gentler than an entire step
- `joining`: a complete pair; `decisions`: the decisions made for it
- `spacing`: free time between cores; `asap`: the earliest time; `timeline`: which placements are executed
- `rendering`: the frames of a sequence
- `sequence`: a sequence made from a script; `replanning`: motions added or withdrawn while it plays
"""
