"""Find how long a blend should last, transition by transition, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Floats, Quaternions, frozen
from segue.blending.lengths import (
    LAGS,
    centred_curve,
    foreseen,
    geodesic_curve,
    is_periodic,
    timewarped_surface,
    velocity_length,
)
from segue.blending.methods import METHODS, Kind, LengthMethod
from segue.costs.joint_angle.weights import NAMED
from segue.errors import SettingError, SkeletonError, nearest
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip
from segue.motion.resample import sampled
from segue.motion.roles import NEEDED, SIDES, roles
from segue.settings.words import FIXED

WEIGHTS: Mapping[str, float] = {
    f"{side}_{part}": weight for part, weight in NAMED["optimised"] for side in SIDES
}
"""Weights of the joints (Wang, table IV.1)."""

RATE = 30.0
LONGEST = 2.0
FORESEEN = 1.0
"""Seconds of the longest blend that is foreseen; longer ones are no better."""
BOUND = 2.0
"""The longest blend may cost this many times the lowest cost: bodies and takes differ by a constant."""


@dataclass(frozen=True, eq=False)
class BlendLength:
    """A blend length, why it is that long, and the costs of the other lengths.

    Parameters
    ----------
    seconds
        Length of the blend.
    method
        How it was found; never ``"auto"``.
    why
        One sentence.
    lengths
        (L,) lengths in seconds of the curve; empty where the method has none.
    curve
        (L,) cost of each: weighted mean squared half angle in square radians; for ``"foreseen"`` metres of sliding
        plus acceleration and jerk converted to metres (`segue.blending.lengths`).
    per_joint
        (L, K) cost of each joint, unweighted; empty for ``"foreseen"``.
    roles
        Roles of the K joints.
    at_border
        Whether the shortest or longest possible length was chosen, which is unreliable.
    from_seconds, to_seconds
        Seconds used of either motion; they differ only for ``"timewarped"``.
    """

    seconds: float
    method: LengthMethod
    why: str
    lengths: Floats
    curve: Floats
    per_joint: Floats
    roles: tuple[str, ...]
    at_border: bool
    from_seconds: float
    to_seconds: float

    @property
    def joint_seconds(self) -> dict[str, float]:
        """Length at which each joint's own curve is lowest: one length per joint (Wang, ch. V.1.4).

        The source found these worse than one length for all joints.
        """
        if not len(self.lengths):
            return dict.fromkeys(self.roles, self.seconds)
        best = self.lengths[np.argmin(self.per_joint, axis=0)]
        return dict(zip(self.roles, (float(v) for v in best), strict=True))


def blend_length(
    a: Clip,
    b: Clip,
    *,
    a_frame: int,
    b_frame: int,
    kind: Kind,
    method: LengthMethod = "auto",
    weights: Mapping[str, float] = WEIGHTS,
    bound: float | None = None,
    longest: float = LONGEST,
) -> BlendLength:
    """Find how long the blend at a transition point should last.

    Parameters
    ----------
    a, b
        The motion left and the motion arrived in, on one skeleton.
    a_frame, b_frame
        Frames of those clips.
    kind
        Kind of the point. ``"aligned"``: the two frames look alike and meet in the middle of the blend.
        ``"start_end"``: the blend begins at ``a_frame`` and ends at ``b_frame``.
    method
        ``"geodesic"`` (start-end): the length at which the mean cost along the blend is lowest (Wang, eq. V.2).
        ``"velocity"``: the joint farthest apart gets the time it needs at its own speed (eq. V.4). ``"timewarped"``
        (start-end): separate lengths of both sides (eq. V.6). ``"longest"`` (aligned): the longest whose mean
        cost is at most ``bound``. ``"fixed"``: 1/3 s. ``"cut"``: 0. ``"periodic"``: for motion that repeats itself
        within a second of the point geodesic or longest, for other motion velocity (Wang, ch. V.1). ``"foreseen"``:
        up to 1 s, the length with the least sliding of planted feet and jerk of joints, all lengths tried in one pass
        (`segue.blending.lengths`); the same as ``"auto"`` where legs are known, otherwise ``"auto"`` is velocity.
    weights
        Weight of each joint by role; roles that a body lacks are left out.
    bound
        For ``"longest"``, in square radians of half angle; by default twice the lowest cost of any length.
    longest
        Maximum seconds.

    Returns
    -------
    `BlendLength`. Curves have a point every 1/30 s at any frame rate.

    Raises
    ------
    SettingError
        If the method is unknown or not meant for the kind of point, or a frame lies outside its clip.
    SkeletonError
        If the clips have different skeletons or none of the weighted joints.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("stop")
    >>> point = segue.transition_points(walk, stop)[0]
    >>> found = blend_length(walk, stop, a_frame=point.a_frame, b_frame=point.b_frame, kind=point.kind)
    >>> found.method, 0 < found.seconds <= 2
    ('foreseen', True)
    """
    _check(a, b, (a_frame, b_frame), kind, method)
    if not 0 < longest <= LONGEST:
        msg = f"longest={longest} s is not possible; blends last up to {LONGEST:g} s"
        raise SettingError(msg)
    if method in ("fixed", "cut"):
        seconds = FIXED if method == "fixed" else 0.0
        return _plain(method, seconds, f"{method}: {seconds:.3g} s for any motion")
    view = _View(a, b, (a_frame, b_frame), kind, weights, longest)
    reason = ""
    if method == "auto":
        legs = all(role in roles(a.skeleton) for role in NEEDED)
        method, reason = ("foreseen", "") if legs else ("velocity", "the legs are unknown")
    elif method == "periodic":
        method, reason = _chosen(a, b, (a_frame, b_frame), kind)
    if method == "foreseen":
        found = view.foreseen()
    elif method == "velocity":
        found = view.velocity()
    elif method == "geodesic":
        found = view.geodesic()
    elif method == "timewarped":
        found = view.timewarped()
    else:
        found = view.longest_under(bound)
    return replace(found, why=f"{reason}; {found.why}") if reason else found


def _chosen(a: Clip, b: Clip, frames: tuple[int, int], kind: Kind) -> tuple[LengthMethod, str]:
    """Method that ``periodic`` chooses, from the motion and never from a clip's name."""
    repeats = [is_periodic(clip, frame) for clip, frame in zip((a, b), frames, strict=True)]
    span = f"within a second of the point, in {LAGS[0]:g} to {LAGS[1]:g} s"
    if all(repeats):
        method: LengthMethod = "longest" if kind == "aligned" else "geodesic"
        return method, f"both motions repeat themselves {span}"
    which = "neither motion repeats" if not any(repeats) else "only one motion repeats"
    return "velocity", f"{which} itself {span}"


def check_method(method: str, kind: Kind) -> None:
    """Raise an error for an unknown method, or one that does not apply to a kind of point."""
    if method not in METHODS:
        msg = f"blend length {method!r} is not known; it can be {', '.join(METHODS)}; {nearest(method, METHODS)}"
        raise SettingError(msg)
    if kind not in METHODS[method]:
        if kind == "aligned":
            msg = (
                f"blend length {method!r} is for start-end points: at an aligned point the two frames look alike, so "
                "the shortest blend always costs least; use 'longest', 'velocity' or 'fixed'"
            )
        else:
            msg = f"blend length {method!r} is for aligned points; use 'geodesic', 'velocity', 'timewarped' or 'fixed'"
        raise SettingError(msg)


def _check(a: Clip, b: Clip, frames: tuple[int, int], kind: Kind, method: str) -> None:
    check_method(method, kind)
    for clip, frame in zip((a, b), frames, strict=True):
        if not 0 <= frame < clip.n_frames:
            msg = f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}; the point names {frame}"
            raise SettingError(msg)
    if a.skeleton is not b.skeleton and not a.skeleton.same_as(b.skeleton):
        msg = f"clips {a.name!r} and {b.name!r} have different skeletons; retarget one"
        raise SkeletonError(msg)


class _View:
    """The weighted joints of both clips around a point, at 30 moments a second."""

    def __init__(
        self,
        a: Clip,
        b: Clip,
        frames: tuple[int, int],
        kind: Kind,
        weights: Mapping[str, float],
        longest: float,
    ) -> None:
        found = {role: joint for role, joint in _joints(a).items() if weights.get(role, 0.0) > 0}
        if not found:
            msg = f"clip {a.name!r}: none of the weighted joints is known: {', '.join(weights)}"
            raise SkeletonError(msg)
        self.roles = tuple(found)
        self.joints = list(found.values())
        self.weights = np.array([weights[role] for role in found])
        self.a, self.b, self.kind = a, b, kind
        self.a_frame, self.b_frame = frames
        self.most = round(longest * RATE)

    def moments(self, clip: Clip, frame: int, first: int, count: int) -> Quaternions:
        """Local rotations (count, K, 4) at moments ``first``, ``first + 1`` ... relative to a frame."""
        at: Floats = frame + np.arange(first, first + count, dtype=np.float64) * (clip.fps / RATE)
        return sampled(clip, np.clip(at, 0, clip.n_frames - 1))[0][:, self.joints]

    def room(self, clip: Clip, frame: int) -> tuple[int, int]:
        """Number of complete moments before and after a frame."""
        step = clip.fps / RATE
        return int(frame / step + 1e-9), int((clip.n_frames - 1 - frame) / step + 1e-9)

    def start_end(self) -> tuple[Quaternions, Quaternions]:
        """Windows that begin at the frame left and end at the frame arrived at, as long as both clips allow."""
        count = 1 + min(self.room(self.a, self.a_frame)[1], self.room(self.b, self.b_frame)[0], self.most - 1)
        leaving = self.moments(self.a, self.a_frame, 0, count)
        return leaving, self.moments(self.b, self.b_frame, 1 - count, count)

    def geodesic(self) -> BlendLength:
        per_joint = geodesic_curve(*self.start_end())
        best = int(np.argmin(per_joint @ self.weights))
        return self.of_curve("geodesic", per_joint, best, "the mean cost along the blend is lowest there")

    def timewarped(self) -> BlendLength:
        surface = timewarped_surface(*self.start_end(), self.weights)
        one, other = (int(v) for v in np.unravel_index(np.argmin(surface), surface.shape))
        per_joint = geodesic_curve(*self.start_end())
        found = self.of_curve("timewarped", per_joint, max(one, other), "")
        sides = ((one + 1) / RATE, (other + 1) / RATE)
        why = (
            f"timewarped: {sides[0]:.3g} s of the motion left against {sides[1]:.3g} s of the one arrived in cost "
            f"least, {surface[one, other]:.3g}"
        )
        return replace(found, why=why, from_seconds=sides[0], to_seconds=sides[1])

    def longest_under(self, given: float | None) -> BlendLength:
        rooms = [self.room(self.a, self.a_frame), self.room(self.b, self.b_frame)]
        before = min(rooms[0][0], rooms[1][0], self.most // 2)
        after = min(rooms[0][1], rooms[1][1], self.most // 2 + 1)
        windows = (
            self.moments(clip, frame, -before, before + after + 1)
            for clip, frame in ((self.a, self.a_frame), (self.b, self.b_frame))
        )
        per_joint = centred_curve(*windows, centre=before)[: self.most]
        curve = per_joint @ self.weights
        bound = BOUND * float(curve.min()) if given is None else given
        under = np.flatnonzero(curve <= bound)
        if not under.size:
            return self.of_curve(
                "longest", per_joint, 0, f"no length costs less than {bound:.3g}: the shortest is taken"
            )
        return self.of_curve("longest", per_joint, int(under[-1]), f"the longest under {bound:.3g}")

    def foreseen(self) -> BlendLength:
        (a_before, a_after), (b_before, b_after) = (
            self.room(self.a, self.a_frame),
            self.room(self.b, self.b_frame),
        )
        if self.kind == "start_end":
            count = 1 + min(a_after, b_before)
        else:
            before, after = min(a_before, b_before), min(a_after, b_after)
            count = min(2 * before + 3, 2 * after)
        count = max(min(count, self.most, round(FORESEEN * RATE)), 1)
        seen = foreseen(
            self.a, self.b, a_frame=self.a_frame, b_frame=self.b_frame, kind=self.kind, count=count
        )
        price = seen.price
        best = int(np.argmin(price))
        why = (
            f"planted feet would slide {1000 * seen.skate[best]:.0f} mm beyond the captured motions, and jerk grow "
            f"by {100 * seen.jerk[best]:.0f} % of their largest; other lengths are worse"
        )
        return self.of_curve("foreseen", np.zeros((count, 0)), best, why, curve=price)

    def velocity(self) -> BlendLength:
        now = [self.moments(clip, frame, 0, 1)[0] for clip, frame in self.sides()]
        speeds = []
        for clip, frame in self.sides():
            around = self.moments(clip, frame, -1, 3)
            seconds = 2 / RATE if 0 < frame < clip.n_frames - 1 else 1 / RATE
            speeds.append(half_angle(around[0], around[2]) / seconds)
        joint, needed = velocity_length(half_angle(*now), *speeds)
        most = self.most / RATE
        if self.kind == "start_end":
            most = (1 + min(self.room(self.a, self.a_frame)[1], self.room(self.b, self.b_frame)[0])) / RATE
        seconds = min(max(needed, 1 / RATE), self.most / RATE, most)
        why = (
            f"velocity: the {self.roles[joint].replace('_', ' ')} is farthest apart and needs {needed:.3g} s"
        )
        if seconds != needed:
            end = "longest" if needed > seconds else "shortest"
            why += f" at its own speed; {seconds:.3g} s is the {end} possible here"
        return _plain("velocity", seconds, why, roles=self.roles, at_border=seconds != needed)

    def sides(self) -> tuple[tuple[Clip, int], tuple[Clip, int]]:
        return (self.a, self.a_frame), (self.b, self.b_frame)

    def of_curve(
        self, method: LengthMethod, per_joint: Floats, best: int, why: str, *, curve: Floats | None = None
    ) -> BlendLength:
        sentence = f"{method}: {(best + 1) / RATE:.3g} s, {why}"
        if curve is None:
            curve = per_joint @ self.weights
            sentence += f", {curve[best]:.3g}"
        seconds = (best + 1) / RATE
        border = best in (0, len(curve) - 1)
        if border:
            sentence += f"; it is the {'shortest' if best == 0 else 'longest'} possible here"
        lengths = np.arange(1, len(curve) + 1) / RATE
        return BlendLength(
            seconds,
            method,
            sentence,
            frozen(lengths),
            frozen(curve),
            frozen(per_joint),
            self.roles if per_joint.shape[1] else (),
            border,
            seconds,
            seconds,
        )


def _plain(
    method: LengthMethod, seconds: float, why: str, *, roles: tuple[str, ...] = (), at_border: bool = False
) -> BlendLength:
    none = frozen(np.zeros(0))
    per_joint = frozen(np.zeros((0, len(roles))))
    return BlendLength(seconds, method, why, none, none, per_joint, roles, at_border, seconds, seconds)


def _joints(clip: Clip) -> dict[str, int]:
    """Known joints of the limbs by role."""
    found = roles(clip.skeleton)
    return {role: found[role] for role in WEIGHTS if role in found}
