"""The learn command: learn the weights of a cost from transitions labelled good and bad."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice, number
from segue.cli.options import Force, Json, Roles, roles_of
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
        "Learn the weights of a cost from good and bad transitions.",
        panel=STUDY,
        examples=(
            "segue learn labels.csv clips/ -o weights.toml",
            "segue learn labels.csv clips/ --cost relative_distance -o pairs.toml",
        ),
    )


def learn_command(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            help="Lines clip,frame,clip,frame,good|bad (.csv; frames from 0), or the answers of a study (.segue).",
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="Clips that the labels name; by default those of the study."),
    ] = None,
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
            help="Spreads weight over joints that carry the same information; 0 is plain least squares.",
        ),
    ] = 0.0,
    method: Annotated[
        str,
        choice(
            "--method",
            of=("nnls", "pseudo_inverse", "bradley_terry"),
            metavar="NAME",
            help="Weights written: nnls, pseudo_inverse or bradley_terry.",
        ),
    ] = "nnls",
    check: Annotated[
        bool, typer.Option(help="Leave each label out in turn and report how far the best transitions move.")
    ] = True,
    unrelated: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="CLIP CLIP", help="Names of two clips without labels, to be checked too."),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--into", metavar="FILE#NAME", help="Library that keeps the weights too, and under what name."
        ),
    ] = None,
    study: Annotated[
        str | None, typer.Option(help="Name of the study, where the file holds several.")
    ] = None,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Weights of a cost from labelled transitions or from a study's answers, left and right alike.

    By non-negative least squares, by the pseudo-inverse and by a logistic model of comparisons (Bradley and Terry).
    """
    from segue.app.studies.labels import LabelSource, found_examples, keep_weights
    from segue.io.text import write_whole
    from segue.learning import learn, leave_one_out, weights_text
    from segue.learning.weights import compared_methods

    writable(out, force=force, kinds=(".toml",))
    settings = {"nu": nu} if cost == "joint_angle" else {}
    asked = LabelSource(labels, tuple(inputs or ()), cost, study, roles_of(roles))
    with progress(quiet=as_json) as tell:
        found, clips, skipped = found_examples(asked, settings, progress=tell)
        skipped_notes(skipped)
        pair = None if unrelated is None else tuple(_clip(name, clips) for name in unrelated)
        learnt = learn(found, ridge=ridge, method=method)  # type: ignore[arg-type]  # checked where it is used
        left = (
            leave_one_out(found, ridge=ridge, method=method, unrelated=pair, progress=tell) if check else None  # type: ignore[arg-type]
        )
    with writing(out):
        write_whole(out, weights_text(learnt, source=labels.name).encode())
    written = [str(out)] + ([] if into is None else [keep_weights(learnt, into, source=labels.name)])
    document = _document(learnt, left, written)
    document["methods"] = compared_methods(found, ridge=ridge)
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


def _document(learnt: Learnt, left: LeaveOneOut | None, written: list[str]) -> dict[str, Any]:
    names = [column if isinstance(column, str) else list(column) for column in learnt.columns]
    document: dict[str, Any] = {
        "written": written,
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
    lines.append(table(_method_rows(document["methods"])))
    if len(written) > _SHOWN:
        lines.append(f"  and {len(written) - _SHOWN} smaller ones")
    if (agreement := document["methods"].get("agreement")) is not None:
        lines.append(f"  {agreement['sentence']}")
    negative = sum(w < 0 for w in learnt.pseudo_inverse)
    lines.append(f"  without the bound at zero {negative} of {len(learnt.columns)} weights would be negative")
    if left is not None:
        lines.append(f"  leaving one out: {left.sentence()}")
    lines.append(f"use them with --cost {learnt.cost} --set weights={document['written'][0]}")
    return "\n".join(lines)


def _method_rows(methods: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return a table of the weights by each method and of the source, sorted by nnls, largest first."""
    rows = sorted(methods["weights"], key=lambda row: -(row["nnls"] or 0.0))[:_SHOWN]
    names = [name for name in ("nnls", "pseudo_inverse", "bradley_terry", "table IV.1") if name in rows[0]]
    out: list[tuple[str, ...]] = [("", *names)]
    for row in rows:
        joint = row["joint"] if isinstance(row["joint"], str) else " - ".join(row["joint"])
        out.append((joint, *("-" if row[name] is None else f"{row[name]:.4f}" for name in names)))
    return out
