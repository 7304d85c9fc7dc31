"""A small space: coordinates of captured poses, and the network that maps any coordinates to a pose."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, frozen
from segue.errors import SettingError
from segue.manifold.distances import pose_distances
from segue.manifold.embedding import DIMENSIONS, METHODS, NEIGHBOURS, By, embedded
from segue.manifold.network import Network
from segue.manifold.pose_code import Decoded, PoseCode, code_of, decoded, encoded, places
from segue.manifold.poses import RATE, Poses, poses_of
from segue.manifold.training import SPLITS, SplitBy, Trainer, fitted, split
from segue.maths.quaternions import conjugate, log, multiply
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton
from segue.summaries import one_line
from segue.threads import Progress, one_thread, silent

SMOOTH = 1.0
"""Standard deviation, in poses, by which coordinates are smoothed over time."""
LEAST_DIMENSIONS = 3
"""Smallest default number of dimensions, where the knee is lower: in two a loop crosses itself."""


@dataclass(frozen=True)
class HeldOut:
    """Distance of decoded poses from captured ones: mean over all joints, in metres, root over the origin.

    Parameters
    ----------
    by
        How the test poses were drawn.
    poses
        Number of test poses.
    decoder
        Distance of the network's poses.
    linear
        Distance with as many principal components, computed from the same training poses.
    training
        Distance of the network's poses from the training poses.
    """

    by: SplitBy
    poses: int
    decoder: float
    linear: float
    training: float


@dataclass(frozen=True)
class Fit:
    """How well a method keeps the distances: residual variances of 1, 2, ... dimensions, their knee, components."""

    by: By
    variances: tuple[float, ...]
    knee: int
    parts: int = 1


@one_line
@dataclass(frozen=True, eq=False)
class Space:
    """A small space of one body.

    Parameters
    ----------
    skeleton
        The body.
    fps
        Captured poses a second.
    clips
        Names of the clips embedded.
    clip, frame
        (N,) clip and frame, at ``fps``, of each pose.
    coordinates
        (N, D) coordinates of the poses.
    follows
        (N,) whether the next pose is the next frame of the same clip.
    code
        Encoding of poses as vectors.
    network
        Map from coordinates to vectors.
    by
        Method that found the coordinates.
    neighbours
        Neighbours of each pose, for Isomap.
    fits
        Residual variances of all methods.
    held_out
        Errors of held-out poses for both splits; the network is that of the first.
    """

    skeleton: Skeleton
    fps: float
    clips: tuple[str, ...]
    clip: Ints
    frame: Ints
    coordinates: Floats
    code: PoseCode
    network: Network
    by: By
    neighbours: int
    fits: tuple[Fit, ...]
    held_out: tuple[HeldOut, ...]

    def __post_init__(self) -> None:
        """Check the parts, which may come from a file."""
        count, dimensions = self.coordinates.shape if self.coordinates.ndim == 2 else (0, 0)
        if not count or {self.clip.shape, self.frame.shape} != {(count,)}:
            shapes = f"{self.coordinates.shape}, {self.clip.shape} and {self.frame.shape}"
            msg = f"coordinates, clips and frames of poses have shapes {shapes}, which do not fit"
            raise SettingError(msg)
        if not np.isfinite(self.coordinates).all():
            msg = "coordinates are finite numbers"
            raise SettingError(msg)
        if self.clip.min() < 0 or self.clip.max() >= len(self.clips) or self.frame.min() < 0:
            msg = f"a pose refers to none of the {len(self.clips)} clips, or to a frame before their first"
            raise SettingError(msg)
        step = np.diff(self.clip) * (1 << 40) + np.diff(self.frame)
        if (step <= 0).any():
            msg = "poses lie in the order of their clips and frames"
            raise SettingError(msg)
        widths = (len(self.network.centre), len(self.network.mean))
        wanted = (dimensions, self.code.width)
        if widths != wanted or self.code.dimensions != dimensions:
            msg = f"the network takes and gives {widths} numbers; the space needs {wanted}"
            raise SettingError(msg)
        if len(self.code.levers) != self.skeleton.n_joints:
            msg = (
                f"poses of {len(self.code.levers)} joints are not those of a body of {self.skeleton.n_joints}"
            )
            raise SettingError(msg)

    @property
    def dimensions(self) -> int:
        """Number of coordinates of a pose."""
        return int(self.coordinates.shape[1])

    @property
    def follows(self) -> Bools:
        """(N,) whether the next pose is the next frame of the same clip."""
        out = np.zeros(len(self.clip), dtype=bool)
        out[:-1] = (self.clip[1:] == self.clip[:-1]) & (self.frame[1:] == self.frame[:-1] + 1)
        return out

    def fit(self, by: By | None = None) -> Fit:
        """Return the residual variances of a method, by default the space's own."""
        return next(fit for fit in self.fits if fit.by == (by or self.by))

    def decode(self, coordinates: Floats) -> Decoded:
        """Return poses, steps and contacts at coordinates (N, D)."""
        return decoded(self.code, self.network(coordinates))


def fit_space(
    clips: Sequence[Clip],
    *,
    by: By = "isomap",
    dimensions: int | None = None,
    neighbours: int = NEIGHBOURS,
    fps: float = RATE,
    trainer: Trainer = "sklearn",
    seed: int = 0,
    progress: Progress = silent,
) -> Space:
    """Fit a small space to clips.

    The embedding uses all frames; the network is fitted to the training frames of the random split. Its errors on
    frames it has not seen are measured on both splits.

    Parameters
    ----------
    clips
        Motions with different names; those of other bodies than the first one's are retargeted.
    by
        ``"isomap"``, ``"pca"`` or ``"mds"``; residual variances are found for all three.
    dimensions
        Number of dimensions, 1 to 10; by default the knee of the method, but at least `LEAST_DIMENSIONS`.
    neighbours
        Neighbours of each pose, for Isomap.
    fps
        Poses a second.
    trainer
        ``"sklearn"``, or ``"torch"`` where that is installed.
    seed
        Seed of the random split and the first weights.
    progress
        Called with a stage, the amount done, and the total.

    Raises
    ------
    SettingError
        If a setting is not possible, or there are too few or too many frames.
    MissingExtraError
        Without scikit-learn.
    """
    if by not in METHODS:
        msg = f"there is no method {by!r}; choose {', '.join(METHODS)}"
        raise SettingError(msg)
    if dimensions is not None and not 1 <= dimensions <= DIMENSIONS:
        msg = f"{dimensions} dimensions are not possible; give 1 to {DIMENSIONS}"
        raise SettingError(msg)
    total = len(METHODS) + 1 + len(SPLITS)
    poses = poses_of(clips, fps=fps)
    progress("fitting", 0, total)
    apart = pose_distances(poses.rotations)
    found = {}
    for number, word in enumerate(METHODS):
        progress("fitting", number + 1, total)
        found[word] = embedded(apart, joint_vectors(poses), by=word, neighbours=neighbours)
    chosen = found[by]
    kept = max(chosen.knee, LEAST_DIMENSIONS) if dimensions is None else dimensions
    coordinates = chosen.coordinates[:, :kept]
    velocities = velocities_of(calmed(coordinates, poses.follows), poses.follows)
    code = code_of(poses, velocities)
    judged, networks = [], []
    with one_thread():
        for number, kind in enumerate(SPLITS):
            progress("fitting", len(METHODS) + 1 + number, total)
            held, network = _held_out(
                poses, code, coordinates, velocities, by=kind, trainer=trainer, seed=seed
            )
            judged.append(held)
            networks.append(network)
    progress("fitting", total, total)
    return Space(
        poses.skeleton,
        poses.fps,
        poses.clips,
        poses.clip,
        poses.frame,
        frozen(coordinates),
        code,
        networks[0],
        by,
        neighbours,
        tuple(
            Fit(word, tuple(float(v) for v in one.variances), one.knee, one.parts)
            for word, one in found.items()
        ),
        tuple(judged),
    )


def joint_vectors(poses: Poses) -> Floats:
    """Compute half rotation vectors (N, 3 (J - 1)) of all joints but the root from their mean orientations."""
    from segue.manifold.pose_code import mean_rotation

    joints = np.moveaxis(poses.rotations[:, 1:], 1, 0)
    vectors = [log(multiply(conjugate(mean_rotation(q)), q)) for q in joints]
    return np.concatenate(vectors, axis=1)


def velocities_of(coordinates: Floats, follows: Bools) -> Floats:
    """Compute velocities (N, D), the coordinates of the next pose less each pose's; the last of a stretch repeats.

    Examples
    --------
    >>> velocities_of(np.array([[0.0], [1.0], [3.0]]), np.array([True, True, False])).tolist()
    [[1.0], [2.0], [2.0]]
    """
    out = np.zeros(coordinates.shape)
    out[:-1] = np.diff(coordinates, axis=0)
    for row in np.flatnonzero(~follows).tolist():
        out[row] = out[row - 1] if row and follows[row - 1] else 0.0
    return out


def calmed(coordinates: Floats, follows: Bools) -> Floats:
    """Smooth coordinates (N, D) over time within each unbroken stretch.

    Examples
    --------
    >>> calmed(np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([True, True, False, False])).round(6).ravel().tolist()
    [0.0, 1.0, 2.0, 9.0]
    """
    out = np.array(coordinates)
    edges = [0, *(np.flatnonzero(~follows) + 1).tolist()]
    for start, stop in itertools.pairwise(edges):
        out[start:stop] = smoothed(coordinates[start:stop])
    return out


def smoothed(coordinates: Floats, poses: float = SMOOTH) -> Floats:
    """Smooth coordinates (M, D) over time by a Gaussian; the first and the last are unchanged.

    Examples
    --------
    >>> smoothed(np.arange(5.0)[:, None]).round(6).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    from scipy.ndimage import gaussian_filter1d

    if len(coordinates) < 3 or poses <= 0:
        return np.array(coordinates)
    line = np.linspace(0.0, 1.0, len(coordinates))[:, None]
    chord = (1.0 - line) * coordinates[0] + line * coordinates[-1]
    # Extended by point reflection at both ends, the difference from the chord stays zero there.
    rest = coordinates - chord
    whole = np.concatenate([rest, -rest[-2:0:-1]])
    wide = gaussian_filter1d(whole, poses, axis=0, mode="wrap")
    out: Floats = wide[: len(rest)] + chord
    return out


def _held_out(
    poses: Poses,
    code: PoseCode,
    coordinates: Floats,
    velocities: Floats,
    *,
    by: SplitBy,
    trainer: Trainer,
    seed: int,
) -> tuple[HeldOut, Network]:
    """Errors of held-out poses, and the network with these errors."""
    rows = split(poses.count, by=by, seed=seed)
    vectors = encoded(code, poses, velocities)
    network = fitted(coordinates, vectors, rows, trainer=trainer, seed=seed).network
    by_network = errors(poses, code, network(coordinates))
    by_lines = errors(poses, code, linear(vectors[:, : code.pose_width], rows.training, coordinates.shape[1]))
    judged = HeldOut(
        by,
        len(rows.test),
        float(by_network[rows.test].mean()),
        float(by_lines[rows.test].mean()),
        float(by_network[rows.training].mean()),
    )
    return judged, network


def errors(poses: Poses, code: PoseCode, vectors: Floats) -> Floats:
    """Compute the mean joint distance (N,) in metres of poses decoded from vectors (N, M) from the captured ones."""
    made = decoded(code, vectors)
    found = places(poses.skeleton, made.rotations, made.heights)
    wanted = places(poses.skeleton, poses.rotations, poses.heights)
    out: Floats = np.linalg.norm(found - wanted, axis=-1).mean(axis=-1)
    return out


def linear(vectors: Floats, rows: Ints, dimensions: int) -> Floats:
    """Project vectors (N, M) on their first principal components, computed from some rows, and back."""
    mean = vectors[rows].mean(axis=0)
    _, _, axes = np.linalg.svd(vectors[rows] - mean, full_matrices=False)
    kept = axes[:dimensions]
    out: Floats = (vectors - mean) @ kept.T @ kept + mean
    return out
