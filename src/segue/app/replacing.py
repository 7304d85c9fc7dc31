"""A stretch of a motion file replaced by a piece of another, given in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from segue.app.stages import read_in_order
from segue.errors import SettingError
from segue.io import save
from segue.motion.clip import Clip
from segue.settings import DEFAULTS, SeamFeet
from segue.synthesis.replacing import Replaced, replace_stretch

Seconds = tuple[float | None, float | None]


def replace(
    motion: str,
    piece: str,
    out: Path,
    *,
    at: Seconds,
    part: Seconds = (None, None),
    blend_seconds: float = 0.25,
    way: str = DEFAULTS.way,
    feet: SeamFeet = DEFAULTS.feet,
    roles: Mapping[str, str] | None = None,
) -> Replaced:
    """Replace seconds of a motion file by seconds of another and write the result.

    Parameters
    ----------
    motion, piece
        Motion files, embedded clips or clips in libraries.
    out
        File to write.
    at, part
        Seconds of each, both ends included; None for the motion's own start or end.
    blend_seconds, way, feet
        As in `segue.synthesis.replacing.replace_stretch`.
    roles
        Role to joint name, set by the user.

    Raises
    ------
    FileError, SettingError, SkeletonError
        If a file cannot be read, or a stretch lies outside it.
    """
    clip, other = read_in_order([motion, piece], roles=roles).clips
    frames, taken = _frames(clip, at), _frames(other, part)
    made = replace_stretch(
        clip,
        other,
        start_frame=frames[0],
        stop_frame=frames[1],
        piece_start=taken[0],
        piece_stop=taken[1],
        blend_seconds=blend_seconds,
        across=way,
        feet=feet,
    )
    save(made.clip.with_motion(name=out.stem), out)
    return made


def _frames(clip: Clip, seconds: Seconds) -> tuple[int, int]:
    """Half-open frames of a stretch whose ends are both included."""
    first = 0.0 if seconds[0] is None else seconds[0]
    last = clip.seconds if seconds[1] is None else seconds[1]
    if not 0 <= first < last <= clip.seconds + 0.5 / clip.fps:
        msg = f"clip {clip.name!r} lasts {clip.seconds:.6g} s; {first:g} to {last:g} s is no stretch of it"
        raise SettingError(msg)
    return round(first * clip.fps), min(round(last * clip.fps) + 1, clip.n_frames)
