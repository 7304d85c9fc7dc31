"""Calls about the open project and its jobs. They import no slow modules, as the page makes them first."""

from __future__ import annotations

from segue._version import __version__
from segue.io.formats import WRITABLE
from segue.settings.words import BLENDS, COSTS
from segue.studio.messages import ClipCard, CostWords, JobRef, JobsView, Nothing, ProjectView
from segue.studio.state import Studio, job_view

_WEIGHTS = {
    "point_cloud": ("weighting", ["uniform", "hand_set", "dynamics"]),
    "joint_angle": ("weights", ["original", "optimised"]),
}
"""Setting of each cost that chooses its weights, and its values."""


def project(studio: Studio, ask: Nothing) -> ProjectView:
    """Return the open project, and the choices that it offers."""
    del ask
    it = studio.project
    cards = [
        ClipCard(
            one.name,
            one.seconds,
            one.frames,
            one.fps,
            list(one.tags),
            list(one.labels),
            one.faulty_frames,
            one.problem,
        )
        for one in it.listed()
    ]
    costs = [
        CostWords(name, name.replace("_", " ").capitalize(), *_WEIGHTS.get(name, ("", []))) for name in COSTS
    ]
    formats = [suffix for suffix in WRITABLE if suffix not in {".xml", ".qpos.csv"}]
    return ProjectView(
        it.name,
        it.kind,
        it.writable,
        cards,
        costs,
        list(BLENDS),
        [*formats, ".json", ".html"],
        str(it.export_folder),
        __version__,
    )


def jobs(studio: Studio, ask: Nothing) -> JobsView:
    """Return all jobs of this run that are still kept."""
    del ask
    return JobsView([job_view(status) for status in studio.jobs.statuses])


def cancel(studio: Studio, ask: JobRef) -> JobsView:
    """Cancel a job."""
    studio.jobs.cancel(ask.job)
    return jobs(studio, Nothing())
