"""The faults planted by `plant_faults.py`: what goes wrong, where, and which tests must notice.

A fault is one replacement of source text that occurs exactly once. When the source changes, its fault must be
updated: tests/house/test_planted.py names faults that no longer apply.
"""

from __future__ import annotations

from dataclasses import dataclass

from planted_more import MORE


@dataclass(frozen=True)
class Fault:
    """One mistake: ``old`` text in a file of src/segue becomes ``new``, and one of ``tests`` must notice."""

    name: str
    says: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def planted(self, text: str) -> str:
        """Return the source text with the fault in it.

        Raises
        ------
        ValueError
            If the text to be replaced does not occur exactly once.
        """
        found = text.count(self.old)
        if found != 1:
            message = f"{self.name}: {self.old!r} occurs {found} times in src/segue/{self.file}; it must once"
            raise ValueError(message)
        return text.replace(self.old, self.new)


FAULTS = (
    Fault(
        "swapped hand by name",
        "Joint names that begin or end with L are taken for the right side.",
        "motion/role_names.py",
        '_SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}',
        '_SIDES = {"l": "right", "left": "left", "r": "left", "right": "right"}',
        ("motion/test_roles_names.py",),
    ),
    Fault(
        "swapped hand by shape",
        "In a skeleton without names, left is ahead x up instead of up x ahead.",
        "motion/role_shape.py",
        "left = np.cross(up, ahead)",
        "left = np.cross(ahead, up)",
        ("motion/test_roles_shape.py",),
    ),
    Fault(
        "off-by-one window",
        "The second clip's window lies one frame early in the cost taken from the definition.",
        "costs/point_cloud.py",
        "clouds.windows(cb.points, columns + half, half)",
        "clouds.windows(cb.points, columns + half - 1, half)",
        ("costs/test_point_cloud.py",),
    ),
    Fault(
        "off-by-one taper",
        "The weights of a window fall to zero a frame later than the formula says.",
        "costs/clouds.py",
        "(k / (half_window + 1.0)) ** 2",
        "(k / (half_window + 2.0)) ** 2",
        ("costs/test_point_cloud.py",),
    ),
    Fault(
        "missing heading alignment in assemble",
        "A clip arrived in is moved to the right place but keeps its own heading.",
        "synthesis/assemble.py",
        "rotations[:, 0] = placed.rotate(rotations[:, 0])",
        "rotations[:, 0] = PlanarMotion().rotate(rotations[:, 0])",
        ("synthesis/test_assemble.py",),
    ),
    Fault(
        "missing heading alignment in splice",
        "A clip of another body is placed without its turn.",
        "synthesis/splice.py",
        "return PlanarMotion(alignment.turn, float(meant[0]",
        "return PlanarMotion(0.0, float(meant[0]",
        ("synthesis/test_turned_joins.py",),
    ),
    Fault(
        "missing heading alignment in the seam check",
        "Transitions are checked with the root of the motion arrived in not turned.",
        "synthesis/joins.py",
        "multiply(from_yaw(alignment[:, :1]), rotations[:, :, 0])",
        "multiply(from_yaw(0.0 * alignment[:, :1]), rotations[:, :, 0])",
        ("synthesis/test_turned_joins.py",),
    ),
    Fault(
        "dropped end site",
        "The BVH writer leaves out the first end site of every joint.",
        "io/bvh_write.py",
        "entry.end_sites += tips",
        "entry.end_sites += tips[1:]",
        ("io/test_written_places.py",),
    ),
    Fault(
        "swapped quaternion order",
        "GLB keys are written wxyz, as in memory, where the format wants xyzw.",
        "io/gltf_write.py",
        "[..., [1, 2, 3, 0]]",
        "[..., [0, 1, 2, 3]]",
        ("io/test_written_places.py",),
    ),
    Fault(
        "mirrored contact columns",
        "The columns of left and right heel and toe are exchanged.",
        "motion/feet.py",
        "return attached_points(at, points.joints, points.offsets)",
        "return attached_points(at, points.joints, points.offsets)[:, [2, 3, 0, 1]]",
        ("motion/test_contacts.py",),
    ),
    Fault(
        "mirrored foot",
        "Asked for the left foot, contacts answer for the right one.",
        "motion/contacts.py",
        'first = 0 if side == "left" else 2',
        'first = 2 if side == "left" else 0',
        ("motion/test_contact_sides.py",),
    ),
    Fault(
        "wrong ground axis in fit",
        "The best turn is searched for in x and height instead of x and z.",
        "maths/planar.py",
        "rb[:, 0] + ra[:, 2] * rb[:, 2]",
        "rb[:, 0] + ra[:, 1] * rb[:, 1]",
        ("maths/test_planar.py",),
    ),
    Fault(
        "wrong ground axis in apply",
        "A ground motion shifts heights instead of z.",
        "maths/planar.py",
        "out[..., 2] = -s * px + c * pz + self.z",
        "out[..., 2], out[..., 1] = -s * px + c * pz, out[..., 1] + self.z",
        ("maths/test_planar.py",),
    ),
    Fault(
        "lost blend frame",
        "After a blend the motion goes on with the frame that the blend has just shown.",
        "synthesis/assemble.py",
        "return self.b_start + (self.length if self.used is None else self.used[1])",
        "return self.b_start + (self.length if self.used is None else self.used[1]) - 1",
        ("synthesis/test_assemble.py",),
    ),
    Fault(
        "blend length one off",
        "The curve of blend lengths gives each cost to the next longer blend.",
        "blending/lengths.py",
        "length = count - (column - row)",
        "length = np.minimum(count - (column - row) + 1, count)",
        ("blending/test_lengths.py",),
    ),
    Fault(
        "wrong foot part held",
        "While one part of a foot is planted, the other one is kept in place.",
        "synthesis/feet/_kernels.py",
        "at, share = 3 * (t - 1 - start), firm[t, part]",
        "at, share = 3 * (t - 1 - start), firm[t, 1 - part]",
        ("synthesis/test_foot_moves.py",),
    ),
    Fault(
        "knee bends backwards",
        "Of the two bends with which a leg is as long as it must be, the wrong one is taken.",
        "motion/_kernels.py",
        "rest = sqrt(",
        "rest = -sqrt(",
        ("motion/test_limb_ik.py",),
    ),
    Fault(
        "blend off its centre",
        "A centre-aligned blend begins one frame early.",
        "blending/methods.py",
        "before = max(length // 2 - 1, 0)",
        "before = max(length // 2, 0)",
        ("blending/test_blend_settings.py", "blending/test_crossfade.py"),
    ),
    Fault(
        "reversed alpha of joints",
        "Joints fade from the motion arrived in to the motion left.",
        "blending/crossfade.py",
        "slerp(a[0], b[0], (1.0 - weights)[:, None])",
        "slerp(a[0], b[0], weights[:, None])",
        ("blending/test_crossfade.py",),
    ),
    Fault(
        "reversed alpha of the root",
        "The root's place fades the wrong way while joints fade the right way.",
        "blending/crossfade.py",
        "roots = weights[:, None] * a[1] + (1.0 - weights)[:, None] * b[1]",
        "roots = (1.0 - weights)[:, None] * a[1] + weights[:, None] * b[1]",
        ("blending/test_crossfade.py",),
    ),
    Fault(
        "late blend curve",
        "The weight of the motion left is a frame behind its formula.",
        "maths/easing.py",
        "np.arange(1, length + 1)",
        "np.arange(0, length)",
        ("maths/test_easing.py",),
    ),
    Fault(
        "the long way round",
        "Interpolation no longer takes the nearer of q and -q.",
        "maths/quaternions.py",
        "side = np.where(dot < 0, -1.0, 1.0)",
        "side = np.where(dot < -1, -1.0, 1.0)",
        ("maths/test_quaternions.py",),
    ),
    Fault(
        "root not scaled",
        "A small body carries out a tall body's steps at full length.",
        "synthesis/retarget/carry.py",
        "middle = scale * 0.5 * (",
        "middle = 0.5 * (",
        ("synthesis/test_retarget.py",),
    ),
    Fault(
        "whole twist on every joint",
        "Joints along a forearm take all of the hand's twist instead of their part.",
        "synthesis/retarget/carry.py",
        "angle=share * angle",
        "angle=angle",
        ("synthesis/test_retarget_chains.py",),
    ),
    Fault(
        "plants carried off the floor",
        "A plant measured too high stays too high on the other body.",
        "synthesis/retarget/standing.py",
        "move = -height if",
        "move = height if",
        ("synthesis/test_retarget_standing.py",),
    ),
    Fault(
        "reversed threshold",
        "Points above the threshold pass, those below do not.",
        "transitions/pruning.py",
        "np.flatnonzero(candidates.cost <= threshold)",
        "np.flatnonzero(candidates.cost >= threshold)",
        ("transitions/test_pruning.py",),
    ),
    Fault(
        "threshold that leaves out its own point",
        "A blend whose mean cost equals the threshold does not pass.",
        "transitions/pruning.py",
        "chosen = below[means[below] <= threshold]",
        "chosen = below[means[below] < threshold]",
        ("transitions/test_own_threshold.py",),
    ),
    Fault(
        "repeats not remembered",
        "A walk forgets which frames it has just played.",
        "graph/walker.py",
        "self.played[clip][start:stop] = at + np.arange(stop - start)",
        "self.played[clip][start:start] = at + np.arange(0)",
        ("graph/test_wander.py",),
    ),
    Fault(
        "a frame short",
        "Sixty seconds at thirty frames a second are 1,800 frames and not 1,801.",
        "graph/walk.py",
        "wanted = round(seconds * graph.fps) + 1",
        "wanted = round(seconds * graph.fps)",
        ("graph/test_wander.py",),
    ),
    Fault(
        "faulty frames played",
        "T-poses and dropouts count as motion.",
        "motion/usable.py",
        'if fault.severity == "unusable":',
        'if fault.severity == "broken":',
        ("graph/test_faulty_frames.py",),
    ),
    Fault(
        "faulty frames blended",
        "A transition may lead over frames that hold no motion.",
        "transitions/selection.py",
        "out &= count[low] == count[high]",
        "out &= count[low] <= count[high]",
        ("transitions/test_faulty.py",),
    ),
    Fault(
        "unit a hundredfold",
        "The inches of an ASF file are taken for centimetres.",
        "io/asf.py",
        "_INCH = 0.0254",
        "_INCH = 2.54",
        ("io/test_acclaim.py",),
    ),
    Fault(
        "lost frame rate",
        "A frame time of .0083333 is 120.00048 frames a second instead of 120.",
        "io/rates.py",
        "    if fitting:",
        "    if not seconds:",
        ("io/test_rates.py",),
    ),
    Fault(
        "minima off by one",
        "The band along a clip's own diagonal is a cell too narrow.",
        "transitions/minima.py",
        "if least is None else int(least)",
        "if least is None else int(least) - 1",
        ("transitions/test_minima.py",),
    ),
    Fault(
        "weak components",
        "A part that can be entered but not left counts as endless.",
        "transitions/threshold.py",
        'connection="strong"',
        'connection="weak"',
        ("transitions/test_threshold.py",),
    ),
    Fault(
        "seam check by the better number",
        "A transition passes when speed or acceleration is in bounds, not both.",
        "synthesis/transition_check.py",
        "np.maximum(turning.max(axis=1), ratio.max(axis=1))",
        "np.minimum(turning.max(axis=1), ratio.max(axis=1))",
        ("synthesis/test_transition_check.py",),
    ),
    Fault(
        "seams measured at their first frame",
        "A seam's acceleration is that of its first frame alone.",
        "measures/_kernels.py",
        "most = max(most, _second(positions, f, j))",
        "most = _second(positions, f, j) if most == 0.0 else most",
        ("measures/test_seams.py",),
    ),
    Fault(
        "swapped weights of the origin",
        "Blended frames say that they come from the wrong motion of the two.",
        "synthesis/assemble.py",
        "np.array([weights, 1.0 - weights]).T",
        "np.array([1.0 - weights, weights]).T",
        ("synthesis/test_assemble.py",),
    ),
    Fault(
        "mirrored axes",
        "Files with Z up are written with their ground mirrored.",
        "io/units.py",
        "return np.take(vectors * signs, order, axis=-1)",
        "return np.take(vectors, order, axis=-1)",
        ("io/test_units.py",),
    ),
    Fault(
        "seed ignored",
        "Every seed walks the same way.",
        "graph/walk.py",
        "Walker(graph, np.random.default_rng(seed), by",
        "Walker(graph, np.random.default_rng(0), by",
        ("graph/test_wander.py",),
    ),
    Fault(
        "changed source played",
        "A motion is made again from a file that is no longer the one it was made from.",
        "app/replay.py",
        "if file_digest(place) == source.sha256), None)",
        "if file_digest(place)), None)",
        ("app/test_replay.py",),
    ),
    Fault(
        "velocities twice as fast",
        "Joint velocities are those over two frames, not over 1/30 s.",
        "costs/joint_angle/cost.py",
        "turn_speeds(joints, STEP * self.rate)",
        "turn_speeds(joints, 2.0 * STEP * self.rate)",
        ("costs/test_joint_angle.py",),
    ),
    Fault(
        "rest poses as they are",
        "Joint angles of bodies with different rest poses are compared as stored in their files.",
        "costs/joint_angle/turns.py",
        "out[role] = multiply(lay, facing)",
        "out[role] = facing",
        ("costs/test_joint_angle.py",),
    ),
    Fault(
        "the way ahead a frame short",
        "Motion-matching features look ahead one frame less than their seconds specify.",
        "costs/features.py",
        "k + round(seconds * self.rate) for",
        "k + round(seconds * self.rate) - 1 for",
        ("costs/test_features.py",),
    ),
    *(Fault(*row) for row in MORE),
)
