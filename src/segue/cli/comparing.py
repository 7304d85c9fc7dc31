"""Comparison of several costs on the same clips, for `segue compare --costs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.cli.output import counted, progress, result, skipped_notes, table, writable, writing
from segue.errors import SettingError, require_extra

if TYPE_CHECKING:
    from segue.app.comparing import Compared
    from segue.app.cost_report import CostLine
    from segue.motion.clip import Clip


def compare_costs_of(
    inputs: tuple[str, str],
    words: str,
    *,
    page: Path | None,
    roles: dict[str, str] | None,
    best: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Compare costs on two files or folders; print a table and write a page."""
    from segue.app import stages
    from segue.app.comparing import compare_costs, compared_costs
    from segue.app.cost_report import cost_lines, write_report
    from segue.motion.body import is_human
    from segue.motion.roles import require_legs
    from segue.synthesis.retarget import retarget

    if page is not None:
        writable(page, force=force, kinds=(".html", ".htm"))
        require_extra("a page with pictures", "plot")
    costs = compared_costs(words)
    if best is not None and best < 1:
        msg = f"--best {best}: a comparison of costs needs at least one transition of each"
        raise SettingError(msg)
    with progress(quiet=as_json) as tell:
        sides = [stages.read([word], roles=roles, progress=tell) for word in dict.fromkeys(inputs)]
        clips = {
            _known(clip): clip for side in sides for clip in side.clips
        }  # one entry for a clip on both sides
        human = {key: clip for key, clip in clips.items() if is_human(clip.skeleton)}
        for side in (sides[0], sides[-1]):
            if not any(_known(clip) in human for clip in side.clips):
                require_legs(side.clips)
        first = next(clip.skeleton for clip in sides[0].clips if _known(clip) in human)
        worn = {key: retarget(clip, first) for key, clip in human.items()}
        left, right = (
            [worn[_known(clip)] for clip in side.clips if _known(clip) in human]
            for side in (sides[0], sides[-1])
        )
        compared = compare_costs(left, right, costs, best=best, progress=tell)
        if page is not None:
            with writing(page):
                write_report(compared, page, progress=tell)
    legless = [
        (clip.name, f"{clip.name}: it has no human legs") for key, clip in clips.items() if key not in human
    ]
    skipped_notes((*(skip for side in sides for skip in side.skipped), *legless))
    lines = cost_lines(compared)
    document = _document(compared, lines)
    if page is not None:
        document["written"] = [str(page)]
    result(document, _text(compared, lines, page), as_json=as_json)


def _known(clip: Clip) -> tuple[str, str]:
    """Return the file and name of a clip, which identify it."""
    return "" if clip.source is None else str(clip.source.path), clip.name


def _document(compared: Compared, lines: tuple[CostLine, ...]) -> dict[str, Any]:
    return {
        "pairs": len(compared.pairs),
        "best_count": compared.best_count,
        "costs": [
            {
                "cost": line.label,
                "median": line.median,
                "minima": line.minima,
                "knee": line.knee,
                "slide_cm": {
                    "start_to_end": 100 * line.skate.start_to_end,
                    "along_path": 100 * line.skate.along_path,
                },
                "supports": line.skate.supports,
                "active_share": line.active,
                "not_in_reference": line.only,
                "points": [
                    {
                        "a": choice.point.a_clip,
                        "b": choice.point.b_clip,
                        "a_frame": choice.point.a_frame,
                        "b_frame": choice.point.b_frame,
                        "cost_over_median": choice.cost,
                    }
                    for choice in compared.chosen[line.label]
                ],
            }
            for line in lines
        ],
    }


def _text(compared: Compared, lines: tuple[CostLine, ...], page: Path | None) -> str:
    head = ("cost", "slide", "along path", "supports", "active", "knee", "minima")
    rows = [
        (
            line.label,
            line.skate.words[0],
            line.skate.words[1],
            str(line.skate.supports),
            f"{line.active:.0%}",
            "-" if line.knee is None else str(line.knee),
            str(line.minima),
        )
        for line in lines
    ]
    count = counted(len(compared.pairs), "pair")
    out = [
        f"the {compared.best_count} best transitions of {count} of clips by each cost",
        table([head, *rows]),
    ]
    return "\n".join(out + ([f"report: {page}"] if page is not None else []))
