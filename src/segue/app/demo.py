"""The main job on the embedded clips, and a first sequence of elementary motions from them for new users."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segue.app.elements import Elements, motion_of
from segue.app.motion_file import record_path
from segue.app.record import bridges_of
from segue.app.sequencing import ScriptedSequence
from segue.app.stages import Collection, make_graph, read, require_walkable, write
from segue.errors import FileError, MissingExtraError
from segue.graph.walk import check_walk, render
from segue.io import save
from segue.library.element_files import ScriptedMotion, SequenceDocument
from segue.measures import measure
from segue.motion.samples import SAMPLE_PREFIX, sample
from segue.sequencing.proposing import ElementRange
from segue.settings import DEFAULTS, Settings
from segue.settings.words import SEED
from segue.threads import Progress, silent

NAMES = ("demo.bvh", "demo.origin.json", "demo.glb", "demo.png", "demo-timeline.png")
"""Files that are written."""


@dataclass(frozen=True)
class Demo:
    """Lines for people, the same facts for programs, and a hint if an optional package is missing."""

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
    """Make an endless motion from the embedded clips and write every file that a new user wants to open.

    Raises
    ------
    FileError
        If the folder cannot be created, or a file in it exists and must not be replaced.
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


DEMO_ELEMENTS = (
    ElementRange("stand", "stand", 30, 150, 70, 100, ("stand",)),
    ElementRange("set off", "start", 103, 301, 240, 270, ("walk",)),
    ElementRange("stride", "walk", 150, 300, 205, 235, ("walk",)),
    ElementRange("turn left", "walk_turn_left", 40, 229, 110, 140, ("walk", "turn")),
    ElementRange("turn right", "walk_turn_right", 40, 229, 110, 140, ("walk", "turn")),
    ElementRange("hurry", "walk_fast", 168, 320, 215, 240, ("walk",)),
    ElementRange("run", "run", 90, 260, 150, 185, ("run",)),
    ElementRange("slow down", "slow_down", 150, 330, 225, 250, ("walk",)),
    ElementRange("halt", "stop", 0, 240, 99, 141, ("walk", "stand")),
    ElementRange("side step", "step_touch", 52, 290, 91, 130, ("dance",)),
)
"""Stretches of embedded clips, in frames at their own rate."""
_PLACED = (
    ("stand", 0.7),
    ("set off", 3.4),
    ("stride", 5.0),
    ("turn left", 6.9),
    ("hurry", 8.6),
    ("run", 10.2),
    ("slow down", 12.2),
    ("turn right", 14.0),
    ("halt", 15.9),
    ("side step", 18.2),
)
DEMO_NAME = "first steps"
"""Name of the sequence."""
DEMO_SEQUENCE = SequenceDocument([ScriptedMotion(name, at) for name, at in _PLACED])


def demo_sequence() -> ScriptedSequence:
    """The sequence with its elementary motions.

    Examples
    --------
    >>> script = demo_sequence()
    >>> len(script.document.motions), sorted(script.elements.motions)[:2]
    (10, ['halt', 'hurry'])
    """
    clips = {one.clip: sample(one.clip) for one in DEMO_ELEMENTS}
    motions = {one.name: motion_of(one, clips[one.clip]) for one in DEMO_ELEMENTS}
    ranges = {one.name: one for one in DEMO_ELEMENTS}
    return ScriptedSequence(
        DEMO_NAME, DEMO_SEQUENCE, Elements(motions, ranges, Collection(tuple(clips.values())))
    )
