"""The wander command: endless motion from clips."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.brief_text import brief, of_clips
from segue.cli.checked import choice
from segue.cli.motion_text import clips_played_of, few_played, left_out, wander_text
from segue.cli.motion_text import quality as quality_numbers
from segue.cli.options import Force, Inputs, Json, Out, RootMotion, TryMirror, takes_settings
from segue.cli.output import progress, result, skipped_notes, warn, writable
from segue.cli.verbs import MAKE, verb
from segue.errors import NoTransitionError
from segue.settings import Settings

if TYPE_CHECKING:
    from segue.app.stages import Collection
    from segue.graph.build import MotionGraph
    from segue.graph.walk import Walk
    from segue.settings import Settings
    from segue.synthesis.feet.seams import FinishedFeet


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "wander",
        wander_command,
        "Endless motion from a folder of clips.",
        panel=MAKE,
        examples=(
            "segue wander clips/ --seconds 60 -o endless.bvh",
            "segue wander clips/ --start walk --quality 2 --seed 7 -o better.glb",
        ),
    )


@takes_settings()
def wander_command(
    inputs: Inputs,
    out: Out = Path("wander.bvh"),
    seconds: Annotated[float, typer.Option(help="Exact length of the motion.")] = 60.0,
    seed: Annotated[
        int,
        typer.Option(help="The same seed gives the same motion, with the same versions of segue and numpy."),
    ] = 1,
    by: Annotated[
        str,
        choice(
            "--by",
            of=("cost", "probability"),
            help="How a walk chooses its next transition: among the cheap ones, or by probability (Wang, ch. IV).",
        ),
    ] = "cost",
    start: Annotated[str | None, typer.Option(help="Clip to start in.")] = None,
    *,
    settings: Settings,
    mirror: TryMirror = None,
    root_motion: RootMotion = True,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Fail if only one clip, or less than a quarter of them, would play."),
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Endless motion from a folder of clips, exactly as long as asked."""
    from segue.app import motion_file, stages
    from segue.app.called import named
    from segue.app.material import graph_of, with_root_motion
    from segue.graph.walk import check_walk, finished
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    walk_settings = {"seconds": seconds, "seed": seed, "by": by, "start": start}
    check_walk(seconds=seconds, seed=seed, by=by)
    with progress(quiet=as_json) as tell:
        collection = stages.read(inputs, roles=settings.roles, progress=tell)
        skipped_notes(collection.skipped)
        walk_settings["start"] = start = start and named(start, collection.clips)
        collection, travels = with_root_motion(collection, progress=tell) if root_motion else (collection, ())
        settings = stages.with_verdicts(settings, collection)
        collection, graph, mirrored = graph_of(collection, settings, mirror=mirror, progress=tell)
    stages.require_walkable(graph)
    walk = graph.wander(seconds=seconds, seed=seed, by=by, start=start)  # type: ignore[arg-type]  # checked there
    warning = few_played(graph, walk)
    if warning and strict:
        raise NoTransitionError(warning)
    made = _Wandered(
        out, finished(walk, feet=settings.feet, creep=settings.creep), walk, collection, settings, graph
    )
    made.write(walk_settings)
    made.report((*travels, *mirrored), as_json=as_json)
    if warning:
        warn(f"segue: {warning}")


@dataclass(frozen=True, eq=False)
class _Wandered:
    """A made motion, with its walk, clips, settings and graph."""

    out: Path
    feet: FinishedFeet
    walk: Walk
    collection: Collection
    settings: Settings
    graph: MotionGraph

    def write(self, walk_settings: dict[str, Any]) -> None:
        """Write the motion and its record."""
        from segue.app import stages
        from segue.app.record import bridges_of

        recorded = {"make": self.settings.document(), "walk": walk_settings}
        stages.write(
            self.feet.clip,
            self.out,
            collection=self.collection,
            command="wander",
            settings=recorded,
            bridges=bridges_of(self.walk),
        )

    def report(self, notes: tuple[str, ...], *, as_json: bool) -> None:
        """Print the result."""
        from segue.app import motion_file
        from segue.app.measure_numbers import repeated
        from segue.measures import measure

        graph, walk, motion, given = self.graph, self.walk, self.feet.clip, self.graph.report
        document = {
            "written": [str(path) for path in (self.out, *motion_file.beside(self.out))],
            "seconds": motion.seconds,
            "frames": motion.n_frames,
            "fps": motion.fps,
            "clips_read": len(graph.clips),
            "clips_reached": len(graph.clips_reached),
            "clips_played": list(walk.clips_played),
            "share": given.share,
            "quality": given.quality,
            "components": [{"clips": list(part.clips), "seconds": part.seconds} for part in given.components],
            "steps": given.steps,
            "threshold": given.threshold.value,
            "threshold_found": given.threshold.sentence,
            "next_frame_cost": given.next_frame_cost,
            "left_out": given.dropped_clips,
            "would_join": given.would_join,
            "copies": [list(pair) for pair in given.copies],
            "forced_repeats": walk.forced_repeats,
            "seam_feet": self.feet.counts,
            "repetition": repeated(motion),
            "notes": list(notes),
            "skipped": [list(pair) for pair in self.collection.skipped],
            **quality_numbers(measure(motion, sources=graph.clips)),
        }
        played, read = clips_played_of(graph, walk)
        short = brief(document, of_clips(played, read, given.share) + _outside(graph))
        result(document, wander_text(document, graph, walk), as_json=as_json, brief=short)
        if document["repetition"]["warning"]:
            warn(f"segue: {document['repetition']['warning']}")


def _outside(graph: MotionGraph) -> str:
    """Return the clips left out of the graph, with the quality at which they would join."""
    words = left_out(graph)
    return f"; left out: {', '.join(words)}" if words else ""
