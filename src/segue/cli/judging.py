"""The judge command: train a classifier to find the seams of a motion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import number
from segue.cli.options import Json, Roles, roles_of
from segue.cli.output import counted, note, progress, result, skipped_notes, table
from segue.cli.verbs import LOOK, verb
from segue.settings.words import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.app.judging import JudgedSeam, SeamJudgement
    from segue.learning.judging import Judged, Tell

_BY = 3  # most joints and bands named for a seam
_NAMED = 3  # most clips named that are not played


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "judge",
        judge_command,
        "Train a classifier to find the seams of a motion.",
        panel=LOOK,
        examples=("segue judge endless.bvh", "segue judge endless.bvh --against clips/ --worst 3"),
    )


def judge_command(
    motions: Annotated[
        list[str],
        typer.Argument(
            metavar="MOTION...",
            help="Made motions with their .origin.json beside them, of one body and rate.",
        ),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="CLIPS",
            help="File, folder or library of their source clips; may be repeated. By default the paths in the records.",
        ),
    ] = None,
    noise: Annotated[
        float,
        number(
            "--noise",
            least=0,
            metavar="METRES",
            help="Noise added to every joint, made and captured; 0.001 is the noise of a typical capture.",
        ),
    ] = 0.0,
    worst: Annotated[
        int,
        typer.Option(min=0, help="How many of the worst seams, and of the joints that reveal them, to name."),
    ] = 5,
    seed: Annotated[int, typer.Option(help="Seed of folds, noise and classifier.")] = SEED,
    roles: Roles = None,
    as_json: Json = False,
) -> None:
    """Train a classifier to find seams: area under the ROC curve, worst seams, and the joints that reveal them.

    0.5: it finds no seam; 1: it finds every seam. Needs scikit-learn (extra learn). Do not judge a motion whose
    transitions this classifier chose: it would pass whatever it looks like.
    """
    from segue.app.judging import judge_files
    from segue.errors import require_extra

    require_extra("judging seams", "learn")
    with progress(quiet=as_json) as tell:
        found = judge_files(
            motions,
            against=against or (),
            noise=noise,
            seed=seed,
            roles=roles_of(roles),
            progress=tell,
        )
    skipped_notes(found.skipped)
    if found.unplayed:
        names, more = found.unplayed[:_NAMED], len(found.unplayed) - _NAMED
        end = f" and {more} more" if more > 0 else ""
        note(f"segue: not played, so not compared: {', '.join(names)}{end}")
    document = _document(found, motions, noise=noise, seed=seed, worst=worst)
    result(document, _text(found, worst=worst), as_json=as_json)


def _document(
    found: SeamJudgement, motions: Sequence[str], *, noise: float, seed: int, worst: int
) -> dict[str, Any]:
    return {
        "motions": list(motions),
        "noise": noise,
        "seed": seed,
        "seams": len(found.seams),
        "captured_windows": found.captured,
        **_area(found.whole),
        "parts": {name: _area(part) for name, part in found.parts.items()},
        "told_by": [_tell(tell) for tell in found.by[:worst]],
        "most_easily_told": [
            {
                "motion": seam.motion,
                "number": seam.number,
                "seconds": seam.seconds,
                "from": seam.ends[0][0],
                "from_frame": seam.ends[0][1],
                "to": seam.ends[1][0],
                "to_frame": seam.ends[1][1],
                "score": seam.score,
                "told_by": [_tell(tell) for tell in seam.by[:_BY]],
            }
            for seam in found.seams[:worst]
        ],
        "not_played": list(found.unplayed),
    }


def _area(one: Judged) -> dict[str, float]:
    return {"area": one.area, "low": one.low, "high": one.high}


def _tell(tell: Tell) -> dict[str, Any]:
    return {"joint": tell.joint, "band": tell.band, "part": tell.group, "weight": tell.weight}


def _text(found: SeamJudgement, *, worst: int) -> str:
    whole = found.whole
    counts = f"{counted(len(found.seams), 'seam')} and {counted(found.captured, 'captured window')}"
    area = f"area {whole.area:.2f} (95 %: {whole.low:.2f} to {whole.high:.2f})"
    lines = [f"{area} of {counts}; 0.5 is chance, 1 is perfect separation"]
    rows = [
        (name, f"{part.area:.2f} ({part.low:.2f} to {part.high:.2f})") for name, part in found.parts.items()
    ]
    lines += ["by parts of the body alone", table(rows)]
    if worst and found.by:
        rows = [(_by(tell), f"{tell.weight:.3f} of the area") for tell in found.by[:worst]]
        lines += ["recognised by", table(rows)]
    if worst and found.seams:
        several = len({seam.motion for seam in found.seams}) > 1
        lines.append("most recognisable seams")
        for seam in found.seams[:worst]:
            lines += _seam(seam, several=several)
    return "\n".join(lines)


def _seam(seam: JudgedSeam, *, several: bool) -> list[str]:
    (a, a_frame), (b, b_frame) = seam.ends
    of = f" of {seam.motion}" if several else ""
    score = "not judged" if math.isnan(seam.score) else f"score {seam.score:.2f}"
    by = "; ".join(_by(tell) for tell in seam.by[:_BY]) or "nothing in particular"
    return [
        f"  seam {seam.number}{of} at {seam.seconds:.2f} s, {a} {a_frame:.0f} to {b} {b_frame:.0f}: {score}",
        f"    by {by}",
    ]


def _by(tell: Tell) -> str:
    return f"{tell.joint}, {tell.band}"
