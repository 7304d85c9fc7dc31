"""Numbers about output quality, with units and definitions.

Owns: foot skate, seams, ground, jerk, knees, limbs, new poses. May import: motion, maths and below. Says nothing
about costs.

- `seams`: angular speed and acceleration at every seam against the sources'
- `foot_skate`: how far planted feet slide
- `summary`: what a made motion is held against (`measure`)
- `ground`: parts of feet below the floor, planted parts above it
- `smoothness`: jerk, and knees that pop
- `intersection`: limbs that pass through the body
- `quality`: the last three at once
- `novelty`: how far poses are from any that was captured
- `repetition`: how much of a made motion is new
- `slip`: how far feet slip by contacts and by the plain rule, beside their sources
- `low_feet`: feet that are low by a plain rule
- `window_features`: half-second windows as numbers by which made motion can be told
- `curves`: what a person looks at over time; how fast each half of the body moves
"""

from segue.measures.summary import Measures, measure

__all__ = ["Measures", "measure"]
