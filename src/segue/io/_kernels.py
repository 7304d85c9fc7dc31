"""Compiled readers: bytes to numbers, and angles in degrees to rotations."""

import math

import numpy as np
import numpy.typing as npt

from segue.accel.compiler import kernel
from segue.arrays import Floats, Ints, Quaternions

Bytes = npt.NDArray[np.uint8]

_POWERS = np.array([float(f"1e{k}") for k in range(23)])
_EXACT = 2**53
_SIGNED_POWERS = np.array([_POWERS[:8], -_POWERS[:8]])
_TENS = np.array([10**k for k in range(8)], np.uint64)
# Masks of eight bytes: 1, the high bit, "0", the point, and the addend that carries every value above 9 into
# the high bit.
_EACH = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_LAST = np.uint64(0x8000000000000000)
_ZEROS = np.uint64(0x3030303030303030)
_MINUS = np.uint64(45 ^ 48)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_PAST_NINE = np.uint64(0x7676767676767676)
_BIG = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to the nearest integer
_SINES = np.array([(-1.0) ** k / math.factorial(2 * k + 1) for k in range(9)])
_COSINES = np.array([(-1.0) ** k / math.factorial(2 * k) for k in range(9)])


@kernel
def _is_blank(byte: int) -> bool:
    """Whether a byte separates words, as in `str.split`: blank, tab to carriage return, and the four separators."""
    return byte == 32 or (9 <= byte <= 13) or (28 <= byte <= 31)


@kernel
def _number(text: Bytes, at: np.uint64) -> tuple[float, np.uint64, int]:
    """Value of the word at ``at``, index after it, and 0; 1 if float() must read it, 2 if it is not a number.

    The text must end with a line end, which stops every loop. For up to 15 digits (whole part and decimals as
    one integer, at most 2^53) and a power of ten up to 10^22, both factors are exact in double precision: one
    rounding is made, and the result equals float()'s.
    """
    i = at
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += np.uint64(1)
    mantissa = 0
    first = i
    while True:
        digit = int(np.int64(text[i])) - 48
        if digit < 0 or digit > 9:
            break
        mantissa = 10 * mantissa + digit
        i += np.uint64(1)
    digits = int(np.int64(i)) - int(np.int64(first))
    scale = 0
    if text[i] == 46:
        i += np.uint64(1)
        first = i
        while True:
            digit = int(np.int64(text[i])) - 48
            if digit < 0 or digit > 9:
                break
            mantissa = 10 * mantissa + digit
            i += np.uint64(1)
        scale = int(np.int64(first)) - int(np.int64(i))
        digits += int(np.int64(i)) - int(np.int64(first))
    if digits == 0:
        return 0.0, i, 2
    if not _is_blank(text[i]):
        if text[i] != 101 and text[i] != 69:
            return 0.0, i, 2
        i += np.uint64(1)
        down = text[i] == 45
        if down or text[i] == 43:
            i += np.uint64(1)
        power = 0
        first = i
        while True:
            digit = int(np.int64(text[i])) - 48
            if digit < 0 or digit > 9:
                break
            power = min(10 * power + digit, 99999)
            i += np.uint64(1)
        if i == first or not _is_blank(text[i]):
            return 0.0, i, 2
        scale += -power if down else power
    # More than 18 digits may have overflowed; the mantissa is then invalid.
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
def _digits(text: Bytes, i: np.uint64, mantissa: int) -> tuple[int, np.uint64]:
    """Append the digits from ``i`` to ``mantissa``; return it and the index after them."""
    while True:
        digit = int(np.int64(text[i])) - 48
        if digit < 0 or digit > 9:
            return mantissa, i
        mantissa = 10 * mantissa + digit
        i += np.uint64(1)


@kernel
def _eight(text: Bytes, i: np.uint64) -> np.uint64:
    """Eight bytes as one word, the first lowest; with unsigned indices the compiler loads them in one instruction."""
    word = np.uint64(0)
    for k in range(8):
        word |= np.uint64(text[i + np.uint64(k)]) << np.uint64(8 * k)
    return word


@kernel
def _up_to(marks: np.uint64) -> np.uint64:
    """Number of bytes up to and including the first with its high bit set; the last counts as set."""
    marks = (marks & _HIGH) | _LAST
    return (((marks ^ (marks - np.uint64(1))) & _EACH) * _EACH) >> np.uint64(56)


@kernel
def _up_to_point(word: np.uint64) -> np.uint64:
    """Number of bytes up to and including the first point: XOR makes it 0, and the subtraction borrows there."""
    points = word ^ _POINTS
    return _up_to((points - _EACH) & ~points)


@kernel
def _whole(digits: np.uint64) -> np.uint64:
    """Integer of eight digits, one per byte, the first lowest: adds up pairs, then fours, then all."""
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    return (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)


@kernel
def _joined(
    front: np.uint64, back: np.uint64, n_front: np.uint64, n_back: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Integer of the digits before and after a point, and 0 if all of them are digits.

    ``front`` ends with its digits and has zeros before them; ``back`` begins with ``n_back`` digits.
    """
    spare = (np.uint64(64) - (n_back << np.uint64(3))) & np.uint64(63)
    back = back << spare
    if n_front + n_back <= 8:
        both = (front >> (n_back << np.uint64(3))) | back
        return _whole(both), ((both + _PAST_NINE) | both) & _HIGH
    odd = (front + _PAST_NINE) | front | (back + _PAST_NINE) | back
    return _whole(front) * _TENS[n_back] + _whole(back), odd & _HIGH


@kernel
def _line(
    text: Bytes, start: int, values: Floats, at: int, last: int, guess: int, odd: Ints, n_odd: int
) -> tuple[int, int, int, int]:
    """Read the numbers of a line from ``start`` into ``values[at:last]``.

    The commonest form is read eight bytes at a time: up to six digits with or without a minus sign, a point,
    one to seven digits and a blank. Most files write all numbers with the same number of decimals, so that of
    the last number is tried first. Next come numbers of up to 15 digits with or without a point, digit by
    digit, and then every other form. Returns the index of the line end or of the first word that is not a
    number or is one too many; the index of its value; the last number of decimals, which is the next ``guess``;
    and ``n_odd`` plus the number of words that float() must read. ``odd`` lists these words up to its length.
    """
    i, n_back, swift = np.uint64(start), np.uint64(max(guess, 1)), True
    stop = np.uint64(max(text.shape[0] - 24, 0))
    while True:
        while swift and i < stop and at < last:
            word = _eight(text, i)
            byte = word & np.uint64(255)
            if byte <= 32:
                break
            n_read = _up_to_point(word)
            minus = np.uint64(byte == 45)
            front = (word ^ _ZEROS ^ (minus * _MINUS)) << (
                (np.uint64(72) - (n_read << np.uint64(3))) & np.uint64(63)
            )
            back = _eight(text, i + n_read) ^ _ZEROS
            n_front = n_read - np.uint64(1) - minus
            joined, wrong = _joined(front, back, n_front, n_back)
            if wrong != 0 or not _is_blank(text[i + n_read + n_back]):
                n_back = _up_to((back + _PAST_NINE) | back) - np.uint64(1)
                joined, wrong = _joined(front, back, n_front, n_back)
                if wrong != 0 or n_back == 0 or not _is_blank(text[i + n_read + n_back]):
                    break
            if n_read == 1 or n_read == 8:
                break
            values[at] = float(np.int64(joined)) / _SIGNED_POWERS[minus, n_back]
            at += 1
            i += n_read + n_back
            if text[i] == 10:
                return int(np.int64(i)), at, int(np.int64(n_back)), n_odd
            i += np.uint64(1)
        if _is_blank(text[i]) and text[i] != 10:
            i += np.uint64(1)
            continue
        if text[i] == 10 or at == last:
            return int(np.int64(i)), at, int(np.int64(n_back)), n_odd
        begin = i
        i += np.uint64(text[i] == 45)
        first, n_back = i, np.uint64(0)
        mantissa, i = _digits(text, i, 0)
        n_digits = i - first
        if text[i] == 46:
            first = i + np.uint64(1)
            mantissa, i = _digits(text, first, mantissa)
            n_back = i - first
        if 0 < n_digits + n_back <= 15 and _is_blank(text[i]):
            value = float(mantissa) / _POWERS[n_back]
            values[at] = -value if text[begin] == 45 else value
            swift = bool(0 < n_back < 8)
        else:
            values[at], i, kind = _number(text, begin)
            if kind == 2:
                return int(np.int64(begin)), at, 0, n_odd
            if kind == 1 and n_odd < odd.shape[0]:
                odd[n_odd, 0], odd[n_odd, 1], odd[n_odd, 2] = begin, i, at
            n_odd += kind
            swift = False
        n_back &= np.uint64(7)
        at += 1


@kernel
def number_lines(
    text: Bytes, names: Bytes, stops: Ints, counts: Ints, values: Floats, odd: Ints
) -> tuple[int, int, bool]:
    """Fill ``values`` (R, C) from lines that repeat in groups of K: one row per group, C numbers in all.

    Line k of a group holds its name (bytes of ``names`` up to ``stops[k]``; none if empty) and then
    ``counts[k]`` numbers; lines without words are skipped. The text must end with a line end, which stops the
    inner loops. Returns the number of rows, how many words float() must read (start, stop and flat index in
    ``odd``, up to its length), and whether every line was as expected; if not, the other results are invalid.
    """
    flat = values.reshape(-1)
    line, at, last, n_odd, guess, i = 0, 0, 0, 0, 6, 0
    while i < text.shape[0]:
        if _is_blank(text[i]):
            i += 1
            continue
        k = stops[line - 1] if line > 0 else 0
        named = k < stops[line]
        while k < stops[line] and text[i] == names[k]:
            k += 1
            i += 1
        last += counts[line]
        if last > flat.shape[0] or (named and (k < stops[line] or not _is_blank(text[i]))):
            return 0, n_odd, False
        i, at, guess, n_odd = _line(text, i, flat, at, last, guess, odd, n_odd)
        if text[i] != 10 or at != last:
            return 0, n_odd, False
        line = (line + 1) % stops.shape[0]
    return last // values.shape[1], n_odd, line == 0


@kernel
def turned(values: Floats, columns: Ints, axes: Ints, out: Quaternions) -> None:
    """Fill ``out`` (F, J, 4) with rotations of angles in degrees (F, C).

    Joint j rotates about ``axes[j]`` by ``columns[j]``, (J, 3) each. The first axis is outermost; an axis of
    -1 ends the list. Multiples of 90 degrees of the half angle are subtracted in degrees, where that is
    exact; the remainder is within 45 degrees, where the series of sine and cosine to about the 18th power are
    exact to the last digit or two.
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
