"""The windowed point-cloud cost: its settings, its definition, and its tiles."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints
from segue.costs import clouds, weightings
from segue.costs.cloud_tiles import array_form, changing, fixed
from segue.costs.cloud_tiles.basis import pose_basis, spanned, weighted_basis
from segue.costs.engine.array_api import ArrayTiles, numpy_place
from segue.costs.engine.plan import Run, full_matrix
from segue.costs.engine.tiles import Side, Tiles
from segue.costs.protocol import DTYPES, Cloud, Prepared, check_rate, check_word, source_frames
from segue.costs.weightings import HandSet, PartWeights, part_weights
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.body import capsules
from segue.motion.clip import Clip
from segue.motion.contacts import touching
from segue.motion.resample import resampled
from segue.motion.standard_body import StandardBody, standard_body
from segue.summaries import changed_only

ALIGNMENTS = ("window", "centre")
WEIGHTS_OF = ("both", "source")
_CHUNK = 512


@changed_only
@dataclass(frozen=True)
class PointCloudCost:
    """Squared distance between two windowed clouds of body points, optimally aligned on the ground.

    ``C(i, j) = min over T of sum_k W_k sum_n (w_n / M_n) sum_m |x_nm(i+k) - T x'_nm(j+k)|^2`` with window weights ``W_k
    = 1 - (k/(L+1))^2`` scaled to sum 1, M_n points on body part n, and T a turn about the vertical and a shift on the
    ground (dynamics-weighted point clouds, sections 3 to 5; Kovar, Gleicher & Pighin 2002, eq. 1 to 4). Every motion is
    transferred to one body of mean proportions, 1.75 m tall, so that lengths of limbs do not count.

    Unit: square metres of a body 1.75 m tall; with uniform weights the root is a root mean square distance. With
    dynamics weights each is multiplied by the share of body mass that it moves or supports. Range: 0 to about 1, with
    dynamics weights to about 4. Symmetric, unless only the source's weights count or rises count more than falls.
    Invariant to a ground motion of either clip and to the scale of either body. Windows are centred.

    Parameters
    ----------
    window_seconds
        Length of the window, both ends included: 1/3 s at 30 frames a second are 11 frames.
    rate
        Frames a second at which clips are compared.
    weighting
        ``"uniform"``: every body part counts the same. ``"hand_set"``: pelvis and trunk count ``torso``,
        other parts 1, the part that carries most weight ``carrier`` more. ``"dynamics"``: a part counts the
        mass it displaces, and with ground contact the mass it supports, at the moment left and at the moment
        arrived in (`segue.costs.weightings`).
    align
        ``"window"``: T is optimal for the entire window. ``"centre"``: T is optimal for the centre frame.
    points_per_segment
        Sample points on each body part. With 2 the lowest hundredth of costs of a pair of clips is 2 % below
        those of a dense cloud, with 4 less than 1 %.
    dtype
        ``"float32"`` has an error below 1e-6 square metres, whatever the clips' world positions and speeds;
        ``"float64"`` below 1e-12. With dynamics weights it is ten times that, because costs are larger.
    cloud
        ``"capsules"``: points on the surface of each part. ``"joints"``: the joints at its ends.
        ``"bodies"``: its centre and orientation.
    weights_of
        ``"both"``: both moments' contacts count. ``"source"``: only those of the moment left.
    lifting
        0 to 1: the squared rise of a part is weighted that much more, and its squared fall that much less.
    torso, carrier
        Settings of the hand-set weighting.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=PointCloudCost(weighting="dynamics"))
    >>> bool(matrix.values.diagonal().max() < 1e-6)
    True
    """

    window_seconds: float = 1.0 / 3.0
    rate: float = 30.0
    weighting: str = "uniform"
    align: str = "window"
    points_per_segment: int = 2
    dtype: str = "float32"
    cloud: str = "capsules"
    weights_of: str = "both"
    lifting: float = 0.0
    torso: float = 2.0
    carrier: float = 2.0

    name: ClassVar[str] = "point_cloud"

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_word("weighting", self.weighting, weightings.WEIGHTINGS)
        check_word("align", self.align, ALIGNMENTS)
        check_word("dtype", self.dtype, DTYPES)
        check_word("cloud", self.cloud, clouds.KINDS)
        check_word("weights_of", self.weights_of, WEIGHTS_OF)
        if not (np.isfinite(self.window_seconds) and self.window_seconds >= 0):
            msg = f"a window cannot last {self.window_seconds} seconds; 0 compares single poses, 1/3 is usual"
            raise SettingError(msg)
        points: object = self.points_per_segment  # callers may pass anything
        if not isinstance(points, int | np.integer) or points < 1:
            msg = f"points_per_segment must be a whole number, at least 1, not {self.points_per_segment}"
            raise SettingError(msg)
        if not 0 <= self.lifting <= 1:
            msg = f"lifting {self.lifting}: a rise counts 0 to 1 more than a fall; 0 makes no difference"
            raise SettingError(msg)
        for what, value in (("torso", self.torso), ("carrier", self.carrier)):
            if not (np.isfinite(value) and value >= 0):
                msg = f"{what} {value}: a weight must be a number, 0 or more (default 2)"
                raise SettingError(msg)

    @property
    def half_window(self) -> int:
        """Cost frames L on either side of the centre."""
        return round(self.window_seconds * self.rate / 2)

    @property
    def varies(self) -> bool:
        """Whether weights depend on the pair of frames."""
        carried = self.weighting == "hand_set" and self.carrier > 0
        return self.weighting == "dynamics" or carried or self.lifting > 0

    def prepare(self, clip: Clip) -> Prepared:
        """Resample a clip, find its supports, and pack its windowed clouds for fast comparison."""
        seen = resampled(clip, self.rate)
        body = standard_body(seen)
        cloud = clouds.cloud_of(seen, body, points_per_segment=self.points_per_segment, kind=self.cloud)
        weights = self._weights(clip, cloud, body)
        count = max(cloud.points.shape[0] - 2 * self.half_window, 0)
        return Prepared(
            clip.name,
            clip.fps,
            clip.n_frames,
            self.rate,
            self.half_window,
            source_frames(clip, self.rate, first=self.half_window, count=count),
            cloud,
            {"weights": weights, **(self._features(cloud, weights) if count else {})},
        )

    def _weights(self, clip: Clip, cloud: Cloud, body: StandardBody | None) -> PartWeights:
        frames = cloud.points.shape[0]
        if self.weighting == "uniform":
            found: Bools = np.zeros((frames, 0), dtype=bool)
        else:
            body = weightings.require_masses(body, clip, self.weighting)
            order = [capsule.segment for capsule in capsules(clip.skeleton)]
            columns = [order.index(segment) for segment in body.segments]
            found = touching(clip)[source_frames(clip, self.rate, first=0, count=frames)][:, columns]
        return part_weights(self.weighting, cloud, found, hand_set=HandSet(self.torso, self.carrier))

    def _features(self, cloud: Cloud, weights: PartWeights, *, shared: bool = False) -> Mapping[str, Any]:
        """Features to compare; ``shared``: with another body, without the basis of poses."""
        places = clouds.moments(cloud, clouds.rigid_moments(self.cloud, self.points_per_segment))
        basis = pose_basis(self.cloud, self.points_per_segment)
        whole = not shared and spanned(places, cloud.segments, basis)
        half = self.half_window
        if self._changes:
            made: dict[str, Any] = {
                "spanned": whole,
                **array_form.features(places, weights, half_window=half),
            }
            if self._compiled:
                level, stays = round(made["level"]), array_form.stays(made)
                spans = self._basis(made)
                made["packed"] = changing.packed(made, weighs=True, level=level, stays=stays, basis=spans)
            return made
        mine = weighted_basis(self.cloud, self.points_per_segment, tuple(weights.constant)) if whole else None
        return {
            "spanned": whole,
            **fixed.features(places, weights.constant, half_window=half, dtype=self.dtype, basis=mine),
        }

    def _basis(self, features: Mapping[str, Any]) -> Floats:
        """Basis of a clip's moments: that of the standard body's poses if it spans them, else the identity."""
        if features["spanned"]:
            return pose_basis(self.cloud, self.points_per_segment)
        return np.eye(features["places"][0, :, :, 0].size)

    @property
    def _changes(self) -> bool:
        """Whether weights change or the alignment is not by window, so that costs come from the closed form."""
        return self.varies or self.align != "window"

    @property
    def _compiled(self) -> bool:
        """Whether a kernel supports these settings; other costs are computed as expressions over arrays."""
        fast = self.dtype == "float32" and self.lifting == 0
        return self.align == "window" and (fast or not self.varies)

    def kind(self, clip: Prepared) -> Hashable:
        """Key shared by clips of one side: their parts and the method of computation."""
        return (clip.cloud.segments, clip.features["spanned"], *self._manner(clip))

    def _manner(self, clip: Prepared) -> tuple[bool, int]:
        """Whether a clip stays in place, and its reference height in whole metres."""
        if not self._changes:
            return clip.features["strays"] < fixed.NEAR, 0
        return array_form.stays(clip.features), round(clip.features["level"])

    def tiles(self, a: Side, b: Side) -> Tiles:
        """Costs between two sets of clips, strip by strip."""
        first, last = a.clips[0], b.clips[0]
        if (
            first.cloud.segments != last.cloud.segments
            or first.features["spanned"] != last.features["spanned"]
        ):
            a, b = (self._restricted(side, other) for side, other in ((a, b), (b, a)))
        (stays, level), (too, other_level) = self._manner(a.clips[0]), self._manner(b.clips[0])
        if not self._changes:
            one, other = (_as_travelling(side) if stays != too else side for side in (a, b))
            return fixed.FixedTiles(one, other)
        how = array_form.Weighing(
            stays and too, (level + other_level) / 2, self.weights_of == "both", self.align, self.lifting
        )
        if not self._compiled:
            formula = array_form.changing(a, b, how=how, dtype="float64")  # independent of tile shapes
            return ArrayTiles(formula, numpy_place(columns_at_once=448), self.dtype)
        return changing.ChangingTiles(a, b, how=how, basis=self._basis(a.clips[0].features))

    def _restricted(self, side: Side, other: Side) -> Side:
        """One side restricted to the body parts that it shares with another."""
        clips = []
        for clip in side.clips:
            (cloud, weights), _ = self._shared(clip, other.clips[0])
            clips.append(
                replace(clip, features={"weights": weights, **self._features(cloud, weights, shared=True)})
            )
        return replace(side, clips=tuple(clips))

    def matrix(self, a: Prepared, b: Prepared) -> Costs:
        """Costs (N, M) of every window of one clip against every window of another."""
        return full_matrix([a], [a] if b is a else [b], cost=self, run=Run(threads=1))

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells in float64: align each pair of clouds, then sum squared distances."""
        one, other = self._shared(a, b)
        chunks = [
            self._direct(one, other, np.asarray(rows[k : k + _CHUNK]), np.asarray(columns[k : k + _CHUNK]))
            for k in range(0, len(rows), _CHUNK)
        ]
        return np.concatenate(chunks) if chunks else np.zeros(0)

    def alignment(self, a: Prepared, b: Prepared, row: int, column: int) -> PlanarMotion:
        """Ground motion that places clip b onto clip a at one cell, in world metres."""
        (ca, wa), (cb, wb) = self._shared(a, b)
        half = self.half_window if self.align == "window" else 0
        return clouds.align(
            ca,
            cb,
            (row + a.first, column + b.first),
            half,
            weigh=lambda i, j: self._pair_weights(wa, wb, i, j),
        )

    def _shared(
        self, a: Prepared, b: Prepared
    ) -> tuple[tuple[Cloud, PartWeights], tuple[Cloud, PartWeights]]:
        """Clouds and weights of both clips on the body parts they share."""
        ca, cb = clouds.shared(a.cloud, b.cloud)
        wa, wb = a.features["weights"], b.features["weights"]
        parts = tuple(dict.fromkeys(ca.segments))
        if self.weighting == "uniform":
            constant = np.full(len(parts), 1.0 / len(parts))
            wa = wb = PartWeights(parts, constant, None)
        return (ca, wa.only(parts)), (cb, wb.only(parts))

    def _pair_weights(self, a: PartWeights, b: PartWeights, rows: Ints, columns: Ints) -> Floats:
        """Weights (..., P) of every point at frames of the two clips."""
        other = b if self.weights_of == "both" else None
        count = 2 if self.cloud == "joints" else 6 if self.cloud == "bodies" else self.points_per_segment
        out: Floats = np.repeat(weightings.pair_weights(a, other, rows, columns) / count, count, axis=-1)
        return out

    def _direct(
        self, a: tuple[Cloud, PartWeights], b: tuple[Cloud, PartWeights], rows: Ints, columns: Ints
    ) -> Floats:
        half = self.half_window
        (ca, wa), (cb, wb) = a, b
        window = np.arange(2 * half + 1)
        by_point = self._pair_weights(wa, wb, rows[:, None] + window, columns[:, None] + window)
        weights = clouds.window_weights(half)[:, None] * by_point
        here = ca.scale * clouds.windows(ca.points, rows + half, half)
        there = cb.scale * clouds.windows(cb.points, columns + half, half)
        fitted = weights
        if self.align == "centre":
            fitted = np.zeros_like(weights)
            fitted[:, half] = by_point[:, half]
        x, z, height = _centred_on(here, fitted)
        u, v, level = _centred_on(there, fitted)
        same = np.sum(fitted * (x * u + z * v), axis=(1, 2))
        cross = np.sum(fitted * (x * v - z * u), axis=(1, 2))
        turn = np.arctan2(cross, same)[:, None, None]
        c, s = np.cos(turn), np.sin(turn)
        gap = (x - (c * u + s * v)) ** 2 + (z - (c * v - s * u)) ** 2 + (height - level) ** 2
        out: Floats = np.sum(weights * gap, axis=(1, 2))
        if self.lifting:
            parts = (*height.shape[:2], len(wa.parts), -1)
            rise = (level - height).reshape(parts).mean(axis=-1)
            out += self.lifting * np.sum(
                weights.reshape(parts).sum(axis=-1) * rise * np.abs(rise), axis=(1, 2)
            )
        return out


def _centred_on(points: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return x and z minus their weighted mean, and y, of windowed clouds (K, T, P, 3)."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    total = np.sum(weights, axis=(1, 2), keepdims=True)
    mean_x = np.sum(weights * x, axis=(1, 2), keepdims=True) / total
    mean_z = np.sum(weights * z, axis=(1, 2), keepdims=True) / total
    return x - mean_x, z - mean_z, y


def _as_travelling(side: Side) -> Side:
    """One side as if its clips did not stay in place, to be compared with clips that do not."""
    clips = [
        replace(clip, features={**clip.features, **fixed.packed(clip.features, near=False)})
        for clip in side.clips
    ]
    return replace(side, clips=tuple(clips))
