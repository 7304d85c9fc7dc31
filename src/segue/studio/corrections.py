"""What a person corrects in a clip: which joint has which role, and when feet are on the ground.

A library keeps both with its clips. In a folder, and for embedded and dropped clips, they hold for this run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from segue.arrays import Bools
from segue.motion.clip import Clip


@dataclass
class Corrections:
    """Roles and contacts that were set in this run, by the name of the clip.

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
        """Clip with the contacts that were set in this run; its roles are set where it is read."""
        return clip.with_contacts(self.planted[name]) if name in self.planted else clip
