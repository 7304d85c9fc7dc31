"""Rotations, ground-plane motions and easing curves: pure array functions without knowledge of bodies.

Owns: quaternions, Euler angles, planar motions, blend curves. May import: arrays, errors, accel.

- `quaternions`: unit quaternions wxyz, any leading shape
- `euler`: angles in any order to quaternions and back
- `planar`: a turn about the vertical and a shift on the ground
- `paths`: curves on the ground by arc length
- `smoothing`: weighted smoothing
- `easing`: weights that blend one motion into another
"""
