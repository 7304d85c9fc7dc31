"""How the feet meet the ground: where they rest, and whether they stand while the body moves over them."""

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
"""Leg lengths that the soles may rest off the ground; the heel is guessed to a few centimetres."""
SLIDING = 0.3
"""Share of the body's movement over its lowest foot that the foot may make itself: 0.05 to 0.2 in captures of walks,
runs and dances, 0.4 to 0.8 when their roots are carried half as far or half as far again, 1 in place."""
SLIPPING = 0.17
"""The same along the way of the body, which is steadier: 0.07 at most in captures that travel, a fifth where a root
goes 1.2 times as far as its legs walk, or 0.8 times."""
_STAYS = 0.3  # leg lengths that a root moves along the ground at most where the body goes nowhere
_TREMBLING = 0.2  # seconds over which feet that tremble go back and forth
_BACK_AND_FORTH = 0.4  # share of a foot's speed that is left over that time where it only trembles
_SUSPECT = 0.15  # share that the lowest foot makes itself from which the slower measure is taken
_NEARLY = 0.9  # share of the frames in which the body is upright
_SLOW = 0.2  # leg lengths a second that feet slide at least, by that measure
_SLOWEST = 0.3  # leg lengths a second: feet that slide more slowly are not called sliding
_LOW = 0.055  # leg lengths above its resting height up to which a foot part is low

_UPRIGHT = 0.6  # leg lengths of the hips above the floor, and share of the trunk's length that points up

_MOSTLY = 0.5  # share of the frames in which the body stands on its feet, for a verdict on them

_OVER = 0.5
"""Cosine, to the vertical, of the way from feet to hips, or of the trunk, from which a body is the right way up."""
_HEAD_DOWN = 0.8  # the same of a body that is the wrong way up


def ground_faults(clip: Clip) -> list[Fault]:
    """Warnings about a body that never stands, sliding feet and floors off the ground, of a clip with human legs."""
    if not is_human(clip.skeleton) or clip.n_frames < 2:
        return []
    return [*_never_upright(clip), *_sliding(clip), *_floor(clip), *_tilt(clip)]


def upright(clip: Clip) -> Bools:
    """Flags (F,): the hips are above bent legs' height over the floor and the trunk points up."""
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
    """How fast the lowest foot slides: m/s, and as a share of its speed under the body; medians over low feet.

    Not a number of a clip that mostly lies, flies or climbs. Feet are averaged ``over`` some seconds first.

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
    """Doubt about a clip in which neither the hips are ever over the feet nor the head over the hips."""
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
    """Warnings about a floor that slopes, or rises or sinks in the course of the take."""
    found = find_tilt(clip)
    if found is None:
        return []
    if found.drift:
        verb = "rises" if found.drift > 0 else "sinks"
        sentence = (
            f"the floor {verb} by {100 * abs(found.drift):.2g} cm a second; convert --level keeps it level"
        )
        return [Fault("drift", 0, clip.n_frames, (), sentence, "warning")]
    if found.floor.slope:
        sentence = (
            f"the floor slopes by {np.degrees(found.floor.slope):.1f} degrees, up towards "
            f"{np.degrees(found.floor.towards):.0f} (0 is +Z, 90 +X); convert --level lays it level"
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
        sentence = (
            f"feet tremble at {speed:.2g} m/s where they stand: `segue clean --smooth` takes jitter away"
        )
        return [Fault("jitter", 0, clip.n_frames, (), sentence, "warning")]
    # A body that goes nowhere may shift its feet: only a gait in place lacks a way.
    stays = float(np.hypot(*np.ptp(clip.root_positions[:, [0, 2]], axis=0))) < _STAYS * leg
    if stays or not (fast or (share > _SUSPECT and _slips(clip))):
        return []
    if share > 0.95:
        why = "the motion is in place, or lacks its root's way"
    else:
        why = "its root's way does not fit its legs (another scale, or another body's)"
    sentence = f"feet slide at {speed:.2g} m/s where they should stand: {why}"
    return [Fault("sliding", 0, clip.n_frames, (), sentence, "warning")]


def _slips(clip: Clip) -> bool:
    """Tell whether feet in stance go along the body's way, or against it, as a share of its speed."""
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
