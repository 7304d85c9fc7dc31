"""Where the camera of each figure stands: square to where the body goes, so that a turn is seen from its side."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions
from segue.errors import SettingError, nearest
from segue.maths.quaternions import rotate
from segue.motion.clip import Clip
from segue.motion.facing import heading

VIEWS = ("auto", "side", "front", "travel")
_NEAR, _WIDE = 0.3, 1.0  # seconds: widths of the two smoothings
_SLOW = 0.25  # m/s below which a body goes nowhere


def choose_view(clip: Clip, view: str) -> str:
    """Return the view to draw: ``auto`` becomes ``front`` where a body mostly steps sideways, else ``side``."""
    if view not in VIEWS:
        msg = f"no view is called {view!r}; known: {', '.join(VIEWS)}; {nearest(view, VIEWS)}"
        raise SettingError(msg)
    if view != "auto":
        return view
    velocity = _ground_velocity(clip)
    angle = _camera_heading(clip)
    ahead = np.abs(velocity[:, 0] * np.sin(angle) + velocity[:, 1] * np.cos(angle)).mean()
    aside = np.abs(velocity[:, 0] * np.cos(angle) - velocity[:, 1] * np.sin(angle)).mean()
    return "front" if aside > max(1.3 * ahead, 0.1) else "side"


def cameras(clip: Clip, view: str) -> Floats:
    """Angle (F,) radians, 0 along +Z, of what each frame's picture calls forward.

    The heading is averaged over about a stride, so that the swing of the pelvis is seen and not followed; while the
    body is upside down its heading means nothing and the frames around speak for it. ``travel`` takes the direction
    of the root's motion where it moves faster than 0.25 m/s.
    """
    if view != "travel":
        return _camera_heading(clip)
    velocity = _ground_velocity(clip)
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    turned = _camera_heading(clip)
    going = np.arctan2(velocity[:, 0], velocity[:, 1])
    weight = np.clip((speed - _SLOW) / _SLOW, 0.0, 1.0)
    mixed = weight * np.exp(1j * going) + (1.0 - weight) * np.exp(1j * turned)
    out: Floats = np.unwrap(np.angle(_smoothed(mixed, _NEAR * clip.fps)))
    return out


def project(points: Positions, root: Positions, angle: float, view: str) -> tuple[Floats, Floats]:
    """Flat places (P, 2) metres (right, up) beside the root's ground point, and depth (P,) towards the camera.

    From the side the body looks to the right and its right limbs are nearer; from the front it looks at the camera.
    """
    ahead = np.array([np.sin(angle), np.cos(angle)])
    right = np.array([-np.cos(angle), np.sin(angle)])
    ground = points[:, [0, 2]] - root[[0, 2]]
    across, depth = (-ground @ right, ground @ ahead) if view == "front" else (ground @ ahead, ground @ right)
    return np.column_stack([across, points[:, 1]]), depth


def _camera_heading(clip: Clip) -> Floats:
    upright = rotate(clip.rotations[:, 0], np.broadcast_to([0.0, 1.0, 0.0], (clip.n_frames, 3)))[:, 1]
    facing = np.clip(upright, 0.0, None) ** 2 * np.exp(1j * heading(clip))
    near = _smoothed(facing, _NEAR * clip.fps)
    # The wide average only counts where the near one holds almost nothing: lying down, rolling.
    total = near + 0.02 * _smoothed(facing, _WIDE * clip.fps) + 1e-9 * facing.sum() + 1e-30
    out: Floats = np.unwrap(np.angle(total))
    return out


def _ground_velocity(clip: Clip) -> Floats:
    if clip.n_frames < 2:
        return np.zeros((clip.n_frames, 2))
    ground = clip.root_positions[:, 0] + 1j * clip.root_positions[:, 2]
    velocity = np.gradient(_smoothed(ground, 0.2 * clip.fps)) * clip.fps
    return np.column_stack([velocity.real, velocity.imag])


def _smoothed(values: np.ndarray, width: float) -> np.ndarray:
    """Gaussian average along time; ends are held."""
    reach = max(int(np.ceil(2.5 * width)), 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(width, 1e-6)) ** 2)
    padded = np.concatenate([np.repeat(values[:1], reach), values, np.repeat(values[-1:], reach)])
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")
