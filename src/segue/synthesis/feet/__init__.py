"""Feet of a made motion: what stands in the sources stands, and moves as little as there.

- `steps`: how feet step in the sources, and how firmly they are on the ground
- `moves`: the move of a foot along the ground that gives it its steps
- `reaching`: legs and root follow moved feet; `legs`, `lowering`: what they need
- `steadying`: locked feet that lie flat do not tremble
- `planting`: plants of a whole motion; `seams`: plants at the seams of a made one; `levels`: how they are treated;
  `seam_moves`: how they then move; `softening`: which of them show; `near_seams`: levels of seams near each other;
  `stretches`: the seams of many transitions, each in a stretch of its own
- `alignment`: motions joined so that standing feet meet
- `heights`: planted feet on a floor
"""
