"""Faults of ground contact: the height at which feet rest, and whether they stand while the body moves over them."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.contacts import contacts, part_speeds
from segue.motion.fault import Fault
from segue.motion.feet import foot_positions, leg_length
from segue.motion.kinematics import world
from segue.motion.roles import roles
from segue.motion.stance import slip
from segue.motion.support import is_in_place, passing
from segue.motion.tilt import find_tilt
from segue.motion.usable import sound_frames

FLOOR = 0.15
"""Leg lengths by which the soles may rest off the ground; the heel position is known to a few centimetres only."""
SLIDING = 0.3
"""Largest speed of the lowest foot as a share of the body's speed over it: 0.05 to 0.2 in captures of walks, runs and
dances, 0.4 to 0.8 if their roots move half as far or half as far again, 1 in place."""
SLIPPING = 0.17
"""The same along the body's path, which is less noisy: at most 0.07 in captures that travel, a fifth if a root moves
1.2 or 0.8 times as far as its legs walk."""
_STAYS = 0.3  # largest extent of the root along the ground, in leg lengths, of a body that does not travel
_TREMBLING = 0.2  # seconds over which trembling feet move back and forth
_BACK_AND_FORTH = (
    0.4  # share of a foot's speed that remains after averaging over that time if it only trembles
)
_SUSPECT = 0.15  # share of sliding of the lowest foot from which the costlier measure is taken
_NEARLY = 0.9  # least share of frames in which the body is upright
_SLOW = 0.2  # least sliding speed by that measure, in leg lengths a second
_SLOWEST = 0.3  # least sliding speed that is reported, in leg lengths a second
_LOW = 0.055  # leg lengths above its resting height up to which a foot part is low

_UPRIGHT = (
    0.6  # least height of the hips above the floor in leg lengths, and vertical share of the trunk's length
)

_MOSTLY = 0.5  # least share of frames in which the body stands on its feet, for the feet to be judged

_OVER = 0.5
"""Least cosine to the vertical of the line from feet to hips, or of the trunk, of an upright body."""
_HEAD_DOWN = 0.8  # the same downwards, of a body that is head down


def ground_faults(clip: Clip) -> list[Fault]:
    """Find faults of a clip with human legs: a body that is never upright, sliding feet, a floor off the ground."""
    if not is_human(clip.skeleton) or clip.n_frames < 2:
        return []
    return [*_never_upright(clip), *_sliding(clip), *_floor(clip), *_tilt(clip)]


def upright(clip: Clip) -> Bools:
    """Flags (F,) of frames with the hips higher above the floor than on bent legs, and the trunk pointing up."""
    at = world(clip).positions
    found = roles(clip.skeleton)
    hips = (at[:, found["left_hip"]] + at[:, found["right_hip"]]) / 2
    out = hips[:, 1] - contacts(clip).floor.min() > _UPRIGHT * leg_length(clip.skeleton)
    top = next((found[role] for role in ("neck", "head", "chest") if role in found), None)
    if top is not None:
        trunk = at[:, top] - hips
        out &= trunk[:, 1] > _UPRIGHT * np.linalg.norm(trunk, axis=1)
    return np.asarray(out)


def slide(clip: Clip, *, over: float = 0.0) -> tuple[float, float]:
    """Sliding speed of the slowest low foot: in m/s, and as a share of its speed relative to the root; medians.

    NaN for a clip whose body mostly lies, flies or climbs. Foot positions are averaged ``over`` some seconds first.

    Examples
    --------
    >>> import segue
    >>> speed, share = slide(segue.sample("walk"))
    >>> speed < 0.1, share < 0.1
    (True, True)
    """
    at = world(clip)
    leg = leg_length(clip.skeleton)
    places = foot_positions(clip.skeleton, at)
    floor = contacts(clip).floor
    low = places[..., 1] - floor < _LOW * leg
    frames = np.flatnonzero(low.any(axis=1) & upright(clip) & sound_frames(clip))
    if frames.size < _MOSTLY * clip.n_frames:
        return float("nan"), float("nan")
    ground = places[..., [0, 2]]
    if over > 0.0:
        from scipy.ndimage import uniform_filter1d

        ground = uniform_filter1d(ground, 2 * round(over * clip.fps / 2) + 1, axis=0, mode="nearest")
    speeds = np.where(low, part_speeds(ground, clip.fps), np.inf)
    under = part_speeds(ground - at.positions[:, :1, [0, 2]], clip.fps)
    slowest = np.argmin(speeds, axis=1)
    own, moved = (float(np.median(v[frames, slowest[frames]])) for v in (speeds, under))
    return own, own / moved if moved > 0 else 0.0


def _never_upright(clip: Clip) -> list[Fault]:
    """Report a clip in which the hips are never above the feet, nor the head above the hips."""
    at, found, leg = (
        world(clip).positions[sound_frames(clip)],
        roles(clip.skeleton),
        leg_length(clip.skeleton),
    )
    hips = at[:, [found["left_hip"], found["right_hip"]]].mean(axis=1)
    legs = hips - at[:, [found["left_ankle"], found["right_ankle"]]].mean(axis=1)
    over = legs[:, 1] / np.maximum(np.linalg.norm(legs, axis=1), _OVER * leg)
    top = next((found[role] for role in ("head", "neck", "chest") if role in found), None)
    if over.max() > _OVER:
        return []
    if top is not None:
        trunk = at[:, top] - hips
        if (trunk[:, 1] > _OVER * np.linalg.norm(trunk, axis=1)).any():
            return []
    if (over < -_HEAD_DOWN).mean() > _MOSTLY:
        sentence = (
            "the body is head down in every frame: another axis is up (up= or --in-up), or it stands on hands"
        )
        return [Fault("never_upright", 0, clip.n_frames, (), sentence, "warning")]
    sentence = "the body is upright in no frame: it lies or crawls, or another axis is up (up= or --in-up)"
    return [Fault("never_upright", 0, clip.n_frames, (), sentence, "note")]


def _tilt(clip: Clip) -> list[Fault]:
    """Report a floor that slopes, or rises or sinks during the take."""
    found = find_tilt(clip)
    if found is None:
        return []
    if found.drift:
        verb = "rises" if found.drift > 0 else "sinks"
        sentence = f"the floor {verb} by {100 * abs(found.drift):.2g} cm a second; convert --level levels it"
        return [Fault("drift", 0, clip.n_frames, (), sentence, "warning")]
    if found.floor.slope:
        sentence = (
            f"the floor slopes by {np.degrees(found.floor.slope):.1f} degrees, up towards "
            f"{np.degrees(found.floor.towards):.0f} (0 is +Z, 90 +X); convert --level levels it"
        )
        return [Fault("slope", 0, clip.n_frames, (), sentence, "warning")]
    return []


def _sliding(clip: Clip) -> list[Fault]:
    if is_in_place(clip):
        speed = float(np.hypot(*passing(clip).velocity.mean(axis=0)))
        sentence = f"feet slide at {speed:.2g} m/s where they should stand: the motion is in place"
        return [Fault("sliding", 0, clip.n_frames, (), sentence, "warning")]
    leg = leg_length(clip.skeleton)
    speed, share = slide(clip)
    fast = share > SLIDING and speed > _SLOWEST * leg
    if fast and slide(clip, over=_TREMBLING)[0] < _BACK_AND_FORTH * speed:
        sentence = f"feet tremble at {speed:.2g} m/s where they stand: `segue clean --smooth` removes jitter"
        return [Fault("jitter", 0, clip.n_frames, (), sentence, "warning")]
    # A body that does not travel may shift its feet; only a gait in place is missing root motion.
    stays = float(np.hypot(*np.ptp(clip.root_positions[:, [0, 2]], axis=0))) < _STAYS * leg
    if stays or not (fast or (share > _SUSPECT and _slips(clip))):
        return []
    if share > 0.95:
        why = "the motion is in place, or has no root motion"
    else:
        why = "its root motion does not fit its legs (another scale, or another body's)"
    sentence = f"feet slide at {speed:.2g} m/s where they should stand: {why}"
    return [Fault("sliding", 0, clip.n_frames, (), sentence, "warning")]


def _slips(clip: Clip) -> bool:
    """Return whether feet in stance slide along the body's path, in either direction."""
    leg, seen = leg_length(clip.skeleton), slip(clip)
    goes = abs(seen.share) > SLIPPING and seen.pace > leg and seen.speed > _SLOW * leg
    return bool(goes and upright(clip).mean() > _NEARLY)


def _floor(clip: Clip) -> list[Fault]:
    found = contacts(clip)
    standing = found.flags[:, [0, 2]] & upright(clip)[:, None]
    heels = foot_positions(clip.skeleton, world(clip))[:, [0, 2], 1][standing]
    if heels.size < _MOSTLY * clip.n_frames:
        return []
    floor = float(np.median(heels))
    if abs(floor) < FLOOR * leg_length(clip.skeleton):
        return []
    side = "above" if floor > 0 else "below"
    sentence = f"the soles rest {abs(floor) * 100:.0f} cm {side} the ground of the file"
    return [Fault("floor", 0, clip.n_frames, (), sentence, "note")]
