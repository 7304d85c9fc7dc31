"""Commands that list the contents of files: info, samples."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.options import Force, Inputs, Json, Roles, roles_of
from segue.cli.output import counted, progress, result, table, writable, writing
from segue.cli.verbs import FILES, verb
from segue.errors import FileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.app.info import ClipInfo, Info, SampleInfo

_COPIES = 6  # most clips of one motion that are named
_FEW = 3  # most clips, faults or notes of a kind listed individually


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "info",
        info_command,
        "Show what motion files hold and what is wrong with them.",
        panel=FILES,
        examples=("segue info clips/", "segue info clips/walk.bvh --json"),
    )
    verb(
        app,
        "samples",
        samples_command,
        "List the embedded clips, or write them as files.",
        panel=FILES,
        examples=("segue samples", "segue samples -o clips/"),
    )


def info_command(
    inputs: Inputs,
    copies: Annotated[bool, typer.Option(help="Look for clips that are copies of one another.")] = True,
    roles: Roles = None,
    as_json: Json = False,
) -> None:
    """Show what motion files hold: format, rate, unit and axis and how each was found, roles, faults, copies."""
    from segue.app.info import inspect

    given = roles_of(roles)
    with progress(quiet=as_json) as tell:
        found = inspect(inputs, copies=copies, roles=given, progress=tell)
    result(_document(found), _text(found), as_json=as_json)


def samples_command(
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder to write them into as files; it is made.")
    ] = None,
    to: Annotated[str, typer.Option("--format", "--to", help="Format of the files: bvh, glb ...")] = "bvh",
    fps: Annotated[float, typer.Option(help="Frames a second, 10 to 1000.")] = 60.0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List the embedded clips with their exact speed and turning rate, or write them as files."""
    from segue.app.info import samples

    given = samples(fps)
    written = [] if out is None else _write(given, out, "." + to.lower().lstrip("."), force=force)
    document: dict[str, Any] = {
        "samples": [asdict(one) for one in given],
        "written": [str(p) for p in written],
    }
    rows = [("clip", "seconds", "frames", "fps", "speed", "turning", "on feet")]
    rows += [
        (
            one.name,
            f"{one.seconds:g}",
            str(one.frames),
            f"{one.fps:g}",
            _span(one.speed, one.speed_range, "m/s"),
            _span(one.turning, one.turning_range, "deg/s"),
            f"{one.on_feet:.0%}",
        )
        for one in given
    ]
    lines = [table(rows)]
    lines.append(
        f"written: {len(written)} files in {out}"
        if written
        else "every command takes them as sample:NAME; -o FOLDER writes them as files"
    )
    result(document, "\n".join(lines), as_json=as_json)


def _write(given: Sequence[SampleInfo], out: Path, suffix: str, *, force: bool) -> list[Path]:
    """Write the embedded clips into a folder, or none if one of them may not be written."""
    from segue.io import save
    from segue.io.formats import WRITABLE
    from segue.motion.samples import sample

    paths = [out / f"{one.name}{suffix}" for one in given]
    if suffix not in WRITABLE:
        msg = f"--format {suffix[1:]} cannot be written; formats that can: {', '.join(WRITABLE)}"
        raise SettingError(msg)
    if out.exists() and not out.is_dir():
        raise FileError(out, "is a file; name a folder")
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for path in paths:
            with_it = [path.with_suffix(".qpos.csv")] if suffix == ".xml" else []
            writable(path, force=force, kinds=tuple(WRITABLE), beside=with_it)
        for one, path in zip(given, paths, strict=True):
            save(sample(one.name, one.fps), path)
    return paths


def _span(mean: float, ends: tuple[float, float], unit: str) -> str:
    low, high = ends
    return f"{mean:.3g} {unit}" if high - low < 1e-6 else f"{low:.3g} to {high:.3g} {unit}"


# -- info --------------------------------------------------------------------------------------------------------


def _document(found: Info) -> dict[str, Any]:
    from segue.app.info import fault_document

    clips = []
    for clip in found.clips:
        one = asdict(clip)
        one["faults"] = [fault_document(fault, clip.fps) for fault in clip.faults]
        clips.append(one)
    return {
        "clips": clips,
        "markers": [asdict(one) for one in found.markers],
        "copies": [asdict(pair) for pair in found.copies],
        "skipped": [{"path": path, "why": why} for path, why in found.skipped],
        "total": {
            "clips": len(found.clips),
            "frames": found.frames,
            "seconds": found.seconds,
            "faulty_frames": found.faulty_frames,
        },
    }


def _text(found: Info) -> str:
    lines = []
    if found.clips:
        lines += [*_rows(found), *_wrong(found), *_taken(found)]
    for one in found.markers:
        lines.append(
            f"{one.path}: {counted(one.markers, 'marker')} and no skeleton ({one.format}), {one.frames} frames at "
            f"{one.fps:g} fps, {one.seconds:.2f} s, {one.missing:.1%} of the samples missing"
        )
    lines += _alike(found)
    if found.skipped:
        lines.append(f"skipped ({len(found.skipped)}):")
        lines += [f"  {why}" for _, why in found.skipped]
    if found.clips or not found.markers:
        lines.append(_total(found))
    return "\n".join(lines)


_HEAD = (
    "clip",
    "format",
    "frames",
    "fps",
    "seconds",
    "joints",
    "unit",
    "up",
    "roles",
    "height",
    "floor",
    "speed",
    "on feet",
    "faults",
)


_STATED_ONCE = {"format", "fps", "joints", "unit", "up", "roles", "height"}


def _rows(found: Info) -> list[str]:
    """Return one clip as a list, several as a table; values equal in all clips are printed once below it."""
    rows = [_row(clip) for clip in found.clips]
    if len(rows) == 1:
        return [table(list(zip(_HEAD, rows[0], strict=True)))]
    same = [head in _STATED_ONCE and len({row[k] for row in rows}) == 1 for k, head in enumerate(_HEAD)]
    kept = [tuple(word for word, once in zip(row, same, strict=True) if not once) for row in (_HEAD, *rows)]
    once = [f"{head} {word}" for head, word, is_same in zip(_HEAD, rows[0], same, strict=True) if is_same]
    return [table(kept), *([f"all of them: {', '.join(once)}"] if once else [])]


def _row(clip: ClipInfo) -> tuple[str, ...]:
    known, all_of_them = len(clip.roles), len(clip.roles) + len(clip.unknown_roles)
    return (
        clip.name,
        clip.format,
        str(clip.frames),
        f"{clip.fps:.6g}",
        f"{clip.seconds:.2f}",
        str(clip.joints),
        "1 m" if clip.unit in (None, 1.0) else f"{(clip.unit or 0.0) * 100:.4g} cm",
        clip.up,
        f"{known}/{all_of_them} {clip.scheme}",
        "-" if clip.height is None else f"{clip.height:.2f} m",
        "-" if clip.floor is None else f"{round(clip.floor * 100)} cm",
        f"{clip.speed:.2f} m/s",
        "-" if clip.on_feet is None else f"{clip.on_feet:.0%}",
        ", ".join(dict.fromkeys(fault.kind for fault in clip.faults)) or "none",
    )


def _wrong(found: Info) -> list[str]:
    """Return lines on faults, and on what is unavailable because of unknown roles."""
    lines = _fault_lines(found)
    out = ["faults:", *lines] if lines else []
    costs: dict[str, list[str]] = {}
    for clip in found.clips:
        for cost in clip.role_costs:
            costs.setdefault(cost, []).append(clip.name)
    return [*out, *_grouped("unknown roles:", costs)]


def _fault_lines(found: Info) -> list[str]:
    """Return a line per fault, or per kind of fault if more than `_FEW` clips of a folder share it."""
    groups: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for clip in found.clips:
        for fault in clip.faults:
            key = (str(Path(clip.path).parent), fault.kind, fault.severity)
            groups.setdefault(key, []).append((clip.name, fault.sentence))
    lines = []
    for (_, kind, severity), rows in groups.items():
        end = "; not played" if severity == "unusable" else ""
        names = list(dict.fromkeys(name for name, _ in rows))
        if len(names) <= _FEW:
            lines += [f"  {name}: {sentence}{end}" for name, sentence in rows]
        else:
            shown = f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"
            lines.append(
                f"  {kind} in {len(names)} clips ({shown}; all with --json){end}; in {names[0]}: {rows[0][1]}"
            )
    return lines


def _taken(found: Info) -> list[str]:
    """Return the assumptions of readers where a file left something open, equal sentences once."""
    notes: dict[str, list[str]] = {}
    for clip in found.clips:
        for reported in (f"rate: {clip.rate_from}", *clip.notes):
            notes.setdefault(reported, []).append(clip.name)
    return _grouped("how it was read:", _alike_once(notes))


def _alike_once(notes: dict[str, list[str]]) -> dict[str, list[str]]:
    """Merge more than `_FEW` sentences that differ only in numbers and names into the first of them."""
    shapes: dict[str, list[str]] = {}
    for reported in notes:
        short = reported.partition("; the file also holds")[0]
        shapes.setdefault(re.sub(r"'[^']*'|\([^)]*\)|\d[\d.]*", "#", short), []).append(reported)
    out: dict[str, list[str]] = {}
    for alike in shapes.values():
        if len(alike) <= _FEW:
            out |= {reported: notes[reported] for reported in alike}
        else:
            first = alike[0].partition("; the file also holds")[0]
            names = dict.fromkeys(name for reported in alike for name in notes[reported])
            out[f"{first}, and {len(alike) - 1} like it (--json)"] = list(names)
    return out


def _grouped(head: str, sentences: dict[str, list[str]]) -> list[str]:
    rows = [
        f"  {note} ({', '.join(names) if len(names) <= _FEW else f'{len(names)} clips'})"
        for note, names in sentences.items()
    ]
    return [head, *rows] if rows else []


def _alike(found: Info) -> list[str]:
    """Return a line per group of clips with the same motion; pairs would need n (n - 1) / 2 lines for n copies."""
    groups: list[tuple[list[str], list[float]]] = []
    for pair in found.copies:
        names, seconds = [pair.a, pair.b], [pair.seconds]
        for group in [group for group in groups if {pair.a, pair.b} & set(group[0])]:
            groups.remove(group)
            names, seconds = group[0] + names, group[1] + seconds
        groups.append((list(dict.fromkeys(names)), seconds))
    rows = []
    for names, seconds in groups:
        first, last = ", ".join(names[:-1][:_COPIES]), names[-1]
        end = f" and {last}" if len(names) <= _COPIES + 1 else f" and {len(names) - _COPIES} more (--json)"
        long = f"{min(seconds):.1f}", f"{max(seconds):.1f}"
        rows.append(f"  {first}{end} for {long[0] if long[0] == long[1] else ' to '.join(long)} s")
    return ["the same motion twice (a graph does not join copies):", *rows] if rows else []


def _total(found: Info) -> str:
    formats = Counter(clip.format for clip in found.clips)
    kinds = ", ".join(f"{count} {kind}" for kind, count in formats.most_common()) or "none"
    clips, frames = counted(len(found.clips), "clip"), counted(found.frames, "frame")
    text = f"{clips} ({kinds}), {frames}, {found.seconds:.1f} s"
    if found.faulty_frames:
        text += f"; {counted(found.faulty_frames, 'faulty frame')} will not be played"
    return text
