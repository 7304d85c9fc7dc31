"""Every call by its name: what it takes, what it answers, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_type_hints

from segue.studio import calls_of_clips, calls_of_graphs, calls_of_motions, calls_of_transitions
from segue.studio.messages import Message


@dataclass(frozen=True)
class Call:
    """A function of the studio and one message, with the kinds of its messages."""

    function: Callable[..., Message]
    ask: type[Message]
    answer: type[Message]

    @staticmethod
    def of(function: Callable[..., Message]) -> Call:
        """Call of a function; its annotations say the kinds.

        Examples
        --------
        >>> Call.of(calls_of_motions.jobs).answer.__name__
        'JobsView'
        """
        hints = get_type_hints(function)
        return Call(function, hints["ask"], hints["return"])


_FUNCTIONS: dict[str, Callable[..., Message]] = {
    "project": calls_of_clips.project,
    "clip": calls_of_clips.clip,
    "label": calls_of_clips.label,
    "tag": calls_of_clips.tag,
    "roles": calls_of_clips.set_roles,
    "compare": calls_of_transitions.compare,
    "threshold": calls_of_transitions.threshold,
    "poses": calls_of_transitions.poses,
    "curves": calls_of_transitions.curves,
    "cross": calls_of_transitions.crossing,
    "build": calls_of_graphs.build,
    "graph": calls_of_graphs.graph,
    "walk": calls_of_graphs.walk,
    "floor": calls_of_graphs.floor,
    "measures": calls_of_motions.measures,
    "export": calls_of_motions.export,
    "jobs": calls_of_motions.jobs,
    "cancel": calls_of_motions.cancel,
}
CALLS: dict[str, Call] = {name: Call.of(function) for name, function in _FUNCTIONS.items()}
"""Names as the page asks for them: ``POST /api/NAME``."""
