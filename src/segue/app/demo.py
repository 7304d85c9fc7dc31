"""The main job on the embedded clips."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segue.app.motion_file import record_path
from segue.app.record import bridges_of
from segue.app.stages import make_graph, read, require_walkable, write
from segue.errors import FileError, MissingExtraError
from segue.graph.render import render
from segue.graph.walk import check_walk
from segue.io import save
from segue.measures import measure
from segue.motion.samples import SAMPLE_PREFIX
from segue.settings import DEFAULTS, Settings
from segue.settings.words import SEED
from segue.threads import Progress, silent

NAMES = ("demo.bvh", "demo.origin.json", "demo.glb", "demo.png", "demo-timeline.png")
"""Files that are written."""


@dataclass(frozen=True)
class Demo:
    """Lines for people, the same as facts for programs, and a hint where something optional is missing."""

    lines: tuple[str, ...]
    facts: dict[str, Any]
    hint: str = ""


def run(
    folder: Path,
    *,
    seconds: float = 60.0,
    seed: int = SEED,
    settings: Settings | None = None,
    overwrite: bool = True,
    progress: Progress = silent,
) -> Demo:
    """Make an endless motion from the embedded clips and write everything a newcomer wants to open.

    Raises
    ------
    FileError
        If the folder cannot be made, or a file of it exists and must not be replaced.
    """
    check_walk(seconds=seconds, seed=seed, by="cost")
    _make_room(folder, overwrite=overwrite)
    settings = DEFAULTS if settings is None else settings
    collection = read([SAMPLE_PREFIX])
    graph = make_graph(collection, settings, progress=progress)
    require_walkable(graph)
    walk = graph.wander(seconds=seconds, seed=seed)
    motion = render(walk, feet=settings.feet, creep=settings.creep)
    recorded = {
        "make": settings.document(),
        "walk": {"seconds": seconds, "seed": seed, "by": "cost", "start": None},
    }
    bvh = folder / "demo.bvh"
    write(motion, bvh, collection=collection, command="wander", settings=recorded, bridges=bridges_of(walk))
    save(motion.with_motion(name="demo"), folder / "demo.glb")
    found = measure(motion, sources=graph.clips)
    within = sum(seam.badness(found.bounds) <= 1.0 for seam in found.seams)
    beyond = len(found.seams) - within
    kept = f"{beyond} beyond bounds" if beyond else "all within bounds"
    made_of = f"{len(walk.clips_played)} of {len(graph.clips)} embedded clips"
    lines = [
        f"{motion.seconds:g} s, {motion.n_frames} frames at {motion.fps:g} fps, made of {made_of}",
        f"{len(found.seams)} seams, {kept}",
        f"{bvh}  open it in Blender (File > Import > Motion Capture) or any BVH viewer",
        f"{folder / 'demo.glb'}  a mannequin that plays the motion, for any glTF viewer",
    ]
    written = [bvh, record_path(bvh), folder / "demo.glb"]
    facts: dict[str, Any] = {
        "clips_read": len(graph.clips),
        "clips_reached": len(graph.clips_reached),
        "clips_played": list(walk.clips_played),
        "seconds": motion.seconds,
        "frames": motion.n_frames,
        "seams": len(found.seams),
        "seams_within_bounds": within,
    }
    hint = ""
    try:
        from segue.pictures.filmstrip import filmstrip
        from segue.pictures.timeline import timeline

        filmstrip(motion, folder / "demo.png", count=36)
        timeline(motion, folder / "demo-timeline.png")
        lines.append(
            f"{folder / 'demo.png'}  filmstrip; {folder / 'demo-timeline.png'}  which clip plays when"
        )
        written += [folder / "demo.png", folder / "demo-timeline.png"]
    except MissingExtraError as error:
        hint = str(error)
    return Demo(tuple(lines), {"written": [str(path) for path in written], **facts}, hint)


def _make_room(folder: Path, *, overwrite: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made: {error.strerror}") from None
    taken = [] if overwrite else [folder / name for name in NAMES if (folder / name).exists()]
    if taken:
        raise FileError(taken[0], "exists already; --force overwrites it, --folder names another folder")
