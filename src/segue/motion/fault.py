"""One thing that is wrong with a clip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["unusable", "warning", "note"]


@dataclass(frozen=True)
class Fault:
    """One fault of a clip: its kind, joints and frames.

    Parameters
    ----------
    kind
        Of frames: ``"dropout"``, ``"glitch"``, ``"held"``, ``"rest_pose"``, ``"lead_in"``, ``"cut"``, ``"frozen"``;
        of the entire clip: ``"repeats"``, ``"rate"``, ``"never_upright"``, ``"sliding"``, ``"jitter"``, ``"floor"``,
        ``"slope"``, ``"drift"``.
    start, stop
        Frames concerned, half open.
    joints
        Names of the joints concerned; empty for the whole body.
    sentence
        Description of the fault.
    severity
        ``"unusable"``: the frames are neither played nor blended. ``"warning"``: something to fix. ``"note"``: for
        information.

    Examples
    --------
    >>> import segue
    >>> segue.find_faults(segue.sample("walk")).found
    ()
    """

    kind: str
    start: int
    stop: int
    joints: tuple[str, ...]
    sentence: str
    severity: Severity = "unusable"


def frames_in_words(start: int, stop: int) -> str:
    """Describe a half-open frame range in words.

    Examples
    --------
    >>> frames_in_words(3, 4), frames_in_words(3, 6)
    ('frame 3', 'frames 3 to 5')
    """
    return f"frame {start}" if stop - start == 1 else f"frames {start} to {stop - 1}"


def joints_in_words(names: tuple[str, ...], verb: str) -> str:
    """Join up to four joint names, then the number of further ones, with a verb that agrees.

    Examples
    --------
    >>> joints_in_words(("Hips",), "jump")
    'Hips jumps'
    >>> joints_in_words(("a", "b", "c", "d", "e"), "hold")
    'a, b, c and 2 more joints hold'
    """
    shown = ", ".join(names[:3] if len(names) > 4 else names[:-1] if len(names) > 1 else names)
    if len(names) > 4:
        shown += f" and {len(names) - 3} more joints"
    elif len(names) > 1:
        shown += f" and {names[-1]}"
    return f"{shown} {verb}{'s' if len(names) == 1 else ''}"
