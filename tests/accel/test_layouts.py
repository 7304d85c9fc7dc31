"""Fields of flat arrays by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.accel.layouts import columns, named, width
from segue.runtime.standing import _kernels as k

LAYOUTS = (k.INDEX, k.TRANSITION_LAYOUT, k.LEG_LAYOUT, k.BODY, k.FOOT, k.STATE, k.COMMAND)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 3))
def test_columns_are_where_names_lead(widths, spare):
    """A value written into a column is read under the field's name, in one row and in several, longer ones."""
    layout = np.dtype([(f"field{n}", "f8", size) for n, size in enumerate(widths)])
    at = columns(layout, " ".join(layout.names))
    assert width(layout) == sum(widths)
    rows = np.arange(3.0 * (sum(widths) + spare)).reshape(3, -1)
    for n, first in enumerate(at):
        assert first == sum(widths[:n])
        for row in range(3):
            expected = rows[row, first : first + widths[n]].tolist()
            assert np.ravel(named(layout, rows)[f"field{n}"][row]).tolist() == expected
            assert np.ravel(named(layout, rows[row])[f"field{n}"]).tolist() == expected


def test_a_view_writes_through():
    """A value written by name is in the array."""
    state = np.zeros(k.ROOM + 5)
    now = named(k.STATE, state)
    now["heading"], now["feet"][1]["tilt"], now["placed"][3] = 1.0, 2.0, 3.0
    assert state[[k.HEADING, k.FEET + k.FOOT_ROW + k.TILT, k.PLACED + 3]].tolist() == [1.0, 2.0, 3.0]
    assert np.count_nonzero(state) == 3


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_have_no_gaps(layout):
    """Every number of a steered character has a name, and fields are contiguous."""
    assert sum(field[0].itemsize for field in layout.fields.values()) == layout.itemsize
    with pytest.raises(KeyError):
        columns(layout, "nothing")
