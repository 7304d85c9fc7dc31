"""Elementary motions placed in time and joined with optimal blends (Oshita, interactive motion synthesis).

May import synthesis and below; knows neither graph nor locomotion. The order in which a pair is joined:

- `elements`, `script`: what is placed, and when; `prepared`: for one body at one rate
- `halves`, `phases`, `poses`, `moments`: the two halves of a body, its steps, how far poses are apart, fractional rows
- `choice`: which of the four methods; `ranges`, `curves`: from when to when, by which weights; `planning`: all of it
- `placing`: where on the ground; `footholds`: feet that stay where they were; `reaching`: legs follow
- `blends`, `velocities`: frames between the cores; `plants`: planted feet held in them
- `baselines`: the two simple methods; `gentle`: whether the best ranges are gentler than a whole step
- `joining`: a pair from begin to end; `decisions`: what was decided
- `spacing`: room between cores; `asap`: the earliest time; `timeline`: which placements are executed
- `rendering`: the frames of all of it
- `sequence`: a script made; `replanning`: one more motion, or one less, while it is played
"""
