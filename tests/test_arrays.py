"""Stored arrays are read-only, and copied only if somebody could still write to them."""

from __future__ import annotations

import numpy as np

from segue.arrays import frozen, sealed


def test_an_array_that_can_be_written_to_is_copied():
    """Later writes by the caller do not reach the stored array."""
    mine = np.zeros(3)
    held = frozen(mine)
    mine[0] = 1.0
    assert held.tolist() == [0.0, 0.0, 0.0]
    assert not held.flags.writeable


def test_a_sealed_array_is_held_as_it_is():
    """An array without any writer is not copied."""
    mine = sealed(np.zeros(3))
    assert frozen(mine) is mine


def test_a_read_only_view_is_copied():
    """The array behind a view may still be written to."""
    base = np.zeros((2, 3))
    view = base[0]
    view.flags.writeable = False
    held = frozen(view)
    base[0, 0] = 1.0
    assert held[0] == 0.0


def test_another_kind_of_number_is_copied():
    """Stored arrays have the requested type."""
    assert frozen(sealed(np.zeros(2)), np.int64).dtype == np.int64
