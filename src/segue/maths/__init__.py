"""Rotations, ground-plane motions and easing curves: pure array functions that know nothing of bodies.

Owns: quaternions, Euler angles, planar motions, blend curves. May import: arrays, errors, accel.

- `quaternions`: unit quaternions wxyz, any leading shape
- `euler`: angles in any order to quaternions and back
- `planar`: a turn about the vertical and a shift on the ground
- `paths`: curves on the ground by arc length
- `smoothing`: values smoothed by weight
- `easing`: weights that carry one motion into another
"""
