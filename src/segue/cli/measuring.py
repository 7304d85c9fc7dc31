"""The measure command: measure a motion, or two side by side, and write a report page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import existing
from segue.cli.motion_text import repeats_words
from segue.cli.options import Force, Json, Roles, roles_of
from segue.cli.output import counted, note, result, table, writable, writing
from segue.cli.verbs import LOOK, verb

if TYPE_CHECKING:
    from segue.measures import Measures

Sources = Annotated[
    Path | None, existing("--sources", folder=True, help="Folder in which to look for moved source files.")
]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "measure",
        measure_command,
        "Measure foot skate, seams and root speed.",
        panel=LOOK,
        examples=("segue measure endless.bvh", "segue measure endless.bvh --worst 5 --report endless.html"),
    )


def measure_command(
    motion: Annotated[
        str,
        typer.Argument(
            help="A motion file; with its .origin.json beside it, seams too. Or moves.glb#NAME, moves.segue#NAME."
        ),
    ],
    sources: Sources = None,
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst seams to name.")] = 3,
    against: Annotated[str | None, typer.Option(help="Another motion, to be measured beside it.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Page to write (.html): numbers, curves, the worst seams.")
    ] = None,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Measure foot skate, seams, ground contact, jerk, knees, limbs and new poses, with units."""
    from segue.app.measure_numbers import beside, numbers
    from segue.app.measuring import measure_file
    from segue.errors import require_extra

    if report is not None:
        writable(report, force=force, kinds=(".html", ".htm"))
        require_extra("a page with curves", "plot")
    found = [
        measure_file(word, sources=sources, roles=roles_of(roles))
        for word in (motion, against)
        if word is not None
    ]
    documents = [numbers(one, worst=worst) for one in found]
    if found[0].note:
        note(f"segue: {found[0].note}")
    for given in documents:
        if given["repetition"] is not None and given["repetition"]["warning"]:
            note(f"segue: {given['motion']}: {given['repetition']['warning']}")
    if report is not None:
        from segue.app.measure_numbers import write_measure_report

        with writing(report):
            write_measure_report(found, documents, report, worst=worst)
    if against is not None:
        text = table(beside(*documents))
        document: dict[str, Any] = {"motion": documents[0], "against": documents[1]}
    else:
        known = found[0].record is not None
        text, document = _measure_text(documents[0], found[0].measures, known=known), documents[0]
    if report is not None:
        document = {**document, "written": [str(report)]}
        text += f"\nreport: {report}"
    result(document, text, as_json=as_json)


def _measure_text(document: dict[str, Any], measures: Measures, *, known: bool) -> str:
    skate, speed, bounds = document["skate_cm"], document["root_speed"], measures.bounds
    slid = (
        f"{skate['start_to_end']:.2f} cm start to end, {skate['along_path']:.2f} cm along the path: mean "
        f"over {counted(document['plants'], 'plant')} of heels and toes"
    )
    rows = [
        ("foot skate", slid if document["plants"] else "no foot contacts"),
        *_slip_rows(document["slip_mm"]),
        ("root speed", f"{speed['mean']:.2f} m/s mean, {speed['max']:.2f} m/s most, on the ground"),
    ]
    if document["planted_speed"]["median"] is not None:
        planted = document["planted_speed"]
        rows.append(
            (
                "planted",
                (
                    f"{100 * planted['median']:.1f} cm/s median, {100 * planted['p95']:.1f} cm/s at 95 %: "
                    "sideways, in blends, of feet planted in both sources"
                ),
            )
        )
    if document["seams_measured"]:
        rows.append(
            (
                "seams",
                (
                    f"{document['seams_within_bounds']} of {document['seams_measured']} within bounds (angular "
                    f"speed {bounds.speed_factor:g} x the sources' + 10 deg/s, acceleration "
                    f"{bounds.acceleration_factor:g} x)"
                ),
            )
        )
        rows += [
            (
                f"seam {s['number']}",
                (
                    f"at {s['seconds']:.2f} s, {s['from']} to {s['to']}: acceleration "
                    f"{s['acceleration_ratio']:.2f} x the sources' ({s['acceleration_joint']}), speed "
                    f"{s['speed_share']:.0%} of bound ({s['speed_joint']})"
                ),
            )
            for s in document["worst_seams"]
        ]
    elif document["seams"]:
        rows.append(("seams", f"{document['seams']}, too near its ends to be measured"))
    elif known:
        rows.append(("seams", "none: it plays one source throughout"))
    rows += _quality_rows(document)
    head = f"{document['motion']}: {document['seconds']:.2f} s at {document['fps']:g} fps"
    return "\n".join([head, table(rows)])


def _slip_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for word, label, thing in (
        ("contacts", "slip", "a plant"),
        ("low", "low feet", "a part under 3 cm and 0.3 m/s"),
    ):
        one = document[word]
        if one["plants"]:
            words = f"{thing}: {one['median']:.1f} mm median, {one['p95']:.1f} mm at 95 %"
            if one["beyond_median"] is not None:
                words += f"; beyond its source {one['beyond_median']:.1f} and {one['beyond_p95']:.1f}"
            rows.append((label, words))
    return rows


def _quality_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    ground = document["ground_cm"]
    rows = [
        (
            "ground",
            (
                f"heels and toes up to {ground['deepest_below']:.1f} cm below the floor, planted ones up to "
                f"{ground['highest_above']:.1f} cm above"
            ),
        ),
        (
            "jerk",
            f"{document['jerk']['median']:.0f} m/s^3 median, {document['jerk']['p99']:.0f} at 99 %: fastest joint",
        ),
    ]
    if document["seam_jerk"] is not None:
        rows.append(
            (
                "at seams",
                (
                    f"jerk up to {document['seam_jerk']:.2f} x the sources' 99 %, "
                    f"knees up to {document['seam_knee']:.2f} x their hardest, "
                    f"root {document['seam_root_speed']:.2f} m/s beyond their speeds"
                ),
            )
        )
    beyond = "beyond what the sources do" if document["limbs_beyond_sources"] else "in the capsule body"
    rows.append(("limbs", f"overlap up to {document['limbs_overlap_cm']:.1f} cm {beyond}"))
    if document["bone_error_mm"] > 0.01:
        rows.append(("bones", f"up to {document['bone_error_mm']:.2f} mm longer or shorter"))
    if document["repetition"] is not None:
        rows.append(("repeats", repeats_words(document["repetition"])))
    novelty = document["pose_novelty"]
    if novelty is not None:
        captured = novelty["captured_p95"]
        beside = "" if captured is None else f"; captured ones from other clips {captured:.3f} at 95 %"
        words = f"{novelty['p95']:.3f} leg lengths from the nearest captured one at 95 %"
        rows.append(("poses", words + beside))
    return rows
