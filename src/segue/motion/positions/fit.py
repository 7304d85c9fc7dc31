"""Joint positions to a clip on a skeleton of their own: tree, gaps, noise, skeleton, rotations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Positions
from segue.errors import SettingError
from segue.motion.clip import Clip, SourceFormat
from segue.motion.kinematics import forward
from segue.motion.positions.gaps import bridged, noise_of, smoothed
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
        Skeleton grown from them.
    places
        (F, J, 3) metres where the joints are to be: gaps bridged, noise smoothed; not a number for joints never seen.
    measured
        (F, J, 3) the positions as they were; not a number where a joint was not seen.
    fps
        Frames a second.
    notes
        What was done, one sentence each.
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
    """Grow the skeleton of points (F, P, 3) in metres with Y up, bridge gaps, smooth what is noisy.

    Raises
    ------
    SettingError
        If there is no frame, or too little of the body is ever seen.
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
    if quiet:  # noise makes short bones longer
        body = grown(tree, np.where(gone[..., None], np.nan, places))
    return PreparedPositions(
        body, places, measured, fps, (*_tree_notes(tree), *_gap_notes(gone, tree), *quiet), bool(quiet)
    )


def fitted(given: PreparedPositions, *, name: str = "clip") -> Clip:
    """Clip on the skeleton of the positions' own; its notes are those of the preparation and the error."""
    known: Bools = np.array(np.isfinite(given.places).all(axis=(0, 2)))
    rotations, roots = turned(given.body, Aim(given.places, known), fps=given.fps)
    errors = errors_of(given.body, rotations, roots, given.measured)
    source = SourceFormat(
        format="positions", notes=(*given.notes, error_note(errors)), extra={"positions": True}
    )
    return Clip(given.body, rotations, roots, given.fps, name=name, source=source)


def errors_of(body: Skeleton, rotations: Floats, roots: Positions, places: Positions) -> Floats:
    """Distances (N,) between the joints of a motion and where they were seen."""
    away = np.linalg.norm(forward(body, rotations, roots).positions - places, axis=-1)
    out: Floats = away[np.isfinite(away)]
    return out


def error_note(errors: Floats) -> str:
    """Sentence of the error."""
    if not errors.size:
        return "error: no joint to compare"
    middle, most = 1000.0 * np.percentile(errors, [50, 95])
    return f"error: joints lie {middle:.1f} mm (median) and {most:.1f} mm (95 %) from the positions"


def _quiet(
    places: Positions, tree: JointTree, body: Skeleton, *, fps: float
) -> tuple[Positions, tuple[str, ...]]:
    """Positions smoothed if they are noisy, and the sentence that says so."""
    noise = noise_of(places, tree.parents)
    usual = float(np.median(noise))
    rest = body.rest_positions()
    # Smoothed only where noise shows (decision 127).
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
