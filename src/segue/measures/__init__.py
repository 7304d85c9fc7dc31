"""Measures of output quality, with units and definitions.

Owns: foot skate, seams, ground, jerk, knees, limbs, new poses. May import: motion, maths and below. Independent of
costs.

- `seams`: angular speed and acceleration at every seam relative to the sources'
- `foot_skate`: how far planted feet slide
- `summary`: foot skate, seams and root speed in one call (`measure`)
- `ground`: parts of feet below the floor, planted parts above it
- `smoothness`: jerk, and knees that pop
- `intersection`: limbs that pass through the body
- `quality`: the last three in one call
- `novelty`: how far poses are from any captured pose
- `repetition`: how much of a made motion is new
- `slip`: how far feet slip by contacts and by the plain rule, compared with their sources
- `low_feet`: feet that are low by a plain rule
- `window_features`: features of half-second windows by which made motion can be recognised
- `curves`: measures over time; how fast each half of the body moves
"""

from segue.measures.summary import Measures, measure

__all__ = ["Measures", "measure"]
