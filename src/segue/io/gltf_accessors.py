"""glTF accessors: typed numbers from buffers, with strides, sparse values and normalised integers.

Sizes are checked before allocation, and the total decoded size stays in proportion to the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.io.gltf_document import At, Document

_COMPONENTS: dict[int, tuple[str, float]] = {
    5120: ("<i1", 127.0),
    5121: ("<u1", 255.0),
    5122: ("<i2", 32767.0),
    5123: ("<u2", 65535.0),
    5125: ("<u4", 4294967295.0),
    5126: ("<f4", 0.0),
}
"""By component type: its layout, and the integer that means 1 in normalised values."""
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_ALLOWANCE = 16 * 2**20
_TIMES_FILE = 8
_COMPRESSED = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def accessor(document: Document, index: At, *, kind: str, count: int | None = None) -> Floats:
    """Decode the values (n, width) of an accessor as float64.

    Parameters
    ----------
    document
        The file.
    index
        The JSON value that holds the accessor's index.
    kind
        The required type: ``"SCALAR"``, ``"VEC3"``, ``"VEC4"``, ``"MAT4"``.
    count
        The required number of elements.

    Raises
    ------
    FileError
        If it differs from the required type or count, exceeds its bytes, or holds values that are not finite.
    """
    at = document.root.get("accessors").item(index.integer())
    text = at.get("type").text()
    if text != kind:
        raise at.get("type").error(f"is {text!r}; {index.where} needs {kind}")
    n = at.get("count").integer(low=1)
    if count is not None and n != count:
        raise at.get("count").error(f"is {n}; {index.where} needs {count}")
    layout, one = _component(at.get("componentType"))
    width = _WIDTHS[kind]
    _spend(document, at, n * width * 8)
    if at.get("bufferView").value is not None:
        with np.errstate(invalid="ignore"):  # a signalling NaN is reported below
            values = _viewed(document, at, layout, n, width).astype(np.float64)
    else:
        _check_zeros(at, n, count)
        values = np.zeros((n, width))
    if at.get("sparse").value is not None:
        _put_sparse(document, at, values, layout)
    if at.get("normalized").value and one:
        values = np.maximum(values / one, -1.0)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise at.error(f"holds a value that is no finite number in element {row}")
    return values


def _component(at: At) -> tuple[str, float]:
    code = at.integer()
    if code not in _COMPONENTS:
        raise at.error(f"is {code}; it must be one of {', '.join(map(str, _COMPONENTS))}")
    return _COMPONENTS[code]


def _spend(document: Document, at: At, size: int) -> None:
    """Reject a file whose accessors claim far more numbers than it holds bytes."""
    document.decoded += size
    if document.decoded > _ALLOWANCE + _TIMES_FILE * document.size:
        raise at.error("asks for many times more numbers than the file holds bytes; that is no honest file")


def _check_zeros(at: At, n: int, count: int | None) -> None:
    """Reject an accessor without buffer view (all values are zero) unless another accessor gives its count."""
    if count is None and n > 1:
        raise at.error("has no bufferView: all its values would be zero")


def _viewed(document: Document, at: At, layout: str, n: int, width: int) -> npt.NDArray[Any]:
    """View of elements (n, width) in the buffer; ``at`` names a bufferView and a byteOffset."""
    view = document.root.get("bufferViews").item(at.get("bufferView").integer())
    extensions = view.get("extensions").value
    packed = next((name for name in _COMPRESSED if isinstance(extensions, dict) and name in extensions), None)
    if packed:
        raise view.error(f"is compressed by {packed}; save the file without compression")
    content = document.buffer(view.get("buffer").integer())
    start, length = view.get("byteOffset").integer(0), view.get("byteLength").integer(low=1)
    if start + length > len(content):
        raise view.error(f"reaches to byte {start + length} of a buffer of {len(content)} bytes")
    size = np.dtype(layout).itemsize * width
    stride = view.get("byteStride").integer(size, low=1)
    if stride < size:
        raise view.get("byteStride").error(f"is {stride}; one element of {at.where} takes {size} bytes")
    offset = at.get("byteOffset").integer(0)
    need = offset + (n - 1) * stride + size
    if need > length:
        raise at.error(
            f"needs {need} bytes of {view.where} (bytes {start} to {start + length}); it has {length}"
        )
    return np.ndarray(
        (n, width), layout, content, offset=start + offset, strides=(stride, np.dtype(layout).itemsize)
    )


def _put_sparse(document: Document, at: At, values: Floats, layout: str) -> None:
    sparse = at.get("sparse")
    count = sparse.get("count").integer(low=1)
    if count > len(values):
        raise sparse.get("count").error(f"is {count} of {len(values)} elements")
    where = sparse.get("indices")
    kind, one = _component(where.get("componentType"))
    if not one or kind.startswith("<i"):
        raise where.get("componentType").error("must be an unsigned integer type")
    rows = _viewed(document, where, kind, count, 1)[:, 0].astype(np.int64)
    if rows.max() >= len(values):
        raise where.error(f"names element {int(rows.max())} of {len(values)}")
    values[rows] = _viewed(document, sparse.get("values"), layout, count, values.shape[1])
