"""The state of one run of the studio: its project, comparisons, graphs, sequences and jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from segue.app.jobs import Jobs, JobStatus
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.settings import Settings
from segue.studio.messages import JobView
from segue.studio.motion_messages import MotionRef
from segue.studio.project import MadeMotion, Project
from segue.studio.recent import Recent
from segue.studio.study_runs import StudyRuns
from segue.threads import silent

if TYPE_CHECKING:
    from segue.app.arranging import Arrangement
    from segue.app.crossing import ClipPair
    from segue.app.stages import Collection
    from segue.app.studies.motions import StudyPlan
    from segue.graph.build import MotionGraph
    from segue.studio.element_store import ElementStore


@dataclass(frozen=True, eq=False)
class MadeGraph:
    """A graph, the clips that it was built from, as read, and the settings."""

    graph: MotionGraph
    collection: Collection
    settings: Settings


_PAIRS, _GRAPHS, _ARRANGED = 8, 4, 6
"""Most comparisons, graphs and arranged sequences kept in memory: matrices and frames are large."""
_RUNS = 20
"""Most live runs kept in memory."""
Tell = Callable[[JobStatus], None]


class Studio:
    """State that calls work on.

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
        self.arranged: Recent[Arrangement] = Recent(_ARRANGED)
        self.runs: Recent[Any] = Recent(_RUNS)
        self.plans: Recent[tuple[StudyPlan, tuple[Clip, ...]]] = Recent(_GRAPHS)
        self.studies = StudyRuns(project.export_folder)
        self.tell: Tell = silent
        self.jobs = Jobs(self._moved)

    def _moved(self, status: JobStatus) -> None:
        self.tell(status)  # looked up on each call, as the server replaces it

    def close(self) -> None:
        """Cancel jobs, close pages of studies and delete files of this run."""
        self.studies.close()
        self.jobs.close()
        self.project.close()

    def pair(self, number: int) -> ClipPair:
        """Return a comparison by its number.

        Raises
        ------
        SettingError
            If it is no longer in memory.
        """
        found = self.pairs.get(number)
        if found is None:
            raise SettingError("this comparison is not in memory any more; choose the two clips again")
        return found

    def graph(self, number: int) -> MadeGraph:
        """Return a graph by its number.

        Raises
        ------
        SettingError
            If it is no longer in memory.
        """
        found = self.graphs.get(number)
        if found is None:
            raise SettingError("this graph is not in memory any more; build it again")
        return found

    @cached_property
    def elements(self) -> ElementStore:
        """Elementary motions and sequences; their modules are imported on first access."""
        from segue.studio.element_store import ElementStore

        return ElementStore(self.project)

    def arrangement(self, word: str) -> Arrangement:
        """Return an arranged sequence by its word ``sequence:NUMBER``.

        Raises
        ------
        SettingError
            If it is no longer in memory.
        """
        number = word.partition(":")[2]
        found = self.arranged.get(int(number)) if number.isdecimal() else None
        if found is None:
            raise SettingError(
                "this sequence is not in memory any more; move one of its motions to make it again"
            )
        return found

    def made(self, word: str) -> MadeMotion | None:
        """Return a made motion with its sources and settings; None for a clip or an elementary motion."""
        kind = word.partition(":")[0]
        if kind in {"clip", "element"}:
            return None
        if kind != "sequence":
            return self.project.made_motion(word)
        from segue.app.sequence_record import MADE, job_of, sequence_facts_of

        arranged = self.arrangement(word)
        clips = arranged.script.elements.clips.clips
        return MadeMotion(
            arranged.sequence.clip,
            clips,
            MADE,
            job_of(arranged.script),
            more=sequence_facts_of(arranged.sequence),
        )

    def motion(self, word: str) -> Clip:
        """Return a motion by its word.

        Words are ``clip:NAME``, ``made:NUMBER``, ``pair:NUMBER`` for the second clip of a comparison, ``element:NAME``
        and ``sequence:NUMBER``.

        Raises
        ------
        SettingError
            If there is none, or it is no longer in memory.
        """
        kind, _, rest = word.partition(":")
        if kind == "pair" and rest.isdecimal():
            return self.pair(int(rest)).b
        if kind == "element":
            return self.elements.motion(self.elements.element(rest)).clip
        if kind == "sequence":
            return self.arrangement(word).sequence.clip
        return self.project.motion(word)

    def keep(self, made: MadeMotion) -> MotionRef:
        """Keep a made motion, and return it with its word."""
        return ref(f"made:{self.project.made.add(made)}", made.clip)


def ref(word: str, clip: Clip) -> MotionRef:
    """Return a motion as a message."""
    return MotionRef(word, clip.name, clip.seconds, clip.n_frames, clip.fps)


def job_view(status: JobStatus) -> JobView:
    """Return a job as a message."""
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
