"""Numbers about output quality, with units and definitions.

Owns: foot skate, seams, root speed. May import: motion, maths and below. Says nothing about costs.

- `seams`: angular speed and acceleration at every seam against the sources'
- `foot_skate`: how far planted feet slide
- `summary`: everything at once (`measure`)
"""

from segue.measures.summary import Measures, measure

__all__ = ["Measures", "measure"]
