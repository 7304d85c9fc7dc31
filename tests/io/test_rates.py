"""Frame rates: the digits of a file represent an exact rate and are written back unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.io.rates import KNOWN, digits_of, rate_of


@pytest.mark.parametrize(
    ("digits", "rate"),
    [
        (".0083333", 120.0),
        ("0.008333", 120.0),
        ("0.0083333", 120.0),
        ("0.041667", 24.0),
        ("0.0416667", 24.0),
        ("0.016667", 60.0),
        ("0.016666666666666666", 60.0),
        ("0.010000", 100.0),
        ("1e-2", 100.0),
        ("0.033367", 30000 / 1001),
        ("0.0333667", 30000 / 1001),
        ("0.0333333", 30.0),
        ("0.0417083750417", 23.976),
        ("0.025", 40.0),
        ("0.1", 10.0),
        ("0.0041667", 240.0),
    ],
)
def test_digits_stand_for_exact_rates(digits: str, rate: float) -> None:
    """Digits as exporters write them give the exact rate."""
    assert rate_of(digits) == rate


@given(st.sampled_from([*KNOWN, *[n * 1000 / 1001 for n in KNOWN]]), st.integers(6, 12))
def test_known_rates_survive_rounding(rate: float, decimals: int) -> None:
    """Every known rate is distinguished from its neighbours at six decimals and more."""
    assert rate_of(f"{1 / rate:.{decimals}f}") == rate


@given(st.floats(0.5, 2000))
def test_any_rate_comes_back(rate: float) -> None:
    """Digits written for a rate give that rate, exactly or to the last bits of a double."""
    assert rate_of(digits_of(rate)) == pytest.approx(rate, rel=1e-12)


@given(st.sampled_from(KNOWN))
def test_own_digits_are_kept_only_for_their_rate(rate: int) -> None:
    """A file's digits are written again for its own rate only."""
    own = f"{1 / rate:.6f}"
    assert digits_of(float(rate), own=own) == own
    assert digits_of(rate + 1.0, own=own) != own
