"""The joint-angle cost as an expression over arrays: the same polynomial, said once for any library."""

from __future__ import annotations

from typing import Any

from segue.costs.engine.array_api import Arrays, Formula


def joint_angles(tiles: Any) -> Formula:
    """Costs from the features of the joint-angle cost's tiles, in float32."""
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
