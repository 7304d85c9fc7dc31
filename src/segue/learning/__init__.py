"""Weights of costs, learnt from examples of alike and unlike moments.

Owns: label files, labelled differences, non-negative least squares, leave-one-out, scales of features, a
classifier that looks for seams. May import: costs, measures and everything below. Reads label files, never motion.

- `labels`: transitions that a person called good or bad
- `least_squares`: weights that tell the two apart, also from which of two transitions is the better
- `weights`: labels and clips to weights, and the file they are kept in; scales of the motion-matching cost
- `leave_one_out`: how far single labels decide
- `pose_pairs`: pairs of one clip's poses that are alike by construction, and pairs that are not; what each
  weight of a cost would be multiplied with
- `seam_windows`: windows of made motion in the middle of seams, and of captured motion around the same moments
- `judging`: a classifier that looks for the seams among them
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
