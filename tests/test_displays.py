"""The display of a motion in a notebook: the last one registered, or none."""

from __future__ import annotations

import pytest

from segue import displays


def test_the_last_registered_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """An object calls the function registered last; without one it has no HTML."""
    monkeypatch.setattr(displays, "_registered", [])
    thing = displays.Displayed()
    assert thing._repr_html_() is None
    displays.register(lambda _: "one")
    displays.register(lambda asked: f"two {asked is thing}")
    assert thing._repr_html_() == "two True"
