"""The clean command: hold planted feet on the floor, repair glitches, smooth jitter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from segue.cli.checked import choice, existing, number
from segue.cli.options import Creep, Feet, Force, Json, Roles, roles_of
from segue.cli.output import counted, progress, result, table, writable
from segue.cli.verbs import FILES, verb
from segue.errors import SettingError
from segue.settings import DEFAULTS

if TYPE_CHECKING:
    from segue.app.cleaning import Cleaned
    from segue.measures.foot_skate import PlantSlide
    from segue.motion.floors import Floor
    from segue.synthesis.feet.heights import Grounding
    from segue.synthesis.repairing import Repaired

_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "clean",
        clean_command,
        "Hold planted feet on the floor, repair glitches, filter jitter.",
        panel=FILES,
        examples=(
            "segue clean clips/run.bvh -o steady.bvh",
            "segue clean clips/stop.bvh --repair --smooth --floor found -o repaired.bvh",
        ),
    )


def clean_command(
    motion: Annotated[
        str,
        typer.Argument(
            help="A motion file, sample:NAME, or one clip of several (moves.glb#NAME, moves.segue#NAME)."
        ),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="File to write: .bvh, .glb, .fbx, .usd, .npz ...")
    ] = Path("clean.bvh"),
    ease: Annotated[
        float,
        number(
            "--ease",
            least=0,
            metavar="SECONDS",
            help="How long a foot's correction fades in before its plant and out after it.",
        ),
    ] = 0.15,
    seams: Annotated[
        bool, typer.Option("--seams", help="Hold only feet planted at the seams of a made motion.")
    ] = False,
    feet: Feet = DEFAULTS.feet,
    creep: Creep = DEFAULTS.creep,
    floor: Annotated[
        str | None,
        typer.Option(
            metavar="FLOOR",
            help=(
                "found, a height in cm, or HEIGHT,SLOPE,TOWARDS in cm and degrees (0 is +Z, 90 +X): planted feet "
                "are put on it; by default they are held along a level floor wherever they rest."
            ),
        ),
    ] = None,
    heights: Annotated[
        str,
        choice(
            "--heights",
            of=("floor", "captured"),
            help="floor: planted feet are put on --floor; captured: heights stay as they are.",
        ),
    ] = "floor",
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Filter jitter out of all joints, without delay.")
    ] = False,
    cutoff: Annotated[
        float, number("--cutoff", above=0, metavar="HZ", help="Frequency at which --smooth halves the power.")
    ] = 6.0,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Replace glitches and dropouts by motion interpolated from the frames around them.",
        ),
    ] = False,
    sources: Annotated[
        Path | None,
        existing("--sources", folder=True, help="Folder in which to look for moved source files."),
    ] = None,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Hold planted feet and put them on the floor; frames that need nothing stay as they are."""
    from segue.app import cleaning
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE)
    stands_on = None if floor is None else _floor(floor)
    with progress(quiet=as_json):
        made = cleaning.clean(
            motion,
            out,
            ease=ease,
            seams_only=seams,
            sources=sources,
            roles=roles_of(roles),
            floor=stands_on,
            heights=heights,  # type: ignore[arg-type]  # checked there
            smooth=cutoff if smooth else None,
            repair=repair,
            creep=creep,
            feet=feet,  # type: ignore[arg-type]  # checked there
        )
    done = made.feet
    document = {
        "written": [str(out)],
        "plants_known_from": made.known_from,
        "frames": done.clip.n_frames,
        "frames_changed": int(done.changed.sum()),
        "root_lowered_up_to": float(done.lowered.max()),
        "floor": None if done.floor is None else _floor_document(done.floor),
        "planted_parts": int(done.contacts.sum()),
        **_heights(done.grounding),
        "smoothed_above_hz": made.cutoff,
        **_repairs(made.repaired, done.clip.fps),
        "plants": [_plant(*pair, done.clip.fps) for pair in zip(done.before, done.after, strict=True)],
    }
    result(document, _text(out, made), as_json=as_json, brief=_text(out, made, worst=False))


def _floor(words: str) -> Floor | Literal["found"]:
    """Parse ``--floor``: found, a height in cm, or height, slope and heading."""
    import math

    from segue.motion.floors import Floor

    if words == "found":
        return "found"
    try:
        numbers = [float(word) for word in words.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 3):
        msg = f"--floor {words}: write found, a height in cm (12.5), or height, slope and heading (12.5,8,90)"
        raise SettingError(msg)
    height, slope, towards = numbers if len(numbers) == 3 else (numbers[0], 0.0, 0.0)
    return Floor(height / 100, math.radians(slope), math.radians(towards))


def _floor_document(floor: Floor) -> dict[str, float]:
    import math

    return {
        "height_cm": 100 * floor.height,
        "slope_degrees": math.degrees(floor.slope),
        "towards_degrees": math.degrees(floor.towards),
    }


def _plant(before: PlantSlide, after: PlantSlide, fps: float) -> dict[str, Any]:
    return {
        "part": before.part,
        "from_seconds": before.start / fps,
        "to_seconds": before.stop / fps,
        "slid_metres_before": before.along_path,
        "slid_metres_after": after.along_path,
    }


def _heights(done: Grounding | None) -> dict[str, Any]:
    if done is None:
        return {"planted_off_floor": None, "root_raised": None}
    before, after = done.off
    return {"planted_off_floor": {"before": before, "after": after}, "root_raised": _span(done)}


def _span(done: Grounding) -> list[float]:
    """Return the least and the most metres by which the root was raised."""
    return [float(done.raised.min()), float(done.raised.max())]


def _repairs(found: Repaired | None, fps: float) -> dict[str, Any]:
    if found is None:
        return {}
    from segue.app.info import fault_document

    return {
        "mended": [fault_document(fault, fps) for fault in found.mended],
        "not_mended": [{**fault_document(fault, fps), "why": why} for fault, why in found.left],
    }


def _done(made: Cleaned) -> list[str]:
    """Return lines on repair, smoothing and floor; `_text` reports sliding."""
    feet, lines = made.feet, []
    if made.repaired is not None:
        lines += [f"repaired: {fault.sentence}" for fault in made.repaired.mended]
        lines += [f"not repaired: {fault.sentence}; it {why}" for fault, why in made.repaired.left]
        if not lines:
            lines.append("nothing to repair: no frame is faulty")
    if made.cutoff is not None:
        lines.append(f"smoothed: what trembles faster than {made.cutoff:g} Hz is gone from all joints")
    if feet.floor is not None:
        words = "the floor lies at {height_cm:.1f} cm and slopes {slope_degrees:.1f} degrees"
        words += " towards {towards_degrees:.0f} degrees" if feet.floor.slope > 0 else ""
        lines.append(words.format(**_floor_document(feet.floor)))
    if feet.grounding is not None and feet.contacts.any():
        before, after = (100 * off for off in feet.grounding.off)
        low, high = (100 * metres for metres in _span(feet.grounding))
        lines.append(
            f"planted heels and toes lay up to {before:.1f} cm off it and lie within {after:.2f} cm of it now; "
            f"the root was carried {low:.1f} to {high:.1f} cm up"
        )
    return lines


def _text(out: Path, made: Cleaned, *, worst: bool = True) -> str:
    import numpy as np

    feet, known_from, others = made.feet, made.known_from, _done(made)
    if not feet.contacts.any():
        return "\n".join([f"{out}: no foot contacts: no foot is held", *others])
    if not feet.before:
        rest = (
            "every frame is as it was" if not feet.changed.any() and not others else "no foot had to be held"
        )
        return "\n".join([f"{out}: no planted foot slides; {rest}", *others])
    before, after = (
        1e3 * np.array([plant.along_path for plant in plants]) for plants in (feet.before, feet.after)
    )
    order = np.argsort(-before, kind="stable")[:_SHOWN]
    rows = [("plant", "seconds", "slid before", "after")]
    rows += [
        (
            feet.before[k].part,
            f"{feet.before[k].start / feet.clip.fps:.2f} to {feet.before[k].stop / feet.clip.fps:.2f}",
            f"{before[k]:.1f} mm",
            f"{after[k]:.1f} mm",
        )
        for k in order.tolist()
    ]
    lines = [
        f"{out}: {counted(len(before), 'plant')} of a heel or toe held, known from {known_from}",
        (
            f"slid {np.median(before):.1f} mm in the median before and {np.median(after):.1f} mm after; "
            f"{100 * (1 - after.sum() / before.sum()):.0f} % of all sliding is gone"
        ),
        (
            f"{int(feet.changed.sum())} of {feet.clip.n_frames} frames changed; the root came down by up to "
            f"{1e3 * feet.lowered.max():.1f} mm where a leg could not reach"
        ),
        *others,
    ]
    if worst:
        lines += ["the farthest:" if len(before) > _SHOWN else "all of them:", table(rows)]
    return "\n".join(lines)
