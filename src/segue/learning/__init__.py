"""Weights of costs from examples of what is alike and what is not.

Owns: labelled differences of pose pairs, non-negative least squares. May import: costs and everything below.

- `pose_pairs`: pairs of one clip's poses that are alike by construction, and pairs that are not
- `least_squares`: weights that tell the two apart
"""
