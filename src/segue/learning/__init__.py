"""Weights of costs, learnt from examples of similar and dissimilar moments.

Owns: label files, labelled differences, non-negative least squares, leave-one-out, scales of features, a classifier
that detects seams. May import: costs, measures and everything below. Reads label files, never motion.

- `labels`: transitions that a person called good or bad
- `least_squares`: weights that separate good from bad transitions, or that rank pairs of transitions
- `weights`: weights from labels and clips, and their file; scales of the motion-matching cost
- `leave_one_out`: influence of single labels
- `pose_pairs`: pairs of one clip's poses that are similar by construction, and pairs that are not; the terms of a
  cost, each with one weight
- `seam_windows`: windows of made motion around seams, and of captured motion around the same moments
- `judging`: a classifier that detects seams in these windows
"""

from segue.learning.labels import Label, LabelledTransition, label_text, read_labels
from segue.learning.leave_one_out import LeaveOneOut, leave_one_out
from segue.learning.weights import Examples, Learnt, examples, feature_scales, learn, weights_text

__all__ = [
    "Examples",
    "Label",
    "LabelledTransition",
    "Learnt",
    "LeaveOneOut",
    "examples",
    "feature_scales",
    "label_text",
    "learn",
    "leave_one_out",
    "read_labels",
    "weights_text",
]
