"""The studio's page in Debian's Chromium with nothing to show, or after an error."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

import segue
from browser_pages import chromium, worked
from shown import shown


def test_each_state_says_what_happened_and_what_to_do(tmp_path: Path) -> None:
    """No clip, no legs, an unreadable file, a failing job, a wrong file and a wrong token give a sentence each."""
    chromium()
    pytest.importorskip("starlette")
    states, studio_of = shown("_states"), shown("_studio").studio_of
    with segue.Library.open(tmp_path / "empty.segue"):
        pass
    states.write_tail(tmp_path / "tail")
    with ExitStack() as open_now:
        empty, tail = (
            open_now.enter_context(studio_of(tmp_path / name, tmp_path / "out")).url
            for name in ("empty.segue", "tail")
        )
        visits = [
            states.empty_library(empty),
            states.no_legs(tail),
            states.not_motion(tail),
            states.wrong_token(empty),
        ]
        order = {"visits": [visit for visit, _ in visits], "pictures": os.environ.get("SEGUE_PICTURES")}
        seen = worked("steps.mjs", order)
    assert not states.missing_sentences(visits, seen["words"])
