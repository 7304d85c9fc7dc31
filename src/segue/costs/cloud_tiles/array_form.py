"""Point-cloud costs as expressions over arrays: the formulas of `strips` and `supported`, said once for any library."""

from __future__ import annotations

from typing import Any

import numpy as np

from segue.arrays import Costs, Floats
from segue.costs.engine.array_api import Arrays, Formula, windowed

_LEAST = 1e-12
"""Weight of windows that no clip has, so that nothing is divided by zero there."""


def fixed(tiles: Any) -> Formula:
    """Costs of constant weights, from `segue.costs.cloud_tiles.strips.FixedTiles`."""
    taps = tuple(float(weight) for weight in tiles.taps)
    reach = len(taps) - 1
    sides = []
    for ground, height, windows in (tiles.rows, tiles.columns):
        x, z = ground[:, 0::3], ground[:, 1::3]
        px, pz, rise = np.hsplit(windows[:, 2:], 3)
        made = {
            "ground": (x, z),
            "turned": (z, -x),
            "path": (px, pz),
            "turned_path": (pz, -px),
            "height": (height,),
        }
        made |= {"rise": (rise,), "window": (windows[:, :2],)}
        sides.append({name: np.hstack(parts) for name, parts in made.items()})
    rows, columns = sides

    def costs(xp: Any, a: Arrays, b: Arrays) -> Any:
        def sums(one: str, other: str, way: str, way_too: str) -> Any:
            frames = windowed(a[one] @ b[other].T, taps, reach)
            return frames + _cut(a[way], reach) @ _cut(b[way_too], reach).T

        same = sums("ground", "ground", "path", "path")
        cross = sums("ground", "turned", "path", "turned_path")
        along = sums("height", "height", "rise", "rise") + xp.sqrt(same * same + cross * cross)
        here, there = _cut(a["window"], reach), _cut(b["window"], reach)
        lift = here[:, 1:] - there[:, 1:].T
        return xp.clip(here[:, :1] + there[:, :1].T + lift * lift - 2.0 * along, 0.0, None)

    return Formula(costs, rows, columns, reach, each=8)


def _cut(array: Any, reach: int) -> Any:
    """Rows without those that only windows reach."""
    return array[: array.shape[0] - reach, ...]


def supported(tiles: Any, sides: tuple[Any, Any]) -> Formula:
    """Costs whose weights change, from `segue.costs.cloud_tiles.supported.SupportedTiles` and its two sides."""
    taps = tuple(float(weight) for weight in tiles.taps if weight)
    each = tiles.moments_each
    a, b = (_frames(side, tiles.constant, each, taps, tiles.slid_in) for side in sides)
    rows = {
        "same": np.hstack([a["weighed"], a["ground"]]),
        "height": np.hstack([a["weighed_height"], a["level"], a["squares"], a["friction"]]),
        "places": a["places"],
        "friction": a["friction"],
        "at": a["at"],
    }
    turned, held = (_quarter(b[name]) for name in ("ground", "supported"))
    columns = {
        "same": np.hstack([b["ground"], b["supported"]]),
        "cross": np.hstack([turned, held]),
        "height": np.hstack([-2.0 * b["level"], -2.0 * b["supported_height"], b["friction"], b["squares"]]),
        "places": b["places"],
        "friction": b["friction"],
        "at": b["at"],
    }
    reach = len(taps) - 1

    def costs(xp: Any, a: Arrays, b: Arrays) -> Any:
        return _aligned(xp, _window_sums(a, b, taps, reach), _cut(a["at"], reach), _cut(b["at"], reach))

    return Formula(costs, rows, columns, reach, each=40)


def _quarter(ground: Costs) -> Costs:
    """Ground places x, z as -z, x."""
    half = ground.shape[1] // 2
    return np.hstack([-ground[:, half:], ground[:, :half]])


def _frames(
    side: Any, constant: Floats, each: int, taps: tuple[float, ...], slid_in: type
) -> dict[str, Costs]:
    """What a side's frames bring to the sums over pairs: places and squares, by what they weigh by themselves."""
    friction, at = side.laid("supports"), side.laid("row")
    x, z, y = (side.laid("moments")[:, axis].astype(np.float64) for axis in range(3))
    spare = x.shape[1] - constant.size * each

    def spread(weights: Floats) -> Floats:
        return np.pad(np.repeat(weights, each, axis=1), ((0, 0), (0, spare)))

    full, held = spread(constant + friction), spread(friction)
    windows = np.zeros(len(at))
    # Weights of a window: rows bring the constant part, columns only what they support.
    for o, weight in enumerate(taps):
        windows[: len(at) - o] += weight * at[o:, 0]
    share = float(constant.sum())
    single = {
        "ground": np.hstack([x, z]),
        "weighed": np.hstack([full * x, full * z]),
        "supported": np.hstack([held * x, held * z]),
        "level": y,
        "weighed_height": full * y,
        "supported_height": held * y,
        "squares": side.laid("squares"),
        "friction": friction,
        "places": np.hstack([x[:, : constant.size * each : each], z[:, : constant.size * each : each]]),
    }
    made: dict[str, Costs] = {name: part.astype(np.float32) for name, part in single.items()}
    made["at"] = np.column_stack([at, windows, np.full(len(at), share)]).astype(slid_in)
    return made


def _window_sums(a: Arrays, b: Arrays, taps: tuple[float, ...], reach: int) -> tuple[Any, ...]:
    """Sums of windows from the clips' origins: X, Z of both sides, products, crosses, squares."""
    parts = a["friction"].shape[1]
    fa, fb = a["friction"], b["friction"]
    rx, rz = (a["places"][:, k * parts : (k + 1) * parts] @ fb.T for k in (0, 1))
    tx, tz = (fa @ b["places"][:, k * parts : (k + 1) * parts].T for k in (0, 1))
    wa, ox, oz, squares_a, share = (a["at"][:, k : k + 1] for k in (0, 1, 2, 3, 5))
    wb, dx, dz, squares_b = (b["at"][:, k : k + 1].T for k in range(4))
    weight = wa + (wb - share)
    here_x, here_z = rx + weight * ox, rz + weight * oz
    there_x, there_z = tx + weight * dx, tz + weight * dz
    same = a["same"] @ b["same"].T + (here_x * dx + here_z * dz) + (ox * tx + oz * tz)
    cross = a["same"] @ b["cross"].T + (here_z * dx - here_x * dz) + (oz * tx - ox * tz)
    mine = ox * (rx + here_x) + oz * (rz + here_z)
    theirs = dx * (tx + there_x) + dz * (tz + there_z)
    apart = (a["height"] @ b["height"].T + squares_a + squares_b) + (mine + theirs)
    return tuple(
        windowed(part, taps, reach) for part in (here_x, here_z, there_x, there_z, same, cross, apart)
    )


def _aligned(xp: Any, sums: tuple[Any, ...], here: Any, there: Any) -> Any:
    """Costs of windows best aligned: S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|."""
    x, z, u, v, same, cross, apart = sums
    weight = xp.clip(here[:, 4:5] + (there[:, 4:5] - there[:, 5:6]).T, _LEAST, None)
    least = apart - (x * x + z * z + u * u + v * v) / weight
    along = same - (x * u + z * v) / weight
    across = cross - (z * u - x * v) / weight
    return xp.clip(least - 2.0 * xp.sqrt(along * along + across * across), 0.0, None)
