"""Corrections of the user to clips: joint roles and foot contacts.

A library stores both with its clips. In a folder, and for embedded and dropped clips, they last for this run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from segue.arrays import Bools
from segue.motion.clip import Clip


@dataclass
class Corrections:
    """Roles and contacts set in this run, by clip name.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> Corrections().applied("walk", walk) is walk
    True
    """

    roles: dict[str, dict[str, str]] = field(default_factory=dict)
    planted: dict[str, Bools] = field(default_factory=dict)

    def applied(self, name: str, clip: Clip) -> Clip:
        """Return the clip with the contacts set in this run; roles are applied when a clip is read."""
        return clip.with_contacts(self.planted[name]) if name in self.planted else clip
