"""The command that learns weights of a cost from transitions called good and bad."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice, number
from segue.cli.options import Force, Inputs, Json, Roles, roles_of
from segue.cli.output import counted, note, progress, result, skipped_notes, table, writable, writing
from segue.cli.verbs import STUDY, verb
from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.learning import Learnt, LeaveOneOut
    from segue.motion.clip import Clip

_SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "learn",
        learn_command,
        "Weights of a cost from transitions called good and bad.",
        panel=STUDY,
        examples=(
            "segue learn labels.csv clips/ -o weights.toml",
            "segue learn labels.csv clips/ --cost relative_distance --no-check",
        ),
    )


def learn_command(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS", help="Lines clip,frame,clip,frame,good|bad (.csv); frames count from 0."
        ),
    ],
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="File of weights to write (.toml).")] = Path(
        "weights.toml"
    ),
    cost: Annotated[
        str,
        choice(
            "--cost",
            of=("joint_angle", "relative_distance"),
            metavar="NAME",
            help="What is weighted: joint_angle or relative_distance.",
        ),
    ] = "joint_angle",
    nu: Annotated[
        float, number("--nu", least=0, metavar="WEIGHT", help="For joint_angle: weight of the velocities.")
    ] = 1.0,
    ridge: Annotated[
        float,
        number(
            "--ridge",
            least=0,
            metavar="WEIGHT",
            help="Spreads weight over joints that tell the same; 0 is plain least squares.",
        ),
    ] = 0.0,
    check: Annotated[
        bool, typer.Option(help="Leave each label out in turn, and tell how far the best transitions move.")
    ] = True,
    unrelated: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="CLIP CLIP", help="Names of two clips without labels, to be checked too."),
    ] = None,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Weights of a cost from labelled transitions: non-negative least squares, left and right alike."""
    from segue.app import stages
    from segue.io.text import write_whole
    from segue.learning import examples, learn, leave_one_out, read_labels, weights_text

    writable(out, force=force, kinds=(".toml",))
    told = read_labels(labels)
    settings = {"nu": nu} if cost == "joint_angle" else {}
    with progress(quiet=as_json) as tell:
        collection = stages.read(inputs, roles=roles_of(roles), progress=tell)
        skipped_notes(collection.skipped)
        pair = None if unrelated is None else tuple(_clip(name, collection.clips) for name in unrelated)
        found = examples(told, collection.clips, cost=cost, where=str(labels), **settings)
        learnt = learn(found, ridge=ridge)
        left = leave_one_out(found, ridge=ridge, unrelated=pair, progress=tell) if check else None  # type: ignore[arg-type]
    with writing(out):
        write_whole(out, weights_text(learnt, source=labels.name).encode())
    document = _document(learnt, left, out)
    result(document, _text(document, learnt, left), as_json=as_json)
    if min(learnt.good, learnt.bad) < len(learnt.columns) // 2:
        note("segue: few labels for so many joints: weights will move when more come; see the deviations")


def _clip(name: str, clips: tuple[Clip, ...]) -> Clip:
    from segue.app.called import called
    from segue.errors import nearest

    for clip in clips:
        if clip.name == called(name, clips):
            return clip
    msg = f"--unrelated: no clip is called {name!r}; {nearest(name, [clip.name for clip in clips])}"
    raise SettingError(msg)


def _document(learnt: Learnt, left: LeaveOneOut | None, out: Path) -> dict[str, Any]:
    names = [column if isinstance(column, str) else list(column) for column in learnt.columns]
    document: dict[str, Any] = {
        "written": [str(out)],
        "cost": learnt.cost,
        "good": learnt.good,
        "bad": learnt.bad,
        "right": learnt.right,
        "weights": [[name, float(w)] for name, w in zip(names, learnt.weights, strict=True) if w > 0],
        "pseudo_inverse": [[n, float(w)] for n, w in zip(names, learnt.pseudo_inverse, strict=True)],
    }
    document["weights"].sort(key=lambda row: -row[1])
    if left is not None:
        document["left_out"] = {
            "dropped_pair_frames": left.dropped.tolist(),
            "dropped_pair_excess": left.excess.tolist(),
            "unrelated_pair_frames": left.unrelated.tolist(),
        }
    return document


def _text(document: dict[str, Any], learnt: Learnt, left: LeaveOneOut | None) -> str:
    written = document["weights"]
    lines = [
        (
            f"{document['written'][0]}: weights of {learnt.cost} from {counted(learnt.good, 'good transition')} and "
            f"{learnt.bad} bad; one threshold puts {learnt.right:.0%} of them right"
        )
    ]
    rows = [(name if isinstance(name, str) else " - ".join(name), f"{w:.4f}") for name, w in written[:_SHOWN]]
    lines.append(table(rows))
    if len(written) > _SHOWN:
        lines.append(f"  and {len(written) - _SHOWN} smaller ones")
    negative = sum(w < 0 for w in learnt.pseudo_inverse)
    lines.append(f"  without the bound at zero {negative} of {len(learnt.columns)} weights would be negative")
    if left is not None:
        lines.append(f"  leaving one out: {left.sentence()}")
    lines.append(f"use them with --cost {learnt.cost} --set weights={document['written'][0]}")
    return "\n".join(lines)
