"""Finished live runs: each is recorded, and can be replayed, kept and exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.errors import SettingError
from segue.studio.messages import Nothing
from segue.studio.motion_messages import MotionRef
from segue.studio.run_messages import RunAsk, RunsView, RunView
from segue.studio.state import Studio

if TYPE_CHECKING:
    from segue.studio.characters import Seated
    from segue.studio.sequence_characters import LivePlayer

SHORTEST_RUN = 1.0
"""Least seconds of a run that is recorded."""


def run_view(number: int, one: Seated | LivePlayer) -> RunView:
    """Return a run as a message."""
    return RunView(number, one.title, one.live.seconds, one.controller)


def runs(studio: Studio, ask: Nothing) -> RunsView:
    """Return the recorded runs of this session, the newest first."""
    del ask
    return RunsView([run_view(number, one) for number, one in studio.runs.newest()])


def play_run(studio: Studio, ask: RunAsk) -> MotionRef:
    """Make the motion of a run, from its seed and commands."""
    one = studio.runs.get(ask.run)
    if one is None:
        raise SettingError("this run is not in memory any more; the newest ones are")
    return studio.keep(one.made())
