"""Compiled reading: bytes to numbers, and angles in degrees to rotations."""

import math

import numpy as np
import numpy.typing as npt

from segue._jit import kernel
from segue.arrays import Floats, Ints, Quaternions

Bytes = npt.NDArray[np.uint8]

_POWERS = np.array([float(f"1e{k}") for k in range(23)])
_EXACT = 2**53
_BIG = 6755399441055744.0  # 1.5 * 2^52: adding and taking it away rounds to the nearest whole number
_SINES = np.array([(-1.0) ** k / math.factorial(2 * k + 1) for k in range(9)])
_COSINES = np.array([(-1.0) ** k / math.factorial(2 * k) for k in range(9)])


@kernel
def _is_blank(byte: int) -> bool:
    """What splits words: blank, tab to carriage return, and the four separators, as for Python's split."""
    return byte == 32 or (9 <= byte <= 13) or (28 <= byte <= 31)


@kernel
def _number(text: Bytes, at: int) -> tuple[float, int, int]:
    """Value of the word at ``at``, index behind what was read, and 0; 1 where float() must read it, 2 for no number.

    The text must end with a line end, which stops every loop. A number of up to 15 digits (whole part and decimals
    as one whole number up to 2^53) times or over a power of ten up to 10^22 has both parts exact in double
    precision, so that one rounding is made: the result is float()'s.
    """
    i = at
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    mantissa = 0
    first = i
    while True:
        digit = int(np.int64(text[i])) - 48
        if digit < 0 or digit > 9:
            break
        mantissa = 10 * mantissa + digit
        i += 1
    digits = i - first
    scale = 0
    if text[i] == 46:
        i += 1
        first = i
        while True:
            digit = int(np.int64(text[i])) - 48
            if digit < 0 or digit > 9:
                break
            mantissa = 10 * mantissa + digit
            i += 1
        scale = first - i
        digits += i - first
    if digits == 0:
        return 0.0, i, 2
    if not _is_blank(text[i]):
        if text[i] != 101 and text[i] != 69:
            return 0.0, i, 2
        i += 1
        down = text[i] == 45
        if down or text[i] == 43:
            i += 1
        power = 0
        first = i
        while True:
            digit = int(np.int64(text[i])) - 48
            if digit < 0 or digit > 9:
                break
            power = min(10 * power + digit, 99999)
            i += 1
        if i == first or not _is_blank(text[i]):
            return 0.0, i, 2
        scale += -power if down else power
    # More than 18 digits may have run over; then the whole number means nothing.
    if digits > 18 or mantissa > _EXACT:
        return 0.0, i, 1
    value = float(mantissa)
    if scale < 0:
        if scale < -22:
            return 0.0, i, 1
        value /= _POWERS[-scale]
    elif scale > 0:
        if scale > 22:
            return 0.0, i, 1
        value *= _POWERS[scale]
    return (-value if negative else value), i, 0


@kernel
def _digits(text: Bytes, i: int, mantissa: int) -> tuple[int, int]:
    """Whole number that goes on with the digits from ``i``, and where they end."""
    while True:
        digit = int(np.int64(text[i])) - 48
        if digit < 0 or digit > 9:
            return mantissa, i
        mantissa = 10 * mantissa + digit
        i += 1


@kernel
def number_lines(
    text: Bytes, names: Bytes, stops: Ints, counts: Ints, values: Floats, odd: Ints
) -> tuple[int, int, bool]:
    """Fill ``values`` (R, C) from lines that come in rounds of K: a row a round, C numbers in all.

    Line k of a round holds its name (bytes of ``names`` up to ``stops[k]``; none if that is empty) and then
    ``counts[k]`` numbers; lines without words do not count. The text must end with a line end, which stops the inner
    loops. Returns the number of rows, how many words float() must read (start, stop and flat place of each in ``odd``),
    and whether every line was as expected; if not, or if ``odd`` is full, the rest means nothing.
    """
    rows, columns = values.shape
    row, line, column, n_odd, i = 0, 0, 0, 0, 0
    while i < text.shape[0]:
        if _is_blank(text[i]):
            i += 1
            continue
        k = stops[line - 1] if line > 0 else 0
        named = k < stops[line]
        while k < stops[line] and text[i] == names[k]:
            k += 1
            i += 1
        if row == rows or (named and (k < stops[line] or not _is_blank(text[i]))):
            return row, n_odd, False
        last = column + counts[line]
        while text[i] != 10:
            if _is_blank(text[i]):
                i += 1
                continue
            if column == last:
                return row, n_odd, False
            # The common form is read here, where it costs no call: up to 15 digits with or without a point.
            start = i
            i += text[i] == 45
            first, decimals = i, 0
            mantissa, i = _digits(text, i, 0)
            digits = i - first
            if text[i] == 46:
                point = i + 1
                mantissa, i = _digits(text, point, mantissa)
                decimals = i - point
            if 0 < digits + decimals <= 15 and _is_blank(text[i]):
                value = float(mantissa) / _POWERS[decimals]
                values[row, column] = -value if first > start else value
            else:
                value, i, kind = _number(text, start)
                if kind == 2:
                    return row, n_odd, False
                if kind == 1:
                    if n_odd == odd.shape[0]:
                        return row, n_odd, False
                    odd[n_odd, 0], odd[n_odd, 1], odd[n_odd, 2] = start, i, row * columns + column
                    n_odd += 1
                values[row, column] = value
            column += 1
        if column != last:
            return row, n_odd, False
        line += 1
        if line == stops.shape[0]:
            row += 1
            line = 0
            column = 0
    return row, n_odd, line == 0


@kernel
def turned(values: Floats, columns: Ints, axes: Ints, out: Quaternions) -> None:
    """Fill ``out`` (F, J, 4) with rotations of angles in degrees (F, C).

    Joint j turns about ``axes[j]`` by ``columns[j]``, (J, 3) each. The first axis is outermost; an axis of -1 ends the
    list. Whole quarter turns of the half angle are taken off in degrees, where that is exact; what is left is within
    45 degrees, where the sine's and cosine's series to the 18th power are exact to the last digit or two.
    """
    n_frames, n_channels = values.shape
    n_joints = columns.shape[0]
    sines = np.empty(n_channels)
    cosines = np.empty(n_channels)
    to_half = math.pi / 360.0
    for f in range(n_frames):
        for c in range(n_channels):
            angle = values[f, c]
            quarter = (angle / 180.0 + _BIG) - _BIG
            h = (angle - 180.0 * quarter) * to_half
            h2 = h * h
            s = _SINES[8]
            t = _COSINES[8]
            for k in range(7, -1, -1):
                s = s * h2 + _SINES[k]
                t = t * h2 + _COSINES[k]
            s *= h
            half = 0.5 * quarter
            odd = 2.0 * abs(half - ((half + _BIG) - _BIG))
            pair = 0.5 * (quarter - odd)
            sign = 1.0 - 4.0 * abs(0.5 * pair - ((0.5 * pair + _BIG) - _BIG))
            sines[c] = sign * (s * (1.0 - odd) + t * odd)
            cosines[c] = sign * (t * (1.0 - odd) - s * odd)
        for j in range(n_joints):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for k in range(3):
                axis = axes[j, k]
                if axis < 0:
                    break
                s, t = sines[columns[j, k]], cosines[columns[j, k]]
                if axis == 0:
                    w, x, y, z = w * t - x * s, w * s + x * t, y * t + z * s, z * t - y * s
                elif axis == 1:
                    w, x, y, z = w * t - y * s, x * t - z * s, w * s + y * t, z * t + x * s
                else:
                    w, x, y, z = w * t - z * s, x * t + y * s, y * t - x * s, w * s + z * t
            out[f, j, 0], out[f, j, 1], out[f, j, 2], out[f, j, 3] = w, x, y, z
