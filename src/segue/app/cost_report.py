"""The report of a comparison of costs: tables, matrices, sorted costs and filmstrips on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.app.comparing import (
    BLEND_SECONDS,
    Choice,
    Compared,
    compare_costs,
    matrix_of,
    only_in,
)
from segue.app.skating import Skate, transition
from segue.costs.point_cloud import PointCloudCost
from segue.measures.foot_skate import carried_contacts
from segue.motion.samples import sample
from segue.pictures.comparison import curves_picture, difference_picture
from segue.pictures.filmstrip import filmstrip
from segue.pictures.matrix import cost_picture
from segue.pictures.report import Figure, ReportTable, Section, report
from segue.threads import Progress, silent

_STRIPS = 3  # filmstrips of each side of a set difference
_CURVE = 4  # sorted costs are drawn up to this many times T


@dataclass(frozen=True)
class CostLine:
    """Results of one cost: counts, foot skate in metres, share in active phases, differences from the reference."""

    label: str
    median: float
    minima: int
    knee: int | None
    skate: Skate
    active: float
    only: int
    missed: int


def reference(compared: Compared) -> str:
    """Return the cost that others are compared with: the uniform point cloud if present, else the first."""
    labels = [item.label for item in compared.found]
    return "uniform" if "uniform" in labels else labels[0]


def cost_lines(compared: Compared) -> tuple[CostLine, ...]:
    """Return one line per cost; ``only`` counts choices the reference lacks, ``missed`` those only it has."""
    base = reference(compared)
    return tuple(
        CostLine(
            item.label,
            item.median,
            item.curve.size,
            item.knee,
            compared.skate(item.label),
            compared.active[item.label],
            len(only_in(compared, item.label, base)),
            len(only_in(compared, base, item.label)),
        )
        for item in compared.found
    )


def write_report(compared: Compared, path: Path, *, progress: Progress = silent) -> None:
    """Write the page of a comparison: one HTML file with its pictures inside.

    Raises
    ------
    FileError
        If the file does not end in .html or its folder does not exist.
    MissingExtraError
        If matplotlib is not installed.
    """
    sections = []
    made = _sections(compared)
    for done, section in enumerate(made):
        progress("drawing", done, 5)
        sections.append(section)
    names = sorted({clip.name for pair in compared.pairs for clip in pair})
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    report(
        f"{len(compared.found)} costs on {len(names)} clip{'s' if len(names) > 1 else ''}",
        sections,
        path,
        summary=f"{shown}. The {compared.best_count} best transitions of each cost are looked at.",
    )


def _sections(compared: Compared) -> Iterator[Section]:
    yield Section("What each cost chooses", tuple(_overview(compared)))
    yield Section("Sorted costs", tuple(_curves(compared)))
    yield Section("Where the costs differ", tuple(_differences(compared)))
    yield Section("Transitions that only one chooses", tuple(_strips(compared)))
    yield Section("Parts of the cost", tuple(_parts(compared)))


def _overview(compared: Compared) -> Iterator[str | ReportTable]:
    base = reference(compared)
    lines = cost_lines(compared)
    unit = next(line.skate.start_to_end for line in lines if line.label == base)
    head = (
        "cost",
        "slide, start to end",
        f"against {base}",
        "slide along path",
        "supports",
        "in active phases",
        f"not in {base}",
        "knee at rank",
        "minima",
    )
    rows = [
        (
            line.label,
            line.skate.words[0],
            f"{line.skate.start_to_end / unit:.2f}" if unit > 0 and line.skate.supports else "-",
            line.skate.words[1],
            str(line.skate.supports),
            f"{line.active:.0%}",
            f"{line.only} of {compared.best_count}",
            "no bend" if line.knee is None else str(line.knee),
            str(line.minima),
        )
        for line in lines
    ]
    yield ReportTable(
        (head, *rows),
        f"Foot skate of the {compared.best_count} best transitions of each cost, blended over {BLEND_SECONDS:.2f} s by "
        "ease-in/ease-out with no clean-up: how far a supporting heel or toe slides on the ground during a blend, mean "
        "over supports. Active phases: joints move faster about the root than in the clips' median moment.",
    )
    yield _control(compared)


def _control(compared: Compared) -> str:
    """Compare the costs on regular walking as a control: they should hardly differ there."""
    labels = [item.label for item in compared.found]
    walk = sample("walk")
    known = compare_costs([walk], [walk], {item.label: item.cost for item in compared.found})
    base = reference(compared)
    same = [
        f"{label} {known.best_count - len(only_in(known, label, base))}" for label in labels if label != base
    ]
    return (
        f"Control: on the embedded walk, where steps repeat, {base} also chooses this many of the "
        f"{known.best_count} best transitions of each cost: {', '.join(same)}."
    )


def _curves(compared: Compared) -> Iterator[Figure]:
    curves = {item.label: item.curve for item in compared.found}
    picture = curves_picture(
        curves,
        knees={item.label: item.knee for item in compared.found},
        count=compared.best_count,
        title="costs of the deduplicated minima, sorted",
        most=max(_CURVE * compared.best_count, 40),
    )
    words = ", ".join(
        f"{item.label} {'does not bend' if item.knee is None else f'bends at rank {item.knee}'}"
        for item in compared.found
    )
    yield Figure(
        picture,
        f"Curves of sorted costs over their rank, one a cost: {words}.",
        f"Each cost over its median; a dot marks where a curve bends for certain. T = {compared.best_count} is the "
        "median of the bends.",
    )


def _busiest(compared: Compared) -> int:
    """Return the pair of clips that holds most of the chosen transitions."""
    count = Counter(choice.pair for chosen in compared.chosen.values() for choice in chosen)
    return count.most_common(1)[0][0]


def _frames(choices: tuple[Choice, ...] | list[Choice], pair: int) -> list[tuple[int, int]]:
    return [(choice.point.a_frame, choice.point.b_frame) for choice in choices if choice.pair == pair]


def _differences(compared: Compared) -> Iterator[str | Figure]:
    pair, base = _busiest(compared), reference(compared)
    a, b = compared.pairs[pair]
    if len(compared.pairs) > 1:
        yield f"The matrices of {a.name} and {b.name}, which hold most of the chosen transitions."
    matrices = {item.label: matrix_of(compared, item.label, pair) for item in compared.found}
    for label, matrix in matrices.items():
        chosen = _frames(compared.chosen[label], pair)
        title = f"{label}: {a.name} → {b.name}"
        yield Figure(
            cost_picture(matrix, chosen=chosen, title=title),
            f"Cost matrix of {a.name} against {b.name} by {label}: dark is alike, bright is unlike; {len(chosen)} "
            "chosen transitions are marked.",
            f"{label}, divided by its median.",
            half=True,
        )
    for label, matrix in matrices.items():
        if label == base:
            continue
        only, missed = only_in(compared, label, base), only_in(compared, base, label)
        both = [choice for choice in compared.chosen[label] if choice not in only]
        points = {"first": _frames(only, pair), "second": _frames(missed, pair), "both": _frames(both, pair)}
        yield Figure(
            difference_picture(matrix, matrices[base], labels=(label, base), chosen=points),
            f"Difference of the matrices by {label} and by {base}: {len(points['first'])} transitions are chosen by "
            f"{label} alone, {len(points['second'])} by {base} alone, {len(points['both'])} by both.",
            f"Normalised costs of {label} less those of {base}.",
            half=True,
        )


def _strips(compared: Compared) -> Iterator[str | Figure]:
    base = reference(compared)
    for item in compared.found:
        if item.label == base:
            continue
        for label, other in ((item.label, base), (base, item.label)):
            only = only_in(compared, label, other)
            yield f"{len(only)} of {compared.best_count} are chosen by {label} and not by {other}."
            for choice in only[:_STRIPS]:
                yield _strip(compared, choice, label)


def _strip(compared: Compared, choice: Choice, label: str) -> Figure:
    a, b = compared.pairs[choice.pair]
    rank = compared.chosen[label].index(choice)
    skate = Skate.mean([compared.skates[label][rank]])
    motion = transition(a, b, choice.point, seconds=BLEND_SECONDS, around=0.4)
    planted = carried_contacts(motion, [a] if b is a else [a, b])
    where = f"{a.name} frame {choice.point.a_frame} to {b.name} frame {choice.point.b_frame}"
    slid = (
        f"supporting feet slide {100 * skate.start_to_end:.1f} cm" if skate.supports else "nothing supports"
    )
    title = f"{label}, rank {rank + 1}: {where}"
    return Figure(
        filmstrip(motion, count=14, contacts=planted, title=title),
        f"Filmstrip of a transition from {where}, rank {rank + 1} by {label}; {slid}.",
        f"Rank {rank + 1} by {label}, {choice.cost:.3f} of its median; {slid}.",
    )


def _parts(compared: Compared) -> Iterator[str | Figure]:
    """Fig. 5a and 5b: point clouds against positions and orientations, window against centre frame alignment."""
    clouds = [item for item in compared.found if isinstance(item.cost, PointCloudCost)]
    if not clouds:
        yield "No point cloud was compared."
        return
    settings = {"weighting": clouds[0].cost.weighting}  # type: ignore[attr-defined]  # a point cloud by the test above
    yield from _variants(
        compared,
        {
            "point cloud": PointCloudCost(**settings),
            "place and orientation": PointCloudCost(cloud="bodies", **settings),
        },
        f"{settings['weighting']}: point clouds against place and orientation of the parts",
    )
    yield from _variants(
        compared,
        {
            "whole window": PointCloudCost(**settings),
            "centre frame": PointCloudCost(align="centre", **settings),
        },
        f"{settings['weighting']}: aligned over the whole window against on the centre frame",
    )


def _variants(compared: Compared, costs: Mapping[str, PointCloudCost], title: str) -> Iterator[Figure]:
    left = tuple({id(a): a for a, _ in compared.pairs}.values())
    right = tuple({id(b): b for _, b in compared.pairs}.values())
    found = compare_costs(left, right, costs, best=compared.best_count)
    curves = {item.label: item.curve for item in found.found}
    spread = {label: float(np.std(curve) / np.mean(curve)) for label, curve in curves.items()}
    one, two = costs
    words = (
        f"{len(only_in(found, one, two))} of the {found.best_count} best by {one} are not among those by {two}. Spread "
        "of the sorted costs, deviation over mean: "
        + ", ".join(f"{label} {value:.2f}" for label, value in spread.items())
    )
    picture = curves_picture(curves, count=found.best_count, title=title)
    yield Figure(picture, f"Two curves of sorted costs: {one} and {two}. {words}.", f"{words}.")
