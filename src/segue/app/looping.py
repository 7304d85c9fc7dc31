"""One motion file made into a loop, or mirrored, and written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segue.app.in_place import image_of
from segue.app.record import Record
from segue.app.record_settings import recorded_words
from segue.app.stages import Collection, read_in_order, write
from segue.costs.registry import cost as cost_by_name
from segue.errors import FileError, SettingError
from segue.io.files import folder_given
from segue.library.inputs import in_library
from segue.motion.clip import Clip, Origin
from segue.motion.mirror import MirroredBody, mirror
from segue.motion.samples import SAMPLE_PREFIX
from segue.settings import DEFAULTS, SeamFeet
from segue.synthesis.loop import Loop, Turn, loop, on_the_spot, repeated, there_and_back

COMMANDS = ("loop", "mirror")
"""Names of the commands in records."""
LONGEST_FILE = 36_000.0
"""Most seconds in a file: longer loops are taken for a typing error."""


def make_loop(
    motion: str,
    out: Path,
    *,
    start: float | None = None,
    stop: float | None = None,
    times: int = 1,
    in_place: bool = False,
    back: bool = False,
    turn: Turn = "auto",
    feet: SeamFeet = DEFAULTS.feet,
    longest: float | None = None,
    cost: str = DEFAULTS.cost,
    cost_settings: Mapping[str, Any] | None = None,
    roles: Mapping[str, str] | None = None,
) -> tuple[Loop, Clip]:
    """Make a loop of a motion file and write it, repeated a number of times, with its record.

    Parameters
    ----------
    motion
        A motion file, ``sample:NAME``, or one clip of several (``moves.glb#NAME``, ``moves.segue#NAME``).
    out
        File to write.
    start, stop
        Seconds at which the cycle begins and repeats; if one is missing, the clip's own start or end.
    times
        Number of rounds in the file.
    back
        Play the clip (or the range) forwards and backwards instead of closing it.
    in_place, turn, feet, longest
        As in `segue.synthesis.loop.loop`.
    cost, cost_settings
        The cost for finding a cycle.
    roles
        Role to joint name, set by the user.

    Returns
    -------
    tuple
        The loop, and the motion as written.

    Raises
    ------
    FileError, SettingError, SkeletonError
        If the file cannot be read, or the range lies outside it.
    NoTransitionError
        If no cycle is found.
    """
    asked = {word: value for word, value in locals().items() if word not in ("motion", "out", "roles")}
    asked["cost_settings"] = dict(cost_settings or {})
    chosen = cost_by_name(cost, **asked["cost_settings"])
    if times < 1:
        msg = f"{times} rounds are not possible; give 1 or more"
        raise SettingError(msg)
    clip = _one(motion, roles)
    frames = _frames(clip, start, stop)
    if back:
        made = there_and_back(clip if frames is None else _part(clip, frames))
        made = on_the_spot(made) if in_place else made
    else:
        first, last = (None, None) if frames is None else frames
        made = loop(
            clip,
            start=first,
            stop=last,
            in_place=in_place,
            turn=turn,
            feet=feet,
            cost=chosen,
            longest=longest,
        )
    if times * made.seconds > LONGEST_FILE:
        msg = f"{times} rounds of {made.seconds:.2f} s are more than {LONGEST_FILE:g} s; give fewer"
        raise SettingError(msg)
    played = repeated(made, times)
    settings = {"make": {"roles": roles}, "loop": asked}
    write(played, out, collection=Collection((clip,)), command="loop", settings=settings)
    return made, played


def _one(motion: str, roles: Mapping[str, str] | None) -> Clip:
    if Path(motion).is_dir():
        raise folder_given(Path(motion))
    if motion == SAMPLE_PREFIX:
        raise FileError(motion, f"stands for all embedded clips; name one of them, as {SAMPLE_PREFIX}walk")
    place = in_library(motion)
    if place is not None and place.clip is None:
        raise FileError(motion, f"is a library; name one clip in it, as {motion}#NAME")
    (clip,) = read_in_order([motion], roles=roles).clips
    return clip.with_motion(origin=Origin.of(clip.name, clip.n_frames))


def _frames(clip: Clip, start: float | None, stop: float | None) -> tuple[int, int] | None:
    """Frames of a range in seconds; None if none is given."""
    if start is None and stop is None:
        return None
    first = 0.0 if start is None else start
    last = clip.seconds if stop is None else stop
    if not 0 <= first < last <= clip.seconds + 0.5 / clip.fps:
        msg = f"clip {clip.name!r} lasts {clip.seconds:.6g} s; {first:g} to {last:g} s is no stretch of it"
        raise SettingError(msg)
    return round(first * clip.fps), min(round(last * clip.fps), clip.n_frames - 1)


def _part(clip: Clip, frames: tuple[int, int]) -> Clip:
    from segue.motion.resample import cut

    return cut(clip, frames[0], frames[1] + 1)


def make_mirrored(
    motion: str, out: Path, *, body: MirroredBody = "own", roles: Mapping[str, str] | None = None
) -> tuple[Clip, Clip]:
    """Mirror a motion file and write it with its record; return the clip as read and as written.

    Raises
    ------
    FileError, SkeletonError
        If the file cannot be read, or the hips are unknown.
    """
    clip = _one(motion, roles)
    made = mirror(clip, body=body)
    settings = {"make": {"roles": roles}, "mirror": {"body": body}}
    write(made, out, collection=Collection((image_of(clip),)), command="mirror", settings=settings)
    return clip, made


def made_again(record: Record, record_file: Path, motion: str, out: Path) -> Clip:
    """Make the loop or the mirrored motion of a record again from a clip, and write it with its record.

    Raises
    ------
    FileError
        If the record holds settings this version does not know.
    """
    maker = make_loop if record.command == "loop" else make_mirrored
    given = recorded_words(record, record_file, maker, "make") | recorded_words(
        record, record_file, maker, record.command
    )
    return maker(motion, out, **given)[1]
