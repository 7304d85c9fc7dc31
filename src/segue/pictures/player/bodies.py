"""Skeleton and skinned figure in few bytes, from which the player builds a character.

`segue.io.mannequin` makes the same figure for every file that holds a body. ``client/stage/src/bodies.ts`` reads this
format.
"""

from __future__ import annotations

import base64
import zlib
from functools import lru_cache
from typing import Any

import numpy as np

from segue.errors import SettingError
from segue.io.mannequin import mannequin
from segue.motion.skeleton import Skeleton

_MOST = 65535  # vertices: indices are 16 bits


@lru_cache(maxsize=64)
def packed_body(skeleton: Skeleton, *, human: bool = True) -> dict[str, Any]:
    """Pack skeleton and figure as a document for a page.

    Parameters
    ----------
    skeleton
        Skeleton of the body.
    human
        Whether a human skeleton gets a human body instead of round bones.

    Returns
    -------
    dict
        ``names``, ``parents``, ``offsets`` (3 a joint, metres), ``vertices``, ``triangles``, ``step`` (metres of one
        integer unit) and ``data``: deflated arrays as base64, in the order given by ``PackedBody`` of the stage.

    Raises
    ------
    SettingError
        If the figure has more than 65,535 vertices.

    Examples
    --------
    >>> import segue
    >>> body = packed_body(segue.sample("walk").skeleton)
    >>> body["vertices"] > 1000, len(body["offsets"]) == 3 * len(body["names"])
    (True, True)
    """
    figure = mannequin(skeleton, human=human)
    count = len(figure.positions)
    if count > _MOST:
        msg = f"a figure of {count} vertices is too large for a page; {_MOST} fit"
        raise SettingError(msg)
    step = float(max(np.abs(figure.positions).max(), 1e-3)) / 32767.0
    arrays = (
        np.rint(figure.positions / step).astype("<i2"),
        np.rint(figure.normals * 127.0).astype("<i1"),
        figure.joints.astype("<u2"),
        np.rint(figure.weights[:, 0] * 255.0).astype("<u1"),
        figure.parts.astype("<u1"),
        figure.triangles.astype("<u2"),
    )
    content = b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)
    return {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": np.round(skeleton.offsets, 9).ravel().tolist(),
        "vertices": count,
        "triangles": len(figure.triangles),
        "step": step,
        "data": base64.b64encode(zlib.compress(content, 9)).decode(),
    }
