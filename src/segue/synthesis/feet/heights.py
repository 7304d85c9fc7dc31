"""Put feet on the floor: planted heels and toes at its height, and no part of a foot below it.

The root takes the slowly changing part that planted feet have in common; legs and the tilt of the feet take the rest,
exactly where a part is planted and fading around it. Deviations within a millimetre and a half of the floor are kept,
so that sound captures hardly change. No file states how thick soles are: the height of a toe joint above its heel while
the foot lies flat is measured in the motion, and only the mean height of both is taken from the body's rest pose.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, frozen, sealed
from segue.maths.quaternions import from_axis_angle, multiply, rotate
from segue.maths.smoothing import whittaker
from segue.motion.clip import Clip
from segue.motion.contacts import contacts, part_speeds
from segue.motion.feet import FOOT_PARTS, foot_points, foot_positions, leg_length
from segue.motion.flags import column_runs, runs
from segue.motion.kinematics import World, attached_points, forward, world
from segue.motion.limb_ik import reach_ankles
from segue.motion.stance import slip_free
from segue.motion.support import is_in_place
from segue.synthesis.feet.legs import legs_alone
from segue.synthesis.feet.lowering import smooth_above, too_far

NEAR = 0.0018
"""Leg lengths (1.5 mm) off the floor that are not corrected."""
_SWAY = 0.2  # seconds over which the root follows what planted feet need
_SMOOTH = 0.05  # seconds: standard deviation of the Gaussian that smooths the root's path
_ROUNDING = 1e-6  # metres
_SOFT = 0.0035  # leg lengths (3 mm) above the floor within which a foot that would go below it is slowed down
_NEAR_FLOOR = 0.1  # leg lengths off the floor within which a foot may rest on it
_SLOW = 0.25  # leg lengths a second below which a part may be resting
_SHORTEST = 0.05  # seconds that it rests at least
_DRIFT = 1.0  # seconds over which the height on which feet rest may change
_LOWEST = 0.05  # weight of a rest above the curve: feet also rest on their toes
_ROUNDS = 8
_MOVED = 1e-9  # metres


@dataclass(frozen=True, eq=False)
class Grounding:
    """Planted parts of the feet relative to a level floor at height 0.

    Parameters
    ----------
    flags
        (F, 4) which parts are planted, in the order of `segue.motion.feet.FOOT_PARTS`.
    targets
        (4,) metres above the floor at which each part rests.
    before, after
        (F, 4) metres of each part above its resting height, before and after.
    raised
        (F,) metres by which the root was raised; negative is down.
    """

    flags: Bools
    targets: Floats
    before: Floats
    after: Floats
    raised: Floats

    @property
    def off(self) -> tuple[float, float]:
        """Metres by which the worst planted part was off the floor, before and after; 0 where none is planted."""
        return tuple(float(np.abs(each[self.flags]).max(initial=0.0)) for each in (self.before, self.after))  # type: ignore[return-value]


def plants_near(clip: Clip) -> Bools:
    """Return flags (F, 4) of heels and toes that rest on a level floor at height 0, apart from a drift of the heights.

    In a clip in place none does: a part that stops there for a moment is in the air.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> deep = walk.with_motion(root_positions=walk.root_positions - [0, 0.05, 0])
    >>> bool((plants_near(deep) == plants_near(walk)).all())
    True
    """
    if is_in_place(clip):
        return np.zeros((clip.n_frames, len(FOOT_PARTS)), dtype=bool)
    still = slip_free(clip)
    root = np.array(still.root_positions)
    root[:, 1] -= _resting_height(still)
    return contacts(still.with_motion(root_positions=root), floor=0.0).flags


def rest_targets(clip: Clip, flags: Bools) -> Floats:
    """Return metres (4,) above the floor at which heels and toes rest; see the module."""
    heights = foot_positions(clip.skeleton, world(clip))[..., 1]
    out = np.array(foot_points(clip.skeleton).rest_heights)
    for heel in (0, 2):
        flat = flags[:, heel] & flags[:, heel + 1]
        if flat.any():
            higher = float(np.median((heights[:, heel + 1] - heights[:, heel])[flat]))
            middle = float(out[heel : heel + 2].mean())
            out[heel], out[heel + 1] = middle - higher / 2, middle + higher / 2
    return out


def grounded(
    clip: Clip,
    flags: Bools,
    *,
    ease: int,
    own_height: bool = False,
    strength: Floats | None = None,
    carry: bool = True,
) -> tuple[Clip, Grounding]:
    """Put the planted feet of a motion on a level floor at height 0.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles.
    flags
        (F, 4) which heels and toes are planted.
    ease
        Frames over which a foot's move fades before and after its plant.
    own_height
        Whether the floor was found in the motion: it is then at the median height at which feet rest.
    strength
        (F,) share of the move that is made in each frame; 1 everywhere by default.
    carry
        Whether the root may take the part that the feet have in common; otherwise only the legs move.

    Returns
    -------
    The motion, the same object where nothing had to be done, and its grounding.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> deep = walk.with_motion(root_positions=walk.root_positions - [0, 0.05, 0])
    >>> made, done = grounded(deep, plants_near(deep), ease=9)
    >>> [round(100 * off, 1) for off in done.off]
    [5.0, 0.2]
    """
    leg, targets = leg_length(clip.skeleton), rest_targets(clip, flags)
    heights = foot_positions(clip.skeleton, world(clip))[..., 1]
    if own_height and flags.any():
        targets = targets + float(np.median((heights - targets)[flags]))
    off = heights - targets
    wanted = np.where(flags, -_beyond(off, NEAR * leg), 0.0)
    raised = _common(wanted, flags, clip.fps) if carry else np.zeros(clip.n_frames)
    moves = _moves(wanted - raised[:, None], flags, ease) + raised[:, None]
    moves = moves + _clear(off + moves, leg) * ~flags
    moves = moves * (1.0 if strength is None else strength[:, None])
    raised = raised * (1.0 if strength is None else strength)
    if not (np.abs(moves) > _MOVED).any() and not raised.any():
        return clip, Grounding(
            frozen(flags, np.bool_), frozen(targets), frozen(off), frozen(off), frozen(raised)
        )
    made, lowered = _carried_out(clip, moves, raised, ease)
    after = foot_positions(clip.skeleton, world(made))[..., 1] - targets
    return made, Grounding(
        frozen(flags, np.bool_), frozen(targets), frozen(off), frozen(after), frozen(raised - lowered)
    )


def _resting_height(clip: Clip) -> Floats:
    """Slowly changing height (F,) in metres off the floor at which the lower feet rest; see `plants_near`."""
    leg = leg_length(clip.skeleton)
    places = foot_positions(clip.skeleton, world(clip))
    off = places[..., 1] - foot_points(clip.skeleton).rest_heights
    resting = (part_speeds(places, clip.fps) <= _SLOW * leg) & (np.abs(off) < _NEAR_FLOOR * leg)
    rows, values = [], []
    for part, start, stop in column_runs(resting):
        if stop - start >= _SHORTEST * clip.fps:
            rows.append(np.arange(start, stop))
            values.append(off[start:stop, part])
    if not rows:
        return np.zeros(clip.n_frames)
    return lower_course(
        np.concatenate(rows), np.concatenate(values), clip.n_frames, stiffness=(_DRIFT * clip.fps) ** 2
    )


def lower_course(rows: Ints, values: Floats, n_frames: int, *, stiffness: float) -> Floats:
    """Fit a smooth curve (F,) along the lower values: asymmetric least squares, those above weigh a twentieth.

    Source: Eilers and Boelens 2005, baseline correction with asymmetric least squares smoothing.
    """
    course = np.full(n_frames, float(np.median(values)))
    for _ in range(_ROUNDS):
        each = np.where(values > course[rows], _LOWEST, 1.0)
        weights: Floats = np.bincount(rows, each, minlength=n_frames).astype(np.float64)
        mean = np.bincount(rows, each * values, minlength=n_frames) / np.maximum(weights, 1e-12)
        course = whittaker(mean[:, None], weights, stiffness=stiffness)[:, 0]
    return course


def _beyond(off: Floats, near: float) -> Floats:
    """Excess of distances beyond a small one; continuous."""
    out: Floats = np.sign(off) * np.maximum(np.abs(off) - near, 0.0)
    return out


def _common(wanted: Floats, flags: Bools, fps: float) -> Floats:
    """Smooth move (F,) that planted parts need in common, interpolated between plants."""
    from scipy.ndimage import gaussian_filter1d

    weights = flags.sum(axis=1).astype(np.float64)
    if not weights.any() or not wanted.any():
        return np.zeros(len(wanted))
    mean = wanted.sum(axis=1) / np.maximum(weights, 1.0)
    course = whittaker(mean[:, None], np.minimum(weights, 1.0), stiffness=(_SWAY * fps) ** 2)[:, 0]
    out: Floats = gaussian_filter1d(course, _SMOOTH * fps, mode="nearest")
    return np.where(np.abs(out) < _ROUNDING, 0.0, out)


def _moves(wanted: Floats, flags: Bools, ease: int) -> Floats:
    """Moves (F, 4) of heels and toes: as wanted where planted, fading around it; unplanted parts follow the other."""
    out = np.zeros_like(wanted)
    for heel in (0, 2):
        both = flags[:, heel] & flags[:, heel + 1]
        apart = filled(wanted[:, heel + 1] - wanted[:, heel], runs(both), ease=ease)
        # The foot's middle, from whichever part is planted.
        middle = np.where(flags[:, heel], wanted[:, heel] + apart / 2, wanted[:, heel + 1] - apart / 2)
        middle = filled(middle, runs(flags[:, heel] | flags[:, heel + 1]), ease=ease)
        out[:, heel], out[:, heel + 1] = middle - apart / 2, middle + apart / 2
    return out


def _clear(off: Floats, leg: float) -> Floats:
    """Rise (F, 4) of parts that are not planted so as to stay above the floor, with a soft landing."""
    soft = _SOFT * leg
    near = np.square(np.maximum(soft - off, 0.0)) / (4 * soft)
    return np.where(off < -soft, -off, near)


def _carried_out(clip: Clip, moves: Floats, raised: Floats, ease: int) -> tuple[Clip, Floats]:
    """Make root, legs and tilt of the feet follow moves (F, 4); return the motion and the lowering (F,) of the root."""
    body = legs_alone(clip.skeleton)
    rotations, roots = np.array(clip.rotations), np.array(clip.root_positions)
    roots[:, 1] += raised
    at = forward(body.skeleton, rotations.take(body.joints, 1), roots)
    places = attached_points(at, body.points.joints, body.points.offsets)
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in body.legs])
    own = moves - raised[:, None]
    moved = np.abs(own).reshape(-1, 2, 2).max(axis=2).T > _MOVED
    ankles, feet = _ankles(at, places, own, joints[:, 2])
    lowered = smooth_above(too_far(at, body.legs, ankles, moved), ease)
    rows = np.flatnonzero(moved.any(axis=0) | (lowered > 0.0))
    roots[:, 1] -= lowered
    if rows.size:
        hips = at.positions[rows, joints[:, :1]]
        hips[..., 1] -= lowered[rows]
        local = reach_ankles(
            body.skeleton, at, body.legs, hips=hips, ankles=ankles[:, rows], feet=feet[:, rows], rows=rows
        )
        whole = body.joints[joints]
        for k in range(len(whole)):
            for j in range(3):
                new, old = local[k, :, j], rotations[rows, whole[k, j]]
                away = np.einsum("nc,nc->n", old, new) < 0.0
                rotations[rows, whole[k, j]] = np.where(away[:, None], -new, new)
    return clip.with_motion(sealed(rotations), sealed(roots)), lowered


def _ankles(at: World, places: Positions, own: Floats, joints: Ints) -> tuple[Positions, Floats]:
    """Ankles (2, F, 3) and world rotations of the feet (2, F, 4) with heels and toes raised by ``own`` (F, 4)."""
    ankles, feet = at.positions[:, joints].swapaxes(0, 1), at.rotations[:, joints].swapaxes(0, 1)
    for k in range(2):
        heel, toe = places[:, 2 * k], places[:, 2 * k + 1]
        along, apart = toe - heel, own[:, 2 * k + 1] - own[:, 2 * k]
        size = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
        rise = along[:, 1] / size
        angle = np.arcsin(np.clip(rise + apart / size, -1, 1)) - np.arcsin(np.clip(rise, -1, 1))
        across = np.cross(along, [0.0, 1.0, 0.0])
        across /= np.maximum(np.linalg.norm(across, axis=1), 1e-9)[:, None]
        turn = from_axis_angle(across, np.where(apart == 0.0, 0.0, angle))
        lift = np.zeros_like(heel)
        lift[:, 1] = own[:, 2 * k]
        tilted = apart != 0.0
        ankles[k] = np.where(tilted[:, None], heel + rotate(turn, ankles[k] - heel), ankles[k]) + lift
        feet[k] = np.where(tilted[:, None], multiply(turn, feet[k]), feet[k])
    return ankles, feet


def filled(values: Floats, spans: Sequence[tuple[int, int]], *, ease: int) -> Floats:
    """Return a curve (F,) with the given values (F,) in spans of frames that fades to 0 around them, or between spans.

    Fades are cubics that continue the values at their ends; they take ``ease`` frames, or the time between two spans
    that are nearer than two fades.

    Examples
    --------
    >>> import numpy as np
    >>> filled(np.ones(9), [(3, 5)], ease=2).round(2).tolist()
    [0.0, 0.26, 0.74, 1.0, 1.0, 0.74, 0.26, 0.0, 0.0]
    """
    n = len(values)
    out: Floats = np.zeros(n)
    for start, stop in spans:
        out[start:stop] = values[start:stop]
    fades = []
    if spans:
        fades += [(spans[0][0] - ease - 1, spans[0][0], 0.0, 0.0, *_end(values, spans[0], first=True))]
        fades += [(spans[-1][1] - 1, spans[-1][1] + ease, *_end(values, spans[-1], first=False), 0.0, 0.0)]
    for one, two in itertools.pairwise(spans):
        left, right = _end(values, one, first=False), _end(values, two, first=True)
        if two[0] - one[1] < 2 * ease:
            fades.append((one[1] - 1, two[0], *left, *right))
        else:
            fades.append((one[1] - 1, one[1] + ease, *left, 0.0, 0.0))
            fades.append((two[0] - ease - 1, two[0], 0.0, 0.0, *right))
    for first, last, a, leave, b, meet in fades:
        rows = np.arange(max(first + 1, 0), min(last, n))
        length = last - first
        t, p, q = (rows - first) / length, length * leave, length * meet
        out[rows] = a + t * (p + t * (3 * (b - a) - 2 * p - q + t * (p + q - 2 * (b - a))))
    return out


def _end(values: Floats, span: tuple[int, int], *, first: bool) -> tuple[float, float]:
    """Value at an end of a span, and its change per frame there."""
    start, stop = span
    at, beside = (start, min(start + 1, stop - 1)) if first else (stop - 1, max(stop - 2, start))
    change = values[beside] - values[at]
    return float(values[at]), float(change if first else -change)
