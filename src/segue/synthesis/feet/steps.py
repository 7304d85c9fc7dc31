"""Steps that feet should make, as their sources do, within a bound, and how firmly they are on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.errors import SettingError
from segue.maths.planar import turned
from segue.maths.quaternions import yaw
from segue.measures.seams import source_rows, sources_by_name
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions, leg_length
from segue.motion.flags import column_runs
from segue.motion.kinematics import world
from segue.settings import DEFAULTS, SeamFeet

BAND = 2.0
"""Hertz: a planted foot keeps its tremor, its own motion above this frequency."""
_SLOW, _FAST = 0.35, 0.7  # leg lengths a second: firm up to the first, in the air from the second
_LOW, _HIGH = 0.025, 0.07  # leg lengths above the floor, likewise
PLANTED = 0.5
"""Firmness above which a part is planted."""


@dataclass(frozen=True)
class PlantMotion:
    """How much of its own motion a planted foot keeps while it is corrected.

    Parameters
    ----------
    creep
        Metres that it may go from its mean place along the ground; infinite: as far as its source does.
    band
        Hertz above which its motion is tremor, which takes precedence over slower motion; infinite: no tremor.
    """

    creep: float = DEFAULTS.creep
    band: float = BAND

    def __post_init__(self) -> None:
        """Check both."""
        if not self.creep >= 0.0:
            msg = f"a planted foot cannot creep {self.creep:g} m; give 0 or more"
            raise SettingError(msg)
        if not self.band > 0.0:
            msg = f"a planted foot cannot keep its motion above {self.band:g} Hz; give more than 0"
            raise SettingError(msg)

    @property
    def all(self) -> bool:
        """Whether a foot keeps all of its motion."""
        return bool(np.isinf(self.creep))


NATURAL = PlantMotion()
"""Planted feet stay within a centimetre of their mean place, and keep their tremor."""
LOCKED = PlantMotion(0.0, np.inf)
"""Planted feet do not move at all."""


def kept_motion(feet: SeamFeet, creep: float = DEFAULTS.creep) -> PlantMotion:
    """Return how much of their motion planted feet keep: natural ones ``creep`` metres, captured and free ones all.

    Examples
    --------
    >>> kept_motion("natural", 0.02).creep, kept_motion("locked", 0.02).creep
    (0.02, 0.0)
    """
    if feet == "locked":
        return LOCKED
    return PlantMotion(creep=creep if feet == "natural" else np.inf)


@lru_cache(maxsize=128)
def ground_places(clip: Clip) -> tuple[Floats, Floats]:
    """Return places (F, 4, 2) of heels and toes on x and z, and how firmly (F, 4) they are on the ground.

    Firmness is 1 where the part is in contact (`segue.motion.contacts`); around that it falls to 0 as the part speeds
    up and rises, so that a foot is neither put down nor let go from one frame to the next.
    """
    at = foot_positions(clip.skeleton, world(clip))
    ground = at[:, :, [0, 2]]
    steps = np.diff(ground, axis=0, prepend=ground[:1])
    found, size = contacts(clip), leg_length(clip.skeleton)
    speed = np.linalg.norm(steps, axis=-1) * clip.fps / size
    soft = _falling(speed, _SLOW, _FAST) * _falling((at[:, :, 1] - found.floor) / size, _LOW, _HIGH)
    return frozen(ground), frozen(np.maximum(found.flags, soft))


@lru_cache(maxsize=128)
def ground_steps(clip: Clip) -> tuple[Floats, Floats]:
    """Return steps (F, 4, 2) of heels and toes from the previous frame, and their firmness (F, 4) on the ground."""
    ground, firm = ground_places(clip)
    return frozen(np.diff(ground, axis=0, prepend=ground[:1])), firm


def _falling(x: Floats, low: float, high: float) -> Floats:
    """Fall smoothly from 1 at ``low`` to 0 at ``high``."""
    out: Floats = (1.0 - np.clip((x - low) / (high - low), 0.0, 1.0)) ** 3
    return out


def source_steps(clip: Clip, sources: Sequence[Clip]) -> tuple[Floats, Floats]:
    """Return steps (F, 4, 2) that feet of a made motion should make, and how firmly (F, 4) they are on the ground.

    Both are means over the two sources of a frame with the weights of the blend, so that the motion of one plant fades
    into that of the other.

    Raises
    ------
    SettingError
        If a source named by the origin is missing.
    """
    by_name = sources_by_name(clip, sources)
    origin, n = clip.origin, clip.n_frames
    steps, firm = np.zeros((2, n, 4, 2)), np.zeros((2, n, 4))
    lies, usual = np.zeros((2, n)), np.zeros((2, n))
    heading = yaw(clip.rotations[:, 0])
    for number, name in enumerate(origin.clips):
        if name not in by_name:
            continue
        source = by_name[name]
        own, held = ground_steps(source)
        for side in (0, 1):
            mine = np.flatnonzero(origin.clip[:, side] == number)
            if not mine.size:
                continue
            rows = source_rows(source, name, origin.frame[mine, side])
            steps[side, mine], firm[side, mine] = own[rows], held[rows]
            lies[side, mine] = heading[mine] - _headings(source)[rows]
            usual[side, mine] = _usual_pace(source)
    steps *= _pace(clip, usual)[..., None, None]
    # Within a blend the heading is that of neither clip: the unblended frames around it give the clips' placement.
    alone = np.flatnonzero(origin.weight.max(axis=1) >= 1.0 - 1e-9)
    if alone.size:
        after = np.minimum(np.searchsorted(alone, np.arange(n)), len(alone) - 1)
        before = np.maximum(after - (alone[after] > np.arange(n)), 0)
        lies = lies[0, np.stack([alone[before], alone[after]])]
    return mixed(turned(lies[..., None], steps), firm, origin.weight.T)


@lru_cache(maxsize=128)
def _headings(clip: Clip) -> Floats:
    return frozen(yaw(clip.rotations[:, 0]))


def _pace(clip: Clip, usual: Floats) -> Floats:
    """Advance (2, F) of sources in frames of a made motion, relative to the usual (2, F): less than 1 where slower."""
    pair, frame = clip.origin.clip.T, clip.origin.frame.T
    out = np.ones(usual.shape)
    goes = np.divide(
        frame[:, 1:] - frame[:, :-1], usual[:, 1:], out=out[:, 1:].copy(), where=usual[:, 1:] > 0.0
    )
    on = (pair[:, 1:] == pair[:, :-1]) & (goes >= 0.0) & (goes <= 1.0)
    out[:, 1:][on] = goes[on]
    return out


@lru_cache(maxsize=128)
def _usual_pace(source: Clip) -> float:
    """Median advance of a source's origin frames from row to row; 0 where it does not advance."""
    usual = np.abs(np.diff(source.origin.frame[:, 0]))
    usual = usual[usual > 0]
    return float(np.median(usual)) if usual.size else 0.0


def mixed(steps: Floats, firm: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return mean steps (..., 2) and firmness of two sources, (2, ..., 4, 2) and (2, ..., 4), with weights (2, ...).

    A part that is in the air in one source steps as in the other, with that one's share of firmness.
    """
    share = weight[..., None] * firm
    total = share.sum(axis=0)
    return (share[..., None] * steps).sum(axis=0) / np.maximum(total, 1e-9)[..., None], total


def bounded(steps: Floats, firm: Floats | Bools, keep: PlantMotion, *, fps: float) -> Floats:
    """Limit steps (F, 4, 2) of planted feet to the motion that they may keep.

    A plant that goes no farther from its mean place than allowed is unchanged. Other paths are split: motion above the
    band keeps up to half of the bound, and slower motion is scaled to the rest, so that both together stay within the
    bound.
    """
    if keep.all:
        return steps
    from segue.synthesis.feet import _kernels

    plants = column_runs(np.asarray(firm > PLANTED))
    far = np.empty(len(plants))
    _kernels.creeps(
        np.ascontiguousarray(np.cumsum(steps, axis=0)), np.array(plants, dtype=np.int64).reshape(-1, 3), far
    )
    out = np.array(steps)
    for k in np.flatnonzero(far > keep.creep).tolist():
        part, start, stop = plants[k]
        path = np.cumsum(steps[start:stop, part], axis=0)
        slow = _slow(path, keep.band, fps) if np.isfinite(keep.band) else path
        tremor = _within(path - slow, 0.5 * keep.creep)
        kept = _within(slow, keep.creep - farthest(tremor)) + tremor
        out[start:stop, part] = np.diff(kept, axis=0, prepend=kept[:1])
    return out


def _slow(path: Floats, band: float, fps: float) -> Floats:
    """Part of a path (N, 2) below a frequency in hertz; at the band the Gaussian passes half of the power."""
    from scipy.ndimage import gaussian_filter1d

    spread = np.sqrt(np.log(2.0)) / (2 * np.pi * band) * fps
    ends = int(np.ceil(3.0 * spread))
    # Reflected through both end points, so that a uniform slide counts as slow up to its ends.
    wide = _mirrored(path, ends)
    out: Floats = gaussian_filter1d(wide, spread, axis=0)[ends : ends + len(path)]
    return out


def _mirrored(path: Floats, ends: int) -> Floats:
    """A path (N, 2) extended by ``ends`` rows at either end, reflected through its end points."""
    if len(path) <= ends:
        return np.pad(path, ((ends, ends), (0, 0)), mode="reflect", reflect_type="odd")
    return np.concatenate([2.0 * path[0] - path[ends:0:-1], path, 2.0 * path[-1] - path[-2 : -ends - 2 : -1]])


def farthest(path: Floats) -> float:
    """Return the largest distance in metres of a path (N, 2) from its mean place."""
    return float(_lengths(path - path.mean(axis=0)).max(initial=0.0))


def _within(path: Floats, most: float) -> Floats:
    """Path (N, 2) scaled to stay within ``most`` metres of its mean place."""
    far = farthest(path)
    return path if far <= most else path * (most / far)


def _lengths(v: Floats) -> Floats:
    """Lengths (...) of ground vectors (..., 2)."""
    x, z = v[..., 0], v[..., 1]
    out: Floats = np.sqrt(x * x + z * z)
    return out
