"""Exact frame rates: the rate that a file's rounded frame time represents, and the digits to write back."""

from __future__ import annotations

from segue.io.text import decimal

KNOWN = (24, 25, 30, 50, 60, 72, 90, 100, 120, 240)
"""Rates of cameras and capture systems; each also as n·1000/1001 (29.97 is 30000/1001)."""


def _decimals(digits: str) -> int:
    """Number of decimals of a number as text, including its exponent."""
    mantissa, _, exponent = digits.lower().partition("e")
    return max(len(mantissa.partition(".")[2]) - (int(exponent) if exponent and len(exponent) < 9 else 0), 0)


def rate_of(digits: str) -> float:
    """Return the frame rate that the digits of a frame time in seconds represent.

    If the frame time of a known rate rounds to exactly these digits, it is that rate; of several, the
    nearest. Otherwise it is the reciprocal, rounded to three decimals if the rounded rate has the same digits
    of frame time (0.0417083750417 is 23.976).

    Examples
    --------
    >>> rate_of(".0083333"), rate_of("0.033367"), rate_of("0.025")
    (120.0, 29.97002997002997, 40.0)
    """
    seconds = float(digits)
    decimals = _decimals(digits)
    rates = [float(n) for n in KNOWN] + [n * 1000 / 1001 for n in KNOWN]
    fitting = [rate for rate in rates if round(1.0 / rate, decimals) == seconds]
    plain = 1.0 / seconds
    if fitting:
        return min(fitting, key=lambda rate: abs(rate - plain))
    short = round(plain, 3)
    near = abs(short - plain) < 1e-6 * plain
    return short if near and round(1.0 / short, decimals) == seconds else plain


def digits_of(fps: float, *, own: str = "") -> str:
    """Digits of the frame time of a rate: the file's ``own`` if they represent it, else enough to recover it.

    Examples
    --------
    >>> digits_of(120.0, own=".0083333"), digits_of(30.0, own=".0083333")
    ('.0083333', '0.03333333')
    """
    if own and rate_of(own) == fps:
        return own
    short = f"{1.0 / fps:.8f}"
    return short if float(short) > 0 and rate_of(short) == fps else decimal(repr(1.0 / fps))
