"""Bodies in motion: skeleton, roles, clip, pose, kinematics, heading, contacts, sample clips.

Owns: the data that every higher layer works on. May import: maths, arrays, errors, accel. Never reads a
file.

- `skeleton`: joints, parents, offsets, end sites
- `roles`: which joint is the left knee, whatever its name
- `clip`: one captured or made motion, with the origin of each frame; `pose`: one frame of it
- `kinematics`: world positions and rotations
- `floors`: planes that feet stand on; `tilt`: whether a floor slopes or drifts, and levelling of motions
- `reference`: a standing reference for rest poses that do not stand; `reference_found`: how it is estimated
- `facing`: heading and ground position, moving a clip on the ground
- `mirror`: left and right exchanged; `sides`: which joints are a pair, the plane between them
- `resample`: resampling to another frame rate, cutting a stretch of frames
- `cyclic`: detecting and repeating clips that are exactly one cycle; `closing`: closing a stretch into a cycle
- `body`: segment capsules and their sample points
- `contacts`: when heel and toe are on the ground; `flags`: stretches of frames
- `support`: how fast the ground passes under feet in stance, and which clips are in place
- `stance`: contacts where feet slide, and how far a root's path is from what its legs walk
- `faults`: frames that hold no motion (`frame_faults`, on `turns`), a wrong frame rate, feet (`ground`);
  `usable`: the remaining frames
- `positions`: conversion of joint positions to a clip on a skeleton estimated from them
- `samples`: procedural clips with exact ground truth
"""
