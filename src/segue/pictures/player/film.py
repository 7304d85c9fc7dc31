"""Document for the player of one motion or of several in step.

``client/player/src/film.ts`` declares the same document; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from segue.arrays import Bools
from segue.errors import SettingError
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.feet import FOOT_PARTS, foot_points, foot_positions
from segue.motion.flags import runs
from segue.motion.kinematics import world
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton
from segue.motion.stance import stance
from segue.pictures.origins import blended, joins, main_source, pieces
from segue.pictures.palette import source_colours
from segue.pictures.player.bodies import packed_body
from segue.pictures.player.packing import packed
from segue.texts import shown

VERSION = 1
MOST = 4
"""Maximum number of motions side by side on one page."""
_MOST_PIECES = 400  # pieces and seams listed on a page


def film(clips: Sequence[Clip], *, title: str = "", contacts: Sequence[Bools | None] = ()) -> dict[str, Any]:
    """Build the document of motions that play in step.

    Parameters
    ----------
    clips
        One to `MOST` motions, each of any body and rate.
    title
        Heading; by default the names of the motions.
    contacts
        For each motion (F, 4) flags of heels and toes that should be on the ground; by default detected.

    Raises
    ------
    SettingError
        If there is no motion or too many.

    Examples
    --------
    >>> import segue
    >>> made = film([segue.sample("walk")])
    >>> made["title"], len(made["motions"]), made["motions"][0]["motion"]["frames"]
    ('walk', 1, 361)
    """
    if not 1 <= len(clips) <= MOST:
        msg = f"a page plays 1 to {MOST} motions side by side, not {len(clips)}"
        raise SettingError(msg)
    bodies: list[dict[str, Any]] = []
    seats: dict[Skeleton, int] = {}
    for clip in clips:
        if clip.skeleton not in seats:
            seats[clip.skeleton] = len(bodies)
            bodies.append(packed_body(clip.skeleton))
    given = [*contacts, *[None] * (len(clips) - len(contacts))]
    return {
        "version": VERSION,
        "title": shown(title or " and ".join(clip.name for clip in clips)),
        "bodies": bodies,
        "motions": [
            _motion(clip, seats[clip.skeleton], flags) for clip, flags in zip(clips, given, strict=True)
        ],
    }


def _motion(clip: Clip, body: int, flags: Bools | None) -> dict[str, Any]:
    human = is_human(clip.skeleton)
    planted, floor = _feet(clip, flags) if human else ([], _lowest(clip))
    return {
        "name": shown(clip.name),
        "note": f"{clip.seconds:.2f} s · {clip.fps:g} frames/s · {clip.n_frames:,} frames",
        "body": body,
        "motion": packed(clip).document(),
        "floor": round(floor, 5),
        "trails": _trails(clip.skeleton),
        **_seams(clip),
        "planted": planted,
    }


def _feet(clip: Clip, flags: Bools | None) -> tuple[list[dict[str, Any]], float]:
    """Planted feet, and the height of the floor under them."""
    found = stance(clip)
    points = foot_points(clip.skeleton)
    places = foot_positions(clip.skeleton, world(clip))
    wanted = found.flags if flags is None else flags
    planted = []
    for column, part in enumerate(FOOT_PARTS):
        side, kind = part.split("_")
        for start, stop in runs(wanted[:, column]):
            x, _, z = np.median(places[start:stop, column], axis=0)
            planted.append(
                {
                    "side": side,
                    "part": kind,
                    "start": start,
                    "stop": stop,
                    "x": round(float(x), 4),
                    "z": round(float(z), 4),
                }
            )
    return planted, float(np.median(found.floor - points.rest_heights))


def _lowest(clip: Clip) -> float:
    return float(world(clip).positions[..., 1].min())


def _trails(skeleton: Skeleton) -> list[dict[str, Any]]:
    """Joints of feet and hands, as far as a body has them."""
    found = roles(skeleton)
    ends = [(side, f"{side}_{part}") for side in SIDES for part in ("ankle", "wrist")]
    return [{"joint": found[role], "side": side} for side, role in ends if role in found]


def _seams(clip: Clip) -> dict[str, Any]:
    """Seams and the pieces between them; for a motion blended throughout (steered), pieces by largest weight."""
    names = [shown(name) for name in clip.origin.clips]
    colours = list(source_colours(clip.origin.clips).values())
    if float(np.mean(blended(clip))) > 0.8:
        return {"seams": [], "pieces": _spans(clip, names, colours)}
    source, _ = main_source(clip)
    last = clip.n_frames - 1
    seams = [
        {
            "start": join.start,
            "stop": join.stop,
            "frame": join.frame,
            "from": names[source[max(join.start - 1, 0)]],
            "to": names[source[min(join.stop, last)]],
        }
        for join in joins(clip)
    ]
    by_name = dict(zip(clip.origin.clips, colours, strict=False))
    parts = [
        {"start": one.start, "stop": one.stop, "name": shown(one.name), "colour": by_name[one.name]}
        for one in pieces(clip)
    ]
    return {"seams": seams[:_MOST_PIECES], "pieces": parts[:_MOST_PIECES]}


def _spans(clip: Clip, names: list[str], colours: list[str]) -> list[dict[str, Any]]:
    """Stretches in which one source has the largest weight."""
    source, _ = main_source(clip)
    edges = [0, *(np.flatnonzero(np.diff(source)) + 1).tolist(), clip.n_frames]
    return [
        {"start": a, "stop": b, "name": names[source[a]], "colour": colours[source[a]]}
        for a, b in pairwise(edges)
    ][:_MOST_PIECES]
