"""Elementary motions, the parts of a sequence."""

from __future__ import annotations

from dataclasses import dataclass

from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.summaries import one_line


@one_line
@dataclass(frozen=True, eq=False)
class ElementaryMotion:
    """One action with a core that is kept intact, a preparation before it and a recuperation after it.

    Parameters
    ----------
    name
        Its name in scripts.
    clip
        Exactly its frames; their origin refers to the take from which they were cut.
    core
        First frame of the core and the frame after its last, within the clip. An empty core, ``(k, k)``, keeps
        nothing intact: such a motion may be entered anywhere before frame k and left anywhere after it.
    tags
        Words by which it can be found.

    Raises
    ------
    SettingError
        If the name is empty, or the core does not lie within the clip.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> ElementaryMotion("walk", walk, (60, 120)).core_seconds
    1.0
    """

    name: str
    clip: Clip
    core: tuple[int, int]
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check name and core."""
        if not self.name:
            msg = "an elementary motion needs a name"
            raise SettingError(msg)
        first, stop = self.core
        if not 0 <= first <= stop <= self.clip.n_frames:
            msg = (
                f"elementary motion {self.name!r} has frames 0 to {self.clip.n_frames - 1}; "
                f"its core cannot be [{first}, {stop})"
            )
            raise SettingError(msg)

    @property
    def core_seconds(self) -> float:
        """Length of the core: its frames over the rate."""
        return (self.core[1] - self.core[0]) / self.clip.fps
