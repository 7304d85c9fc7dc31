"""What one run of the studio holds: the project, what was compared and built, and its jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from segue.app.jobs import Jobs, JobStatus
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.settings import Settings
from segue.studio.messages import JobView
from segue.studio.motion_messages import MotionRef
from segue.studio.project import MadeMotion, Project
from segue.studio.recent import Recent

if TYPE_CHECKING:
    from segue.app.crossing import ClipPair
    from segue.app.stages import Collection
    from segue.graph.build import MotionGraph


@dataclass(frozen=True, eq=False)
class MadeGraph:
    """A graph, the clips it was built from as they were read, and the settings."""

    graph: MotionGraph
    collection: Collection
    settings: Settings


_RUNS = 20
"""Live runs that are kept in memory."""
_PAIRS, _GRAPHS = 8, 4
"""Comparisons and graphs that are kept in memory: matrices are large."""
Tell = Callable[[JobStatus], None]


def _nobody(status: JobStatus) -> None:
    """Report to nobody."""


class Studio:
    """What calls work on.

    Examples
    --------
    >>> from pathlib import Path
    >>> studio = Studio(Project(None, Path("exports")))
    >>> studio.project.name
    'embedded clips'
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.pairs: Recent[ClipPair] = Recent(_PAIRS)
        self.graphs: Recent[MadeGraph] = Recent(_GRAPHS)
        self.walkers: Recent[Any] = Recent(_GRAPHS)
        self.runs: Recent[Any] = Recent(_RUNS)
        self.tell: Tell = _nobody
        self.jobs = Jobs(self._moved)

    def _moved(self, status: JobStatus) -> None:
        self.tell(status)  # whoever listens now

    def close(self) -> None:
        """Cancel jobs and remove files of this run."""
        self.jobs.close()
        self.project.close()

    def pair(self, number: int) -> ClipPair:
        """Comparison by its number.

        Raises
        ------
        SettingError
            If it was made too long ago.
        """
        found = self.pairs.get(number)
        if found is None:
            raise SettingError("this comparison is not in memory any more; choose the two clips again")
        return found

    def graph(self, number: int) -> MadeGraph:
        """Graph by its number.

        Raises
        ------
        SettingError
            If it was built too long ago.
        """
        found = self.graphs.get(number)
        if found is None:
            raise SettingError("this graph is not in memory any more; build it again")
        return found

    def motion(self, word: str) -> Clip:
        """Motion by its word: ``clip:NAME``, ``made:NUMBER``, or ``pair:NUMBER``, the second clip of a comparison.

        Raises
        ------
        SettingError
            If there is none, or it was made too long ago.
        """
        kind, _, rest = word.partition(":")
        if kind == "pair" and rest.isdecimal():
            return self.pair(int(rest)).b
        return self.project.motion(word)

    def keep(self, made: MadeMotion) -> MotionRef:
        """Keep a made motion, and say by which word the page finds it."""
        return ref(f"made:{self.project.made.add(made)}", made.clip)


def ref(word: str, clip: Clip) -> MotionRef:
    """A motion as the page lists it."""
    return MotionRef(word, clip.name, clip.seconds, clip.n_frames, clip.fps)


def job_view(status: JobStatus) -> JobView:
    """A job as the page shows it."""
    return JobView(
        status.id,
        status.title,
        status.state,
        status.stage,
        status.done,
        status.total,
        status.error,
        status.result,
    )
