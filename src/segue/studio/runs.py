"""Live runs that are over: each is recorded, and can be played again, kept and exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.errors import SettingError
from segue.studio.messages import Nothing
from segue.studio.motion_messages import MotionRef
from segue.studio.run_messages import RunAsk, RunsView, RunView
from segue.studio.state import Studio

if TYPE_CHECKING:
    from segue.studio.characters import Seated

SHORTEST_RUN = 1.0
"""Seconds; shorter runs are not listed."""


def run_view(number: int, one: Seated) -> RunView:
    """A run as the page lists it."""
    return RunView(number, one.title, one.live.seconds, one.controller)


def runs(studio: Studio, ask: Nothing) -> RunsView:
    """Runs of this session that are recorded, the newest first."""
    del ask
    return RunsView([run_view(number, one) for number, one in studio.runs.newest()])


def play_run(studio: Studio, ask: RunAsk) -> MotionRef:
    """Play a run again: the same seed, the same commands, as a motion."""
    one = studio.runs.get(ask.run)
    if one is None:
        raise SettingError("this run is not in memory any more; the newest ones are")
    return studio.keep(one.made())
