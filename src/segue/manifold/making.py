"""Make motion from a curve in a small space: poses, steps along the ground, planted feet.

Each captured step on the ground has a captured velocity in the space: where a curve moves half as far, the body steps
half as far; where it moves back, the body walks backwards.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError, SkeletonError
from segue.manifold.pose_code import Decoded, planted_flags
from segue.manifold.space import Space
from segue.maths.planar import turned
from segue.maths.quaternions import yawed
from segue.motion.clip import Clip, Origin
from segue.motion.roles import require_legs
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED, NATURAL

NAME = "manifold"
"""Name of a motion without frames from a clip."""
MOST_FRAMES = 100_000
_FASTEST = 2.0
"""Largest step of a body, in captured steps."""
_STILL = 0.25
"""Share of the usual pace below which captured motion counts as standing: its steps are not scaled up."""


def motion_of(
    space: Space, curve: Floats, *, fps: float | None = None, feet: SeamFeet = DEFAULTS.feet, name: str = NAME
) -> Clip:
    """Make the motion of a curve in a small space.

    Parameters
    ----------
    space
        The space.
    curve
        (F, D) coordinates, one a frame.
    fps
        Frames a second; by default the rate of the space.
    feet
        ``"natural"``: planted feet keep their tremor and creep at most a centimetre; ``"locked"``: they stand still;
        ``"captured"`` and ``"free"``: as decoded. Feet of a body without known legs are free.
    name
        Name of the clip.

    Returns
    -------
    Clip
        Motion that begins above the origin, facing +Z.

    Raises
    ------
    SettingError
        If the curve does not fit the space, has no frames or more than 100,000, or the word for feet is unknown.

    Examples
    --------
    >>> import segue
    >>> from segue.manifold.space import fit_space, smoothed
    >>> space = fit_space([segue.sample("walk")], by="pca", fps=15.0)
    >>> motion = motion_of(space, smoothed(space.coordinates))
    >>> motion.n_frames, 7.0 < float(motion.root_positions[-1, 2]) < 9.0
    (91, True)
    """
    feet = feet_named(feet)
    curve = np.asarray(curve, dtype=np.float64)
    if curve.ndim != 2 or curve.shape[1] != space.dimensions or not 1 <= len(curve) <= MOST_FRAMES:
        msg = f"a curve in this space is (frames, {space.dimensions}) of 1 to {MOST_FRAMES} frames, not {curve.shape}"
        raise SettingError(msg)
    if not np.isfinite(curve).all():
        msg = "a curve holds finite numbers"
        raise SettingError(msg)
    found = space.decode(curve)
    roots, facing = ground_motion(space, curve, found)
    rotations = np.array(found.rotations)
    rotations[:, 0] = yawed(facing, rotations[:, 0])
    rate = space.fps if fps is None else fps
    clip = Clip(space.skeleton, rotations, roots, rate, name=name, origin=Origin.of(name, len(curve)))
    if feet in ("free", "captured") or not _has_legs(clip):
        return clip
    keep = LOCKED if feet == "locked" else NATURAL
    return plant_feet(clip, planted=planted_flags(found), keep=keep).clip


def ground_motion(space: Space, curve: Floats, found: Decoded) -> tuple[Floats, Floats]:
    """Compute root positions (F, 3) and headings (F,) of decoded poses: sums of steps, each relative to its heading."""
    facing = np.zeros(len(curve))
    roots = np.zeros((len(curve), 3))
    roots[:, 1] = found.heights
    if len(curve) > 1:
        shares = step_shares(curve, found.velocities, still=_STILL * space.code.pace)
        steps = found.steps[:-1] * shares[:, None]
        facing[1:] = np.cumsum(steps[:, 2])
        roots[1:, [0, 2]] = np.cumsum(turned(facing[:-1], steps[:, :2]), axis=0)
    return roots, facing


def step_shares(curve: Floats, velocities: Floats, *, still: float = 0.0) -> Floats:
    """Compute the share (F - 1,) of each captured step that a curve makes: its projection on the captured velocity.

    Parameters
    ----------
    curve
        (F, D) coordinates.
    velocities
        (F, D) movement of captured motion in one step there.
    still
        Smaller velocities count as this.

    Examples
    --------
    >>> step_shares(np.array([[0.0], [1.0], [0.5]]), np.array([[2.0], [1.0], [1.0]])).tolist()
    [0.5, -0.5]
    """
    gone = np.diff(curve, axis=0)
    captured = velocities[:-1]
    square = np.maximum(np.sum(captured * captured, axis=1), max(still, 1e-12) ** 2)
    out: Floats = np.clip(np.sum(gone * captured, axis=1) / square, -_FASTEST, _FASTEST)
    return out


def _has_legs(clip: Clip) -> bool:
    try:
        require_legs([clip])
    except SkeletonError:
        return False
    return True
