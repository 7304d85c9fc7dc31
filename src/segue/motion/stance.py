"""A standing reference pose for bodies whose rest pose does not stand.

What a rest pose is for, it does only where it stands: where heel and sole are, which way a body faces, which pose of
one body is which of another, what a mirror turns into what. Files hold others as well: all bones along one axis, a
body that bows or lies, a frame of the motion. For these a stance is put together from the motion, and the skeleton
keeps it beside its rest pose (`segue.motion.skeleton.Skeleton.stance`), which stays as it was read. Whatever means a
standing body asks for `standing`; for a rest pose that stands this is the skeleton itself.

Each part of the stance is the mean over the frames in which that part stands best: the trunk where it is vertical,
a leg where it is straight under the hip, a foot where it lies still on the ground, an arm where it hangs. What is
then left to the vertical is turned off.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.maths.quaternions import between, conjugate, from_matrix, from_yaw, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.roles import NEEDED, ROLES, SIDES, Roles, roles
from segue.motion.skeleton import EndSite, Skeleton

UPRIGHT = np.radians(20.0)
"""A rest pose whose trunk is tilted by more than this, or a thigh or shin forwards or backwards, does not stand."""
_ASTRIDE = np.radians(40.0)  # and a thigh or shin to the side
_LEVEL = 0.5  # share of the line of the hips that must lie level for a frame to tell where the body faces
_BEST = (0.2, 0.1, 0.1, 0.2)  # share of the frames that make trunk, legs, feet and arms
_LOW = 0.3  # share of the frames in which a foot is low, of which the slowest make its stance
_DOWN = np.array([0.0, -1.0, 0.0])
_UP = np.array([0.0, 1.0, 0.0])
_LEFT = np.array([1.0, 0.0, 0.0])
_TINY = 1e-9


@lru_cache(maxsize=256)
def stands(skeleton: Skeleton) -> bool:
    """Tell whether a rest pose stands, or the body has no legs by which one could tell.

    Examples
    --------
    >>> import segue
    >>> stands(segue.sample("walk").skeleton)
    True
    """
    found = roles(skeleton)
    rest = skeleton.rest_positions()
    size = float(np.abs(skeleton.offsets[1:]).max(initial=0.0))
    if any(role not in found for role in NEEDED) or size < _TINY:
        return True
    across = rest[found["left_hip"]] - rest[found["right_hip"]]
    width = float(np.linalg.norm(across))
    if width > _TINY and np.hypot(across[0], across[2]) < _LEVEL * width:
        return False
    heading = float(np.arctan2(-across[2], across[0])) if width > _TINY else 0.0
    turned = rotate(from_yaw(-heading), rest)
    for side in SIDES:
        for start, end in (("hip", "knee"), ("knee", "ankle")):
            bone = turned[found[f"{side}_{end}"]] - turned[found[f"{side}_{start}"]]
            if np.linalg.norm(bone) < 1e-3 * size:
                continue
            down = max(-float(bone[1]), 0.0)
            if abs(bone[2]) > np.tan(UPRIGHT) * down or abs(bone[0]) > np.tan(_ASTRIDE) * down:
                return False
    trunk = _trunk(turned[None], found)
    return trunk is None or bool(_tilt(trunk, _UP)[0] <= UPRIGHT)


def with_stance(clip: Clip) -> Clip:
    """Clip whose skeleton keeps a stance found in the motion, if its rest pose does not stand.

    Frames and skeleton are otherwise the same; a skeleton that has a stance keeps it.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> with_stance(walk) is walk
    True
    """
    if clip.skeleton.stance is not None or stands(clip.skeleton):
        return clip
    found = found_stance(clip)
    return clip if found is None else clip.with_skeleton(clip.skeleton.with_stance(found))


@lru_cache(maxsize=256)
def standing(skeleton: Skeleton) -> Skeleton:
    """Skeleton of the same joints and roles whose rest pose is the stance; itself where there is none.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> standing(body) is body
    True
    """
    stance = skeleton.stance
    if stance is None:
        return skeleton
    offsets = np.array(skeleton.offsets)
    offsets[1:] = rotate(stance[skeleton.parents[1:]], offsets[1:])
    sites = [
        EndSite(site.joint, frozen(rotate(stance[site.joint], site.offset))) for site in skeleton.end_sites
    ]
    found = roles(skeleton)  # a shape is read in the rest pose that the names belong to
    told = [(role, skeleton.names[found[role]] if role in found else "") for role in ROLES]
    return Skeleton(skeleton.names, skeleton.parents, offsets, sites, roles_given=told)


def stood(clip: Clip) -> Clip:
    """The same motion on `standing`: every joint is where it was, turns are counted from the stance.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> stood(walk) is walk
    True
    """
    stance = clip.skeleton.stance
    if stance is None:
        return clip
    return _reframed(clip, standing(clip.skeleton), conjugate(stance))


def unstood(clip: Clip, skeleton: Skeleton) -> Clip:
    """Inverse of `stood`: a motion of `standing` of a skeleton on the skeleton itself.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> unstood(stood(walk), walk.skeleton) is walk
    True
    """
    if skeleton.stance is None:
        return clip if clip.skeleton is skeleton else clip.with_skeleton(skeleton)
    return _reframed(clip, skeleton, skeleton.stance)


def _reframed(clip: Clip, skeleton: Skeleton, turns: Quaternions) -> Clip:
    """Clip whose joints' frames are turned by (J, 4) in themselves, on the skeleton that this makes."""
    local = multiply(clip.rotations, turns)
    local[:, 1:] = multiply(conjugate(turns[skeleton.parents[1:]]), local[:, 1:])
    return clip.with_skeleton(skeleton).with_motion(local)


def found_stance(clip: Clip) -> Quaternions | None:
    """World turns (J, 4) from the rest pose into a stance that faces +Z; None where legs or hips do not tell it.

    Examples
    --------
    >>> import segue
    >>> found = found_stance(segue.sample("walk"))
    >>> bool(abs(found[0, 0]) > 0.99)
    True
    """
    found = roles(clip.skeleton)
    if any(role not in found for role in NEEDED):
        return None
    at = world(clip)
    across = at.positions[:, found["left_hip"]] - at.positions[:, found["right_hip"]]
    width = np.linalg.norm(across, axis=1)
    rows = np.flatnonzero(np.hypot(across[:, 0], across[:, 2]) > _LEVEL * width)
    if not rows.size:
        return None
    speeds = np.linalg.norm(np.gradient(at.positions, axis=0), axis=2) if clip.n_frames > 1 else None
    back = from_yaw(np.arctan2(across[rows, 2], across[rows, 0]))[:, None]
    turns = multiply(back, at.rotations[rows])
    places = rotate(back, at.positions[rows])
    slow = np.zeros(places.shape[:2]) if speeds is None else speeds[rows]
    return _Stance(clip.skeleton, found, turns, places).of(slow)


class _Stance:
    """Puts a stance together from turns (F, J, 4) and places (F, J, 3) of a body that faces +Z in every frame."""

    def __init__(self, skeleton: Skeleton, found: Roles, turns: Quaternions, places: Positions) -> None:
        self.skeleton, self.found = skeleton, found
        self.turns, self.places = turns, places
        self.out = np.empty((skeleton.n_joints, 4))

    def of(self, speeds: Floats) -> Quaternions:
        """Return the stance; ``speeds`` (F, J) of joints say when a foot is still."""
        trunk = _trunk(self.places, self.found)
        self.mean(
            np.arange(self.skeleton.n_joints), _tilt(trunk, _UP) if trunk is not None else None, _BEST[0]
        )
        arms = [self.below(_top(self.found, side)) for side in SIDES]
        legs = [self.below(self.found[f"{side}_hip"]) for side in SIDES]
        for side, arm, leg in zip(SIDES, arms, legs, strict=True):
            self.mean(arm, self.hanging(side), _BEST[3])
            self.mean(leg, self.straight(side), _BEST[1])
            self.mean(self.below(self.found[f"{side}_ankle"]), self.planted(side, speeds), _BEST[2])
        limbs = np.unique(np.concatenate([*arms, *legs]))
        self.upright(np.setdiff1d(np.arange(self.skeleton.n_joints), limbs))
        for side in SIDES:
            hip, knee, ankle = (self.found[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
            self.aim(hip, knee)
            self.aim(knee, ankle)
        return frozen(self.out)

    def below(self, top: int | None) -> Ints:
        """A joint and all that hangs on it; nothing for None."""
        inside: list[int] = [] if top is None else [top]
        for joint in range(0 if top is None else top + 1, self.skeleton.n_joints):
            if int(self.skeleton.parents[joint]) in inside:
                inside.append(joint)
        return np.array(inside, dtype=np.int64)

    def mean(self, joints: Ints, badness: Floats | None, share: float) -> None:
        """Set joints to their mean turn over the share of the frames that is least bad."""
        if not joints.size:
            return
        count = len(self.turns)
        rows = np.arange(count)
        if badness is not None:
            rows = np.argsort(badness, kind="stable")[: max(round(share * count), 1)]
        self.out[joints] = mean_turn(self.turns[np.ix_(rows, joints)])

    def straight(self, side: str) -> Floats:
        """How far (F,) a leg is from hanging straight down."""
        hip, knee, ankle = (self.places[:, self.found[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        return _tilt(knee - hip, _DOWN) + _tilt(ankle - knee, _DOWN)

    def hanging(self, side: str) -> Floats | None:
        """How far (F,) an arm is from hanging."""
        joints = [self.found.get(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
        known = [self.places[:, joint] for joint in joints if joint is not None]
        return _tilt(known[-1] - known[0], _DOWN) if len(known) > 1 else None

    def planted(self, side: str, speeds: Floats) -> Floats:
        """How fast (F,) a foot moves where it is low; without end where it is not."""
        ankle = self.found[f"{side}_ankle"]
        toe = self.found.get(f"{side}_toe", ankle)
        height = self.places[:, [ankle, toe]].mean(axis=1)[:, 1]
        low = np.quantile(height, _LOW)
        out: Floats = np.where(height <= low, speeds[:, [ankle, toe]].sum(axis=1), np.inf)
        return out

    def upright(self, trunk: Ints) -> None:
        """Turn the trunk so that the hips lie across, the neck above them and the shoulders across."""
        places = self.stance_places()
        across = places[self.found["left_hip"]] - places[self.found["right_hip"]]
        chord = _trunk(places[None], self.found)
        up = _UP if chord is None else chord[0]
        ahead = np.cross(across, up)
        if min(np.linalg.norm(across), np.linalg.norm(ahead)) > _TINY:
            side, front = across / np.linalg.norm(across), ahead / np.linalg.norm(ahead)
            turn = from_matrix(np.stack([side, np.cross(front, side), front]))
            self.out[trunk] = multiply(turn, self.out[trunk])
        tops = [_top(self.found, each) for each in SIDES]
        if tops[0] is None or tops[1] is None:
            return
        carrier = _meeting(self.skeleton, tops[0], tops[1])
        line = self.stance_places()[tops[0]] - self.stance_places()[tops[1]]
        if line[0] > 0.5 * np.linalg.norm(line) > _TINY and carrier != self.found["pelvis"]:
            above = np.intersect1d(self.below(carrier), trunk)
            self.out[above] = multiply(between(line, _LEFT), self.out[above])

    def stance_places(self) -> Positions:
        """Places (J, 3) in the stance, the root at the origin."""
        offsets = rotate(self.out[self.skeleton.parents], self.skeleton.offsets)
        places = np.zeros_like(offsets)
        for joint in range(1, self.skeleton.n_joints):
            places[joint] = places[self.skeleton.parents[joint]] + offsets[joint]
        return places

    def aim(self, start: int, end: int) -> None:
        """Turn the bone between two joints straight down."""
        places = self.stance_places()
        bone = places[end] - places[start]
        if np.linalg.norm(bone) > _TINY:
            moved = np.setdiff1d(self.below(start), self.below(end))
            self.out[moved] = multiply(between(bone, _DOWN), self.out[moved])


def mean_turn(turns: Quaternions) -> Quaternions:
    """Mean rotations (J, 4) of rotations (N, J, 4), whatever their signs: the eigenvector of their largest agreement.

    Examples
    --------
    >>> import numpy as np
    >>> mean_turn(np.array([[[1.0, 0, 0, 0]], [[-1.0, 0, 0, 0]]])).tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    agreement = np.einsum("nja,njb->jab", turns, turns)
    out: Quaternions = np.linalg.eigh(agreement)[1][..., -1]
    return out * np.where(out[:, :1] < 0, -1.0, 1.0) + 0.0


def _trunk(places: Positions, found: Roles) -> Positions | None:
    """Vectors (F, 3) from the middle of the hips up to the neck, or what is nearest to it; None without any."""
    middle = 0.5 * (places[:, found["left_hip"]] + places[:, found["right_hip"]])
    for names in (("neck",), ("head",), ("left_shoulder", "right_shoulder"), ("chest",), ("spine",)):
        if all(name in found for name in names):
            out: Positions = places[:, [found[name] for name in names]].mean(axis=1) - middle
            return out
    return None


def _top(found: Roles, side: str) -> int | None:
    """Topmost joint of an arm."""
    return found.get(f"{side}_clavicle", found.get(f"{side}_shoulder"))


def _meeting(skeleton: Skeleton, a: int, b: int) -> int:
    """Nearest joint that carries both."""
    while a != b:
        a, b = (int(skeleton.parents[a]), b) if a > b else (a, int(skeleton.parents[b]))
    return a


def _tilt(vectors: Positions, axis: Positions) -> Floats:
    """Radians (F,) between vectors (F, 3) and an axis; a right angle for one without length."""
    length = np.linalg.norm(vectors, axis=1)
    out: Floats = np.arccos(np.clip(vectors @ axis / np.maximum(length, _TINY), -1.0, 1.0))
    return out
