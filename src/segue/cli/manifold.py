"""Commands of small spaces: manifold fit, manifold info, manifold make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.options import Force, Inputs, Json, Roles, roles_of, takes_settings
from segue.cli.output import counted, progress, result, skipped_notes, table, writable
from segue.cli.verbs import STUDY, family, new_family, verb
from segue.errors import SettingError
from segue.settings import Settings
from segue.settings.words import SEED

if TYPE_CHECKING:
    from segue.app.spaces import SpaceJob

SpacePath = Annotated[
    Path, typer.Argument(metavar="SPACE", help="File that segue manifold fit wrote (space.segue).")
]
Chart = Annotated[
    Path | None, typer.Option("--picture", help="PNG: residual variances and the first three coordinates.")
]


FIT = (
    "segue manifold fit clips/walk.bvh -o space.segue",
    "segue manifold fit clips/walk.bvh -o space.segue --by pca --force",
)
INFO = ("segue manifold info space.segue", "segue manifold info space.segue --picture space.png")
MADE = (
    "segue manifold make space.segue -o again.bvh",
    "segue manifold make space.segue --random 5 --seed 3 -o wandering.bvh",
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = new_family("manifold", "Motion in a small space: few numbers a frame, and back to poses.")
    verb(group, "fit", fit_command, "Fit a small space to clips.", examples=FIT)
    verb(group, "info", info_command, "Show how well a space keeps distances and poses.", examples=INFO)
    verb(group, "make", make_command, "Make motion from a curve in a space.", examples=MADE)
    family(app, group, "Embed motion in a few dimensions, make motion from curves.", panel=STUDY)


def fit_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="File to write: .segue.")] = Path("space.segue"),
    by: Annotated[
        str,
        typer.Option(
            help="isomap: keeps lengths over neighbours; mds: keeps distances; pca: principal components."
        ),
    ] = "isomap",
    dimensions: Annotated[
        int | None,
        typer.Option(
            help="Number of coordinates, 1 to 10; by default where the residual variance bends, at least 3.",
            show_default=False,
        ),
    ] = None,
    neighbours: Annotated[int, typer.Option(help="Neighbours of each pose, for isomap.")] = 7,
    fps: Annotated[float, typer.Option("--fps", help="Poses a second.")] = 30.0,
    trainer: Annotated[str, typer.Option(help="sklearn, or torch where that is installed.")] = "sklearn",
    seed: Annotated[int, typer.Option(help="Seed of the poses held out and of the network.")] = SEED,
    picture: Chart = None,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A small space from clips: coordinates of every pose, and a network that gives the pose back.

    What is lost is measured on poses that the network has not seen, drawn at random and as one block.
    """
    from segue.app import spaces
    from segue.app.space_document import read_space

    writable(out, force=force, kinds=(".segue",))
    if picture is not None:
        writable(picture, force=force, kinds=(".png",))
    with progress(quiet=as_json) as tell:
        fitted = spaces.fit_files(
            inputs,
            out,
            by=by,  # type: ignore[arg-type]  # checked where the space is fitted
            dimensions=dimensions,
            neighbours=neighbours,
            fps=fps,
            trainer=trainer,  # type: ignore[arg-type]
            seed=seed,
            roles=roles_of(roles),
            progress=tell,
        )
    skipped_notes(fitted.collection.skipped)
    _report(out, spaces.facts(read_space(out)), picture, as_json=as_json)


def info_command(
    space: SpacePath, picture: Chart = None, force: Force = False, as_json: Json = False
) -> None:
    """How well a space keeps distances and poses, and what it was fitted to."""
    from segue.app import spaces
    from segue.app.space_document import read_space

    if picture is not None:
        writable(picture, force=force, kinds=(".png",))
    _report(space, spaces.facts(read_space(space)), picture, as_json=as_json)


@takes_settings("feet")
def make_command(
    space: SpacePath,
    out: Annotated[Path, typer.Option("-o", "--out", help="File: .bvh, .glb, .fbx, .usd, .npz ...")] = Path(
        "manifold.bvh"
    ),
    clip: Annotated[
        str | None, typer.Option("--clip", help="Follow the poses of this clip; of the first one by default.")
    ] = None,
    visit: Annotated[
        list[str] | None,
        typer.Option(
            "--visit", metavar="CLIP:SECONDS", help="Moments to pass through, in turn; two or more."
        ),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option("--random", help="Pass through N moments drawn at random.", show_default=False),
    ] = None,
    curve: Annotated[
        Path | None, typer.Option("--curve", help="CSV seconds,x1,x2,...: points of a curve in the space.")
    ] = None,
    route: Annotated[
        str,
        typer.Option(help="Between moments; forward: along captured poses; straight: in straight lines."),
    ] = "forward",
    seed: Annotated[int, typer.Option(help="Seed of the moments drawn at random.")] = 1,
    seconds: Annotated[
        float | None, typer.Option(help="Length; at the captured pace by default.", show_default=False)
    ] = None,
    fps: Annotated[
        float | None, typer.Option("--fps", help="Frames a second; that of the space by default.")
    ] = None,
    *,
    settings: Settings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Motion of a curve in a space: decoded poses, steps summed along the ground, feet planted.

    Several moments re-sequence what was captured, two of them are an in-between.
    """
    from segue.app import motion_file, spaces
    from segue.app.space_document import read_space
    from segue.io.formats import WRITABLE

    chosen = {"clip": clip, "visit": visit or None, "random": random, "curve": curve}
    given = [word for word, value in chosen.items() if value is not None]
    if len(given) > 1:
        msg = f"--{given[0]} and --{given[1]} are two curves; give one"
        raise SettingError(msg)
    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    job = spaces.SpaceJob(
        how=given[0] if given else "clip",  # type: ignore[arg-type]
        clip=clip,
        visits=tuple(_moment(word) for word in visit or ()),
        count=random or 0,
        seed=seed,
        table="" if curve is None else spaces.curve_text(curve),
        route=route,  # type: ignore[arg-type]
        seconds=seconds,
        fps=fps,
        feet=settings.feet,
    )
    made = spaces.made_motion(read_space(space).space, job, file=curve or "")
    record = spaces.write_made(made, out, space=space, job=job)
    document = {
        "written": [str(out), *(str(path) for path in motion_file.beside(out))],
        "frames": made.n_frames,
        "seconds": made.seconds,
        "fps": made.fps,
        "how": job.how,
        "metres": _gone(made),
    }
    head = f"{out}: {made.seconds:.4g} s, {counted(made.n_frames, 'frame')} at {made.fps:g} fps"
    rows = [("curve", _curve_words(job)), ("ground", f"{document['metres']:.2f} m from start to end")]
    result(document, "\n".join([head, table(rows), f"record: {record}"]), as_json=as_json)


def _gone(made: Any) -> float:
    """Return the distance in metres on the ground from the first frame to the last."""
    import numpy as np

    shift = made.root_positions[-1] - made.root_positions[0]
    return float(np.hypot(shift[0], shift[2]))


def _moment(word: str) -> tuple[str, float]:
    """Parse clip and seconds of ``walk:1.5``."""
    clip, mark, seconds = word.rpartition(":")
    try:
        at = float(seconds)
    except ValueError:
        mark, at = "", 0.0
    if not mark or not clip or not 0 <= at < 1e6:
        msg = f"{word!r} is no moment; name a clip and seconds, as walk:1.5"
        raise SettingError(msg)
    return clip, at


def _curve_words(job: SpaceJob) -> str:
    if job.how == "clip":
        return f"of the clip {job.clip}" if job.clip else "of the first clip"
    if job.how == "curve":
        return "of the table given"
    how = "forward along captured poses" if job.route == "forward" else "in straight lines"
    if job.how == "random":
        return f"{counted(job.count, 'moment')} at random (seed {job.seed}), {how}"
    return f"{' to '.join(f'{clip}:{seconds:g}' for clip, seconds in job.visits)}, {how}"


def _report(path: Path, document: dict[str, Any], picture: Path | None, *, as_json: bool) -> None:
    if picture is not None:
        from segue.app.space_document import read_space
        from segue.pictures.small_space import space_picture

        space_picture(read_space(path).space, picture, title=path.stem)
    clips = document["clips"]
    poses = f"{counted(document['poses'], 'pose')} of {counted(len(clips), 'clip')} at {document['fps']:g} a second"
    head = f"{path}: {poses}, {counted(document['dimensions'], 'dimension')} by {document['by']}"
    variances = document["residual_variances"]
    rows = [("residual variance", *(str(k + 1) for k in range(len(variances[document["by"]]))), "knee")]
    rows += [
        (by, *(f"{value:.3f}" for value in values), str(document["knees"][by]))
        for by, values in variances.items()
    ]
    lines = [head, table(rows)]
    rows = [("joints are off on average", "decoder", "principal components", "poses learnt from")]
    rows += [
        (
            "poses drawn at random" if one["split"] == "random" else "a block at the end",
            f"{one['decoder_cm']:.2f} cm",
            f"{one['principal_components_cm']:.2f} cm",
            f"{one['training_cm']:.2f} cm",
        )
        for one in document["held_out"]
    ]
    lines.append(table(rows))
    pieces = document["pieces"][document["by"]]
    if pieces > 1:
        lines.append(f"note: neighbours fall into {pieces} pieces, joined where they come nearest")
    if picture is not None:
        lines.append(f"picture: {picture}")
        document["picture"] = str(picture)
    result({"space": str(path), **document}, "\n".join(lines), as_json=as_json)
