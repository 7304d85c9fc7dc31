"""The joint-angle cost: differences of joint rotations and of their velocities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, frozen
from segue.costs.engine.array_api import Arrays, Formula
from segue.costs.engine.tiles import Fill, Rectangle, Side, Tiles, turned, wanted
from segue.costs.joint_angle.turns import inwards, relative_turns, role_turns, turn_speeds
from segue.costs.joint_angle.weights import JointWeights, by_role, joint_weights
from segue.costs.protocol import Prepared, check_word
from segue.costs.simple import SimpleCost, both_know, check_known, product_terms
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import from_yaw, half_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.facing import headings
from segue.motion.kinematics import world
from segue.motion.roles import ROLES, roles

STEP = 1.0 / 30.0
"""Seconds over which velocities are measured, whatever the rate."""
DEGREE = 6
"""Degree of the polynomial for the squared arccosine: one more takes 6 % more time and divides the error by seven."""
_CHUNK = 1024


@dataclass(frozen=True)
class JointAngleCost(SimpleCost):
    """Weighted squared joint angles between two moments, the same of joint velocities, and the height of the root.

    ``D(i, j) = d(p_i, p_j) + nu d(v_i, v_j)`` with ``d(p_i, p_j) = |p_i0 - p_j0|^2 + sum_k w_k theta_ijk^2``,
    where theta is half the angle between the two orientations of joint k (Wang, eq. IV.1 to IV.4, after Lee
    et al. 2002). A joint's velocity is its half rotation vector per 1/30 s from the frame before to the frame
    after, the root's its displacement in metres per 1/30 s in the heading's frame; velocities are compared by
    the Euclidean distance. The pelvis's orientation is the root's without its heading, and only the height of
    the root's position is compared: what remains after moving one clip along the ground onto the other.

    Joints are identified by role, relative to the next known joint towards the pelvis, and rest poses are
    aligned, so that clips of different bodies can be compared. Joints that one body lacks are ignored for
    both, and the others weigh more.

    Unit: square radians of half angles and square metres of a body 1.75 m tall. Range: 0 to about 25 with the original
    weights, at most ``(pi/2)^2`` times the sum of the weights in the pose alone. Symmetric. Invariant to a ground
    motion of either clip and to the scale of either body. Windows hold three frames: the outer two give velocities.

    Parameters
    ----------
    rate
        Frames a second at which clips are compared.
    dtype
        ``"float32"`` has an error below 1.2e-6 times (1 + the sum of the weights), whatever the world
        positions of the clips; with ``root="global"``, where costs grow with the distance, a few of the
        cost's last digits are lost in addition; ``"float64"`` below 1e-12 times that.
    weights
        ``"original"``: 1 for shoulders, elbows, hips, knees, pelvis and spine (Lee et al.). ``"optimised"``: table
        IV.1. A mapping of joints to weights, or a ``.toml`` file of learnt weights.
    nu
        Weight of the velocities; 0 compares poses alone.
    root
        ``"height"``, or ``"global"``: the root's position and its orientation with heading, exactly eq. IV.3.
        Then the clips' world positions count and clips are not moved onto one another.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=JointAngleCost(weights="optimised"))
    >>> float(matrix.values.diagonal().max()) < 1e-6
    True
    """

    weights: str | JointWeights = "original"
    nu: float = 1.0
    root: str = "height"

    name: ClassVar[str] = "joint_angle"
    half_window: ClassVar[int] = 1  # velocities use the frames before and after

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("root", self.root, ("height", "global"))
        if not (np.isfinite(self.nu) and self.nu >= 0):
            msg = f"nu is {self.nu}; the weight of the velocities must be 0 or more, 1 is usual"
            raise SettingError(msg)
        object.__setattr__(self, "weights", joint_weights(self.weights))

    def measure(self, clip: Clip, scale: float) -> Mapping[str, Any]:
        """World orientations and positions, and the terms of each moment."""
        at = world(clip)
        found = roles(clip.skeleton)
        wanted = by_role(self.weights)
        check_known(np.array([role in found for role in wanted]), clip.name, self.name)
        looked_at = {upper for role in wanted for upper in (role, *inwards(role))}
        known = np.array([role in found and role in looked_at for role in ROLES])
        turns = role_turns(clip, at, [role for role in ROLES if role in found and role in looked_at])
        root = found.get("pelvis", 0)
        features = {
            "known": known,
            "turns": turns,
            "heading": headings(clip.skeleton, at.rotations[:, root], joint=root),
            "root": scale * at.positions[:, root],
        }
        return {**features, **self._terms(features, known)}

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells, term by term in float64."""
        if not len(rows):
            return np.zeros(0)
        weights = self._weights(both_know(a, b, self.name))
        parts = []
        for k in range(0, len(rows), _CHUNK):
            cells = np.asarray(rows[k : k + _CHUNK]), np.asarray(columns[k : k + _CHUNK])
            root, joints = self._gaps(a, b, *cells)
            parts.append(root + joints @ weights)
        return np.concatenate(parts)

    def joint_terms(
        self, a: Prepared, b: Prepared, rows: Ints, columns: Ints
    ) -> tuple[tuple[str, ...], Floats]:
        """Weighted roles (K), and the unweighted terms of each (C, K) in chosen cells: pose plus velocity.

        These are the columns of A in eq. IV.5, with left and right still separate.
        """
        known = both_know(a, b, self.name)
        return self._roles(known), self._gaps(a, b, np.asarray(rows), np.asarray(columns))[1]

    def _gaps(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
        """Terms of the root (C,) and of each joint (C, K) of chosen cells."""
        known = both_know(a, b, self.name)
        here, there = (self._seen(p, known).features for p in (a, b))

        def squares(what: str) -> Floats:
            out: Floats = np.sum((here[what][rows] - there[what][columns]) ** 2, axis=-1)
            return out

        angles = half_angle(here["angles"][rows], there["angles"][columns]) ** 2
        return squares("places") + self.nu * squares("steps"), angles + self.nu * squares("speeds")

    def tiles(self, a: Side, b: Side) -> Tiles:
        """Tiles with angles joint by joint and velocities by one matrix product."""
        known = both_know(a.clips[0], b.clips[0], self.name)
        a, b = (replace(side, clips=tuple(self._seen(clip, known) for clip in side.clips)) for side in (a, b))
        return _JointTiles(a, b, self._weights(known), dtype=self.dtype)

    def alignment(self, a: Prepared, b: Prepared, row: int, column: int) -> PlanarMotion:
        """Ground motion that places clip b onto clip a at one cell; with ``root="global"`` clips are not moved."""
        return PlanarMotion() if self.root == "global" else super().alignment(a, b, row, column)

    def _roles(self, known: Bools) -> tuple[str, ...]:
        wanted = by_role(self.weights)
        return tuple(role for role, there in zip(ROLES, known, strict=True) if there and role in wanted)

    def _weights(self, known: Bools) -> Floats:
        """Weights (K,) of the known roles, scaled to the sum of all weights."""
        wanted = by_role(self.weights)
        out = np.array([wanted[role] for role in self._roles(known)])
        check_known(out > 0, "two bodies", self.name)
        return frozen(out * (sum(wanted.values()) / out.sum()))

    def _seen(self, one: Prepared, known: Bools) -> Prepared:
        """Clip restricted to the terms of the roles that the other clip knows too."""
        if np.array_equal(one.features["known"], known):
            return one
        return replace(one, features=self._terms(one.features, known))

    def _terms(self, features: Mapping[str, Any], known: Bools) -> dict[str, Floats]:
        """Return ``angles`` (n, K, 4), ``speeds`` (n, K, 3), ``places`` (n, 1 or 3), ``steps`` (n, 3) of moments.

        Also the same packed for tiles: ``quaternions``, ``stands``, ``moving`` and ``moved``.
        """
        mine = [role for role, there in zip(ROLES, features["known"], strict=True) if there]
        both = [role for role, there in zip(ROLES, known, strict=True) if there]
        turns = features["turns"][:, [mine.index(role) for role in both]]
        wanted = self._roles(known)
        joints = relative_turns(turns, both, wanted)
        speeds = turn_speeds(joints, STEP * self.rate)
        heading, root = features["heading"], features["root"]
        if "pelvis" in wanted and self.root == "height":
            pelvis = wanted.index("pelvis")
            joints[:, pelvis] = multiply(from_yaw(-heading), joints[:, pelvis])
        steps = rotate(from_yaw(-heading[1:-1]), (root[2:] - root[:-2]) * (0.5 * STEP * self.rate))
        places = root[1:-1] if self.root == "global" else root[1:-1, 1:2]
        terms = {"angles": joints[1:-1], "speeds": speeds, "places": places, "steps": steps}
        return {**terms, **self._packed(terms, self._weights(known))}

    def _packed(self, terms: Mapping[str, Floats], weights: Floats) -> dict[str, Costs]:
        """Terms of moments packed for a kernel: quaternions, positions, and velocities as rows and as columns."""
        factors = np.sqrt(self.nu * weights)[:, None]
        n = len(terms["steps"])
        speeds = np.hstack([(factors * terms["speeds"]).reshape(n, -1), np.sqrt(self.nu) * terms["steps"]])
        rows, columns = product_terms(speeds, speeds)
        # Heights are about a metre; ground positions may be far away, where float32 is too coarse.
        places = self.dtype if self.root == "height" else np.float64
        return {
            "quaternions": terms["angles"].reshape(n, -1).astype(self.dtype),
            "stands": terms["places"].astype(places),
            "moving": rows.astype(self.dtype),
            "moved": columns.astype(self.dtype),
        }


class _JointTiles(Tiles):
    def __init__(self, a: Side, b: Side, weights: Floats, *, dtype: str) -> None:
        self.dtype, self.weights = dtype, weights
        self.a, self.b = (
            {"angles": side.laid("quaternions"), "places": side.laid("stands"), "moving": side.laid(moving)}
            for side, moving in ((a, "moving"), (b, "moved"))
        )
        self.terms = (weights[:, None] * np.array(angle_terms(DEGREE))).astype(dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' features."""
        return sum(array.nbytes for side in (self.a, self.b) for array in side.values())

    def formula(self) -> Formula | None:
        """Costs as an expression over arrays; None in float64, which uses the exact arccosine on the CPU."""
        return _formula(self) if self.dtype == "float32" else None

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns."""
        del rows
        return sum(columns * array.shape[1] * array.itemsize for array in self.b.values())

    def strip(self, first: int, last: int) -> Fill:
        """Transpose the columns' features."""
        if self.dtype == "float64":
            return self._exact_strip(first, last)
        return _Angles(self, tuple(turned(array, first, last) for array in _in_order(self.b)))

    def _exact_strip(self, first: int, last: int) -> Fill:
        """Costs in float64, with the exact arccosine."""
        from segue.costs import _kernels as shared

        there = {name: turned(array, first, last) for name, array in self.b.items()}

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            here = {name: array[start:stop] for name, array in self.a.items()}
            left = wanted(left, stop - start)
            shared.squared_gaps(here["moving"], there["moving"], left, out, (0, 0, *out.shape))
            _exact(here, there, self.weights, out)

        return fill


def _formula(tiles: _JointTiles) -> Formula:
    """Costs as an expression over arrays, in float32: the same polynomial."""
    terms = [[float(c) for c in row] for row in tiles.terms]

    def costs(xp: Any, a: Arrays, b: Arrays) -> Any:
        out = xp.clip(a["moving"] @ b["moving"].T, 0.0, None)
        for k, coefficients in enumerate(terms):
            four = slice(4 * k, 4 * k + 4)
            u = 1.0 - xp.abs(a["angles"][:, four] @ b["angles"][:, four].T)
            value = coefficients[-1] * u
            for c in coefficients[-2::-1]:
                value = (value + c) * u
            out += value
        for d in range(a["places"].shape[1]):
            gap = a["places"][:, d : d + 1] - b["places"][:, d : d + 1].T
            out = out + gap * gap
        return xp.clip(out, 0.0, None)

    return Formula(costs, tiles.a, tiles.b, each=5)


def _in_order(features: Mapping[str, Costs]) -> tuple[Costs, ...]:
    """Features in the kernel's order: velocities, quaternions, heights, and float64 positions or none."""
    places, kind = features["places"], features["angles"].dtype
    alone = places.shape[1] == 1
    heights = places if alone else np.zeros((len(places), 1), dtype=kind)
    return (
        features["moving"],
        features["angles"],
        heights,
        places[:, :0].astype(np.float64) if alone else places,
    )


class _Angles:
    def __init__(self, tiles: _JointTiles, columns: tuple[Costs, ...]) -> None:
        from segue.costs._kernels import joint_angles

        self.rows, self.columns, self.terms = _in_order(tiles.a), columns, tiles.terms
        self.kernel = joint_angles

    def __call__(self, start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
        """Write a block."""
        self._part(start, stop, wanted(left, stop - start), out, (0, 0, *out.shape))

    def write(self, start: int, stop: int, out: Costs, at: Rectangle, left: Ints | None = None) -> None:
        """Write a part of a matrix."""
        self._part(start, stop, wanted(left, stop - start), out, at)

    def _part(self, start: int, stop: int, left: Ints, out: Costs, at: Rectangle) -> None:
        rows = tuple(array[start:stop] for array in self.rows)
        self.kernel(rows, self.columns, self.terms, left, out, at)


def _exact(here: Mapping[str, Costs], there: Mapping[str, Costs], weights: Floats, out: Costs) -> None:
    """Add squared half angles and squared distances of positions in float64, with the exact arccosine."""
    wide = out.shape[1]
    for k, weight in enumerate(weights):
        four = slice(4 * k, 4 * k + 4)
        cos = np.minimum(np.abs(here["angles"][:, four] @ there["angles"][four, :wide]), 1.0)
        out += weight * np.arccos(cos) ** 2
    for d in range(here["places"].shape[1]):
        out += (here["places"][:, d, None] - there["places"][d, :wide]) ** 2
    np.maximum(out, 0.0, out=out)


@lru_cache(maxsize=4)
def angle_terms(degree: int) -> tuple[float, ...]:
    """Coefficients c of ``acos(1 - u)^2 ~ u (c_0 + c_1 u + ... )`` on [0, 1], in ascending order.

    The left side is analytic around the interval (its nearest singularity is u = 2), so that a short polynomial through
    Chebyshev points is enough: the error is below 8.4e-7 at degree 6 and 1.2e-7 at degree 7.

    Examples
    --------
    >>> import numpy as np
    >>> u = 0.3
    >>> near = sum(c * u ** (n + 1) for n, c in enumerate(angle_terms(7)))
    >>> bool(abs(near - np.arccos(1 - u) ** 2) < 2e-7)
    True
    """
    u = 0.5 - 0.5 * np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    values = np.arccos(1.0 - u) ** 2 / u
    return tuple(np.polynomial.polynomial.polyfit(u, values, degree).tolist())
