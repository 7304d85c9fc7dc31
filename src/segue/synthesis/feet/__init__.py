"""Treat the feet of a made motion: planted where they are planted in the sources, moving no more than there.

- `steps`: how feet step in the sources, and how firmly they are on the ground
- `moves`: the move of a foot along the ground that gives it its steps
- `reaching`: legs and root follow moved feet; `legs`, `lowering`: helpers of it
- `steadying`: remove tremor from locked feet that lie flat
- `planting`: plants of an entire motion; `seams`: plants at the seams of a made one; `levels`: levels of treatment;
  `seam_moves`: moves at each level; `softening`: feet that exceed their limits; `near_seams`: levels of seams near
  each other; `stretches`: the seams of many transitions, each in its own stretch
- `alignment`: align motions so that standing feet meet
- `heights`: planted feet on a floor
"""
