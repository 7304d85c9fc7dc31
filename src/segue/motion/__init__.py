"""Bodies in motion: skeleton, roles, clip, pose, kinematics, heading, contacts, sample clips.

Owns: the data every floor above works on. May import: maths, arrays, errors, accel. Never reads a
file.

- `skeleton`: joints, parents, offsets, end sites
- `roles`: which joint is the left knee, whatever it is called
- `clip`: one captured or made motion, with the origin of each frame; `pose`: one frame of it
- `kinematics`: world positions and rotations
- `floors`: planes that feet stand on; `tilt`: whether a floor slopes or drifts, and motion laid level
- `reference`: a standing reference for rest poses that do not stand; `reference_found`: how it is put together
- `facing`: heading and ground position, moving a clip on the ground
- `mirror`: left and right exchanged; `sides`: which joints are a pair, the plane between them
- `resample`: another frame rate, a stretch of frames
- `cyclic`: clips that are exactly one cycle, played on; `closing`: two ends of a stretch made one moment
- `body`: segment capsules and their sample points
- `contacts`: when heel and toe are on the ground; `flags`: stretches of frames
- `support`: how fast the ground passes under feet in stance, and which clips are in place
- `stance`: contacts where feet slide, and how far a root's way is from what its legs walk
- `faults`: frames that hold no motion (`frame_faults`, on `turns`), a wrong clock, feet (`ground`);
  `usable`: the frames that are left
- `positions`: joint positions to a clip on a skeleton grown from them
- `samples`: procedural clips with exact ground truth
"""
