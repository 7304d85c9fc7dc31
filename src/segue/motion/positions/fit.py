"""Conversion of joint positions to a clip on an estimated skeleton: tree, gaps, noise, skeleton, rotations.

Before the fit, gaps are bridged, and noise is measured and, if large, smoothed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions
from segue.errors import SettingError
from segue.motion.clip import Clip, SourceFormat
from segue.motion.kinematics import forward
from segue.motion.positions.growing import grown
from segue.motion.positions.trees import JointTree
from segue.motion.positions.turning import Aim, turned
from segue.motion.skeleton import Skeleton

_NOISY = 0.002  # leg lengths of noise from which positions are smoothed


@dataclass(frozen=True, eq=False)
class PreparedPositions:
    """Joint positions ready to be fitted.

    Parameters
    ----------
    body
        Skeleton estimated from them.
    places
        (F, J, 3) target positions of the joints in metres: gaps bridged, noise smoothed; NaN for joints never seen.
    measured
        (F, J, 3) the input positions; NaN where a joint was not seen.
    fps
        Frames a second.
    notes
        Descriptions of the processing, one sentence each.
    noisy
        Whether the positions were smoothed.
    """

    body: Skeleton
    places: Positions
    measured: Positions
    fps: float
    notes: tuple[str, ...]
    noisy: bool = False


def prepared(tree: JointTree, points: Positions, *, fps: float) -> PreparedPositions:
    """Estimate the skeleton of points (F, P, 3) in metres with Y up, bridge gaps, smooth noise.

    Raises
    ------
    SettingError
        If no joint is seen in any frame, or the root is never seen.
    """
    measured = tree.places(points)
    if not len(measured) or not np.isfinite(measured).all(axis=-1).any():
        msg = "there is no frame with a joint that is seen; positions are (frames, joints, 3) numbers"
        raise SettingError(msg)
    places, gone = bridged(measured, tree.parents)
    if gone[:, 0].all():
        msg = f"{tree.names[0]!r}, the root, is never seen; its positions are needed"
        raise SettingError(msg)
    body = grown(tree, np.where(gone[..., None], np.nan, measured))
    places, quiet = _quiet(places, tree, body, fps=fps)
    if quiet:  # estimate again, because noise lengthens short bones
        body = grown(tree, np.where(gone[..., None], np.nan, places))
    return PreparedPositions(
        body, places, measured, fps, (*_tree_notes(tree), *_gap_notes(gone, tree), *quiet), bool(quiet)
    )


def fitted(given: PreparedPositions, *, name: str = "clip") -> Clip:
    """Fit a clip on the estimated skeleton; its notes are those of the preparation plus the error."""
    known: Bools = np.array(np.isfinite(given.places).all(axis=(0, 2)))
    rotations, roots = turned(given.body, Aim(given.places, known), fps=given.fps)
    errors = errors_of(given.body, rotations, roots, given.measured)
    source = SourceFormat(
        format="positions", notes=(*given.notes, error_note(errors)), extra={"positions": True}
    )
    return Clip(given.body, rotations, roots, given.fps, name=name, source=source)


def errors_of(body: Skeleton, rotations: Floats, roots: Positions, places: Positions) -> Floats:
    """Compute distances (N,) in metres between the joints of a motion and their measured positions."""
    away = np.linalg.norm(forward(body, rotations, roots).positions - places, axis=-1)
    out: Floats = away[np.isfinite(away)]
    return out


def error_note(errors: Floats) -> str:
    """Return a sentence with the median and 95th percentile of the errors."""
    if not errors.size:
        return "error: no joint to compare"
    middle, most = 1000.0 * np.percentile(errors, [50, 95])
    return f"error: joints lie {middle:.1f} mm (median) and {most:.1f} mm (95 %) from the positions"


def _quiet(
    places: Positions, tree: JointTree, body: Skeleton, *, fps: float
) -> tuple[Positions, tuple[str, ...]]:
    """Smooth positions if they are noisy; return them and a note about it, if any."""
    noise = noise_of(places, tree.parents)
    usual = float(np.median(noise))
    rest = body.rest_positions()
    # Smoothed only if the noise is visible (decision 127).
    if usual <= _NOISY * float(np.ptp(rest[:, 1])) / 2.0:
        return places, ()
    out, window = smoothed(places, noise, fps=fps)
    return out, (f"noise: {1000 * usual:.1f} mm, smoothed over {window:.2f} s",)


def _tree_notes(tree: JointTree) -> list[str]:
    if not tree.made:
        return []
    where = {
        "pelvis": "the middle of the hips",
        "chest": "the middle of the shoulders",
        "head": "the middle of the ears or eyes",
    }
    given = [f"{name} ({where.get(name.partition('_')[0], 'the middle of others')})" for name in tree.made]
    return [f"joints between others: {', '.join(given)}"]


def _gap_notes(gone: Bools, tree: JointTree) -> list[str]:
    never = gone.all(axis=0)
    out = []
    if never.any():
        names = [tree.names[joint] for joint in np.flatnonzero(never)]
        out.append(f"never seen and left at rest: {', '.join(names[:8])}{' ...' if len(names) > 8 else ''}")
    count = int(gone[:, ~never].sum())
    if count:
        share = 100.0 * count / gone[:, ~never].size
        longest = max(_longest(gone[:, joint]) for joint in np.flatnonzero(~never))
        out.append(
            f"gaps: {count} joint positions ({share:.2g} %) not seen, bridged; the longest lasts {longest} frames"
        )
    return out


def _longest(flags: Bools) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


_MAD = 1.4826  # standard deviation over median absolute deviation of a normal distribution
_THIRD = np.sqrt(20.0)  # standard deviation of the third difference of white noise over that of the noise
_ORDER = 3
_FEWEST = 8  # least number of frames to distinguish noise from motion
_LONGEST = 0.12  # longest half window of smoothing, in seconds


def bridged(places: Positions, parents: Ints) -> tuple[Positions, Bools]:
    """Fill gaps in positions (F, J, 3); return them and flags (F, J) of the positions not seen.

    The offset of an unseen joint from its parent is interpolated linearly across the gap; that of the root from the
    joint that is seen most. Joints that are never seen stay NaN.
    """
    unseen: Bools = np.array(~np.isfinite(places).all(axis=-1), dtype=bool)
    out = np.array(places)
    out[unseen] = np.nan
    if not unseen.any():
        return out, unseen
    never: Bools = np.array(unseen.all(axis=0))
    if unseen[:, 0].any():
        best = int(np.argmin(unseen.sum(axis=0)))
        base = _filled(out[:, best])
        out[:, 0] = base + _filled(out[:, 0] - base) if not never[0] else np.nan
    for joint in range(1, len(parents)):
        if not unseen[:, joint].any() or never[joint]:
            continue
        above = int(parents[joint])
        while above > 0 and never[above]:
            above = int(parents[above])
        offset = _filled(out[:, joint] - out[:, above])
        gone = unseen[:, joint]
        out[gone, joint] = out[gone, above] + offset[gone]
    return out, unseen


def _filled(values: Positions) -> Positions:
    """Interpolate gaps in rows (F, 3) linearly and hold the ends; unchanged if no row is known."""
    known = np.flatnonzero(np.isfinite(values).all(axis=-1))
    if not known.size:
        return values
    frames = np.arange(len(values))
    return np.stack([np.interp(frames, known, values[known, axis]) for axis in range(3)], axis=-1)


def noise_of(places: Positions, parents: Ints) -> Floats:
    """Estimate the standard deviation (J,) of the noise of each joint's coordinates in metres.

    It is the smaller of two estimates: from third differences over time and from changing bone lengths. Noise causes
    both; fast motion causes only the first, and a detector with slowly varying bone lengths only the second.
    """
    out: Floats = np.zeros(places.shape[1])
    known: Bools = np.array(np.isfinite(places).all(axis=(0, 2)))
    bones = np.array([j for j in range(1, len(parents)) if known[j] and known[parents[j]]], dtype=np.int64)
    if len(places) < _FEWEST or not bones.size:
        return out
    third = np.diff(places[:, known], n=3, axis=0)
    lengths = np.linalg.norm(places[:, bones] - places[:, parents[bones]], axis=-1)
    changing = _MAD * np.median(np.abs(lengths - np.median(lengths, axis=0)), axis=0) / np.sqrt(2.0)
    out[known] = np.minimum(_MAD * np.median(np.abs(third), axis=(0, 2)) / _THIRD, np.median(changing))
    return out


def smoothed(places: Positions, noise: Floats, *, fps: float) -> tuple[Positions, float]:
    """Smooth positions with Savitzky-Golay filters; return them and the mean window in seconds.

    Each joint has the window that minimises Stein's unbiased risk estimate: the squared change by the smoothing, less
    the variance of noise that it should remove.
    """
    from scipy.signal import savgol_coeffs, savgol_filter

    count = len(places)
    halves = [half for half in range(2, int(_LONGEST * fps) + 2) if 2 * half + 1 <= count]
    rough = np.isfinite(places).all(axis=(0, 2)) & (noise > 0)
    if not halves or not rough.any():
        return places, 0.0
    out, values = np.array(places), places[:, rough]
    best, least, window = np.array(values), noise[rough] ** 2, np.ones(int(rough.sum()))
    for half in halves:
        width = 2 * half + 1
        tried = savgol_filter(values.reshape(count, -1), width, _ORDER, axis=0, mode="interp").reshape(
            values.shape
        )
        share = float(savgol_coeffs(width, _ORDER)[half])
        risk = np.mean((tried - values) ** 2, axis=(0, 2)) + (2.0 * share - 1.0) * noise[rough] ** 2
        better = risk < least
        best[:, better], least[better], window[better] = tried[:, better], risk[better], width
    out[:, rough] = best
    return out, float(window.mean()) / fps
