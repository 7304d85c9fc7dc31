"""Optimal blending ranges: first frame in the previous motion, last frame in the following one (eq. 9 to 14).

Each term is divided by a typical value: time by 0.5 s, a usual blend, or 0.05 s of difference from a step; distances by
0.15 leg lengths, as far as limbs move in a blend; speeds by a leg length a second, typical of such moves. The velocity
term includes the part that no weight curve can match: ranges with little of it are preferred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints
from segue.maths.easing import STEEPEST
from segue.sequencing.poses import TINY, PrimaryPoints, pose_distances

TYPICAL_SECONDS = 0.5
TYPICAL_MISFIT = 0.05
"""Difference in seconds between a range and a step that keeps its speed."""
TYPICAL_DISTANCE = 0.15
"""Leg lengths."""
TYPICAL_SPEED = 1.0
"""Leg lengths a second."""
RESPONSIVE = (1.0, 0.25, 0.5)
"""Weights of time, pose and velocity at W = 0."""
SMOOTHEST = (0.1, 0.25, 4.0)
"""The same at W = 1."""
UNMET = 0.5
"""Weight of a velocity that no curve matches: it fades inside the blend (`segue.sequencing.velocities`)."""
BEND = 0.15
"""Seconds by which the largest acceleration of the curve is weighted: short ranges bend hard."""
_COARSE = 12
"""Largest number of frames of either motion in the first pass."""
_KEPT = 3
"""Number of best ranges that are refined."""


@dataclass(frozen=True)
class Bounds:
    """Frames of the clock in which a range may begin and end, both inclusive."""

    first: tuple[int, int]
    last: tuple[int, int]

    def possible(self) -> bool:
        """Return whether any range lies within them."""
        return self.first[0] <= self.first[1] and max(self.last[0], self.first[0] + 1) <= self.last[1]


@dataclass(frozen=True)
class FoundRange:
    """The best range within bounds: frames of the clock, cost, and terms."""

    begin: int
    end: int
    objective: float
    terms: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class RangeSearch:
    """Criteria by which ranges are compared.

    Parameters
    ----------
    previous, following
        Primary joints of one half of the body in both motions.
    previous_start, following_start
        Frames of the clock of their first frames.
    phase_seconds
        Length of the foot-moving phase that a range should have; None: the shorter the better.
    smoothness
        The paper's W.
    leg
        Leg length in metres.
    fps
        Frames a second.
    """

    previous: PrimaryPoints
    following: PrimaryPoints
    previous_start: int
    following_start: int
    phase_seconds: float | None
    smoothness: float
    leg: float
    fps: float

    def weights(self) -> Floats:
        """Return the weights (3,) of time, pose and velocity, each over its typical value."""
        share = self.smoothness
        mixed: Floats = (1.0 - share) * np.array(RESPONSIVE) + share * np.array(SMOOTHEST)
        mixed /= [TYPICAL_SECONDS, TYPICAL_DISTANCE * self.leg, TYPICAL_SPEED * self.leg]
        return mixed

    def terms(self, first: Ints, last: Ints) -> Floats:
        """Compute weighted terms (3, N, M) of ranges from frames (N,) to (M,) of the clock; infinite if impossible."""
        a = np.clip(first - self.previous_start, 0, len(self.previous.points) - 1)
        b = np.clip(last - self.following_start, 0, len(self.following.points) - 1)
        seconds = (last[None] - first[:, None]) / self.fps
        none = seconds <= 0.0
        seconds = np.where(none, 1.0, seconds)
        apart = pose_distances(self.previous.points[a], self.following.points[b])
        mean = apart / seconds
        v0, v1 = self.previous.speeds[a][:, None], self.following.speeds[b][None]
        time = seconds
        if self.phase_seconds is not None:
            time = np.abs(self.phase_seconds - seconds) * (TYPICAL_SECONDS / TYPICAL_MISFIT)
        velocity = 0.5 * (np.abs(v0 - mean) + np.abs(v1 - mean))
        velocity += self._unmet(a, b, apart, mean, seconds)
        out: Floats = np.stack([time, apart, velocity])
        out *= self.weights()[:, None, None]
        out[:, none] = np.inf
        return out

    def _unmet(self, a: Ints, b: Ints, apart: Floats, mean: Floats, seconds: Floats) -> Floats:
        """Part of the velocities (N, M) that no weight curve matches, plus the bend of the best curve.

        The first is the mean over joints of the velocity left once the curve has its best slope: its direction, and the
        part beyond a limited slope. The bend is the larger acceleration of the Hermite curve at either end.
        """
        x, y = self.previous, self.following
        shifts = y.points[b][None] - x.points[a][:, None]
        out: Floats = np.zeros(apart.shape)
        slopes = []
        for velocity, speed in (
            ((x.moves[a] * x.rates[a][:, None, None])[:, None], x.speeds[a][:, None]),
            ((y.moves[b] * y.rates[b][:, None, None])[None], y.speeds[b][None]),
        ):
            along = np.einsum("...kc,...kc->...", shifts, np.broadcast_to(velocity, shifts.shape))
            slope = np.where(along < 0.0, 0.0, np.minimum(speed / np.maximum(mean, TINY), STEEPEST))
            slopes.append(slope)
            # Velocity of each joint under that slope, over the entire distance in the range's time.
            share = np.where(apart < TINY, 0.0, slope * mean / np.maximum(apart, TINY))
            left = velocity - share[..., None, None] * shifts
            out += 0.5 * UNMET * np.sqrt(np.einsum("...kc,...kc->...k", left, left)).mean(axis=-1)
        bend = np.maximum(
            np.abs(6.0 - 4.0 * slopes[0] - 2.0 * slopes[1]), np.abs(6.0 - 2.0 * slopes[0] - 4.0 * slopes[1])
        )
        out += BEND * bend * mean / seconds
        return out

    def best(self, bounds: Bounds) -> FoundRange:
        """Find the best range, coarse to fine: every few frames, then around the best of these."""
        (a0, a1), (b0, b1) = bounds.first, bounds.last
        step = max(-(-(a1 - a0) // (_COARSE - 1)), -(-(b1 - b0) // (_COARSE - 1)), 1)
        pairs = [(_every(a0, a1, step), _every(b0, b1, step))]
        while True:
            found = [(self.terms(first, last), first, last) for first, last in pairs]
            best = sorted(_lowest(found), key=lambda one: one[0])[:_KEPT]
            if step == 1:
                break
            finer = max(step // 4, 1)
            pairs = [
                (
                    _every(max(t0 - step, a0), min(t0 + step, a1), finer),
                    _every(max(t1 - step, b0), min(t1 + step, b1), finer),
                )
                for _, t0, t1, _ in best
            ]
            step = finer
        cost, begin, end, terms = best[0]
        return FoundRange(begin, end, cost, (float(terms[0]), float(terms[1]), float(terms[2])))


def _every(first: int, last: int, step: int) -> Ints:
    """Frames from the first to the last, both inclusive, in steps."""
    out = np.arange(first, last + 1, step)
    return out if out[-1] == last else np.append(out, last)


def _lowest(found: list[tuple[Floats, Ints, Ints]]) -> list[tuple[float, int, int, Floats]]:
    """The lowest `_KEPT` (cost, begin, end, terms) of each table of terms; of equals the first."""
    out: dict[tuple[int, int], tuple[float, Floats]] = {}
    for terms, first, last in found:
        total = terms.sum(axis=0)
        for k in np.argsort(total, axis=None, kind="stable")[:_KEPT].tolist():
            i, j = divmod(k, total.shape[1])
            if np.isfinite(total[i, j]):
                out[int(first[i]), int(last[j])] = float(total[i, j]), terms[:, i, j]
    return [(cost, begin, end, terms) for (begin, end), (cost, terms) in out.items()]
