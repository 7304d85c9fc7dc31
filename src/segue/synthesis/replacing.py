"""Replace a stretch of one motion by a piece of another; every frame outside stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions, frozen
from segue.blending.crossfade import context, frames_around
from segue.blending.ways import BEFORE, Stretch, way
from segue.errors import SettingError
from segue.maths.easing import ease_out, smoothstep
from segue.maths.planar import PlanarMotion, wrapped
from segue.maths.quaternions import conjugate, from_yaw, multiply, yaw
from segue.motion.clip import Clip, Origin, merged_periods
from segue.motion.resample import cut, origin_at, sampled
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import kept_motion
from segue.synthesis.retarget import retarget

_STRETCH = (0.5, 2.0)


@dataclass(frozen=True, eq=False)
class Replaced:
    """A motion with a stretch replaced, and how the piece was changed to fit.

    Parameters
    ----------
    clip
        The motion; frames outside ``start`` to ``stop`` are bit for bit those of the given motion.
    start, stop
        Replaced frames, half open.
    tempo
        How much faster the piece plays than it was captured.
    shifted, turned
        Metres and radians by which the end of the piece was moved along the ground, relative to its beginning, so
        that it arrives where the motion continues.
    """

    clip: Clip
    start: int
    stop: int
    tempo: float
    shifted: float
    turned: float


def replace_stretch(
    clip: Clip,
    piece: Clip,
    *,
    start_frame: int,
    stop_frame: int,
    piece_start: int = 0,
    piece_stop: int | None = None,
    blend_seconds: float = 0.25,
    across: str = DEFAULTS.way,
    feet: SeamFeet = DEFAULTS.feet,
) -> Replaced:
    """Play a piece of another clip instead of frames ``start_frame`` to ``stop_frame`` (half open).

    The piece plays faster or slower so that it lasts as long as the stretch it replaces. It is aligned with the motion
    at its beginning and at its end; in between the ground motion is interpolated. Both blends lie inside the stretch.

    Parameters
    ----------
    clip
        The motion to change.
    piece
        The motion to take from; retargeted to the body of ``clip``.
    start_frame, stop_frame
        Frames of ``clip``, half open.
    piece_start, piece_stop
        Frames of ``piece``, half open; all of it by default.
    blend_seconds
        Length of the blend at either end; shorter where the stretch begins or ends with the motion.
    across
        A name of `segue.blending.ways.WAYS`.
    feet
        How feet on the ground are held within the stretch (`segue.settings.SeamFeet`).

    Raises
    ------
    SettingError
        If a stretch lies outside its clip, is too short for two blends, or the piece would play less than half or more
        than twice as fast.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("walk_slow")
    >>> made = replace_stretch(walk, stop, start_frame=120, stop_frame=240, piece_start=60, piece_stop=180)
    >>> made.clip.n_frames == walk.n_frames, bool((made.clip.rotations[:120] == walk.rotations[:120]).all())
    (True, True)
    """
    feet = feet_named(feet)
    stop_of_piece = piece.n_frames if piece_stop is None else piece_stop
    for which, first, last in ((clip, start_frame, stop_frame), (piece, piece_start, stop_of_piece)):
        if not 0 <= first < last <= which.n_frames:
            msg = f"clip {which.name!r} has frames 0 to {which.n_frames - 1}; [{first}, {last}) is no stretch of it"
            raise SettingError(msg)
    n = stop_frame - start_frame
    whole = retarget(piece, clip.skeleton)
    taken = cut(whole, piece_start, stop_of_piece)
    seconds = max(taken.n_frames - 1, 1) / taken.fps, max(n - 1, 1) / clip.fps
    tempo = seconds[0] / seconds[1]
    if not _STRETCH[0] <= tempo <= _STRETCH[1]:
        msg = (
            f"{seconds[0]:.3g} s of {piece.name!r} would play at {tempo:.3g} x speed to fill {seconds[1]:.3g} s; take "
            f"a piece of {_STRETCH[0] * seconds[1]:.3g} to {_STRETCH[1] * seconds[1]:.3g} s"
        )
        raise SettingError(msg)
    blends = _blends(clip, start_frame, stop_frame, blend_seconds)
    at: Floats = np.linspace(0.0, taken.n_frames - 1.0, n)
    margin = context(clip.fps) if way(across).keeps_band else 0
    inner = slice(margin, margin + n)
    wide = _wide(whole, piece_start + at, margin)
    placed = _placements(clip, (wide[0][inner], wide[1][inner]), start_frame, blends)
    wide = _moved(*wide, placed, blends, margin)
    fitted = _laid_in(clip, wide, origin_at(taken.origin, at), (start_frame, blends, across))
    if feet != "free":
        fitted = _with_feet(fitted, start_frame, stop_frame, blends, feet)
    moved = _difference(placed, taken.root_positions[-1])
    return Replaced(fitted, start_frame, stop_frame, tempo, *moved)


def _blends(clip: Clip, start: int, stop: int, seconds: float) -> tuple[int, int]:
    """Frames of the blends into and out of a stretch; none where the motion begins or ends with it."""
    wanted = round(seconds * clip.fps)
    into, out = (0 if start == 0 else wanted), (0 if stop == clip.n_frames else wanted)
    if into + out > stop - start:
        msg = (
            f"{stop - start} frames are too short for two blends of {wanted}; replace at least {into + out} frames "
            f"({(into + out) / clip.fps:.3g} s) or shorten the blends"
        )
        raise SettingError(msg)
    return into, out


def _placements(
    clip: Clip, piece: tuple[Quaternions, Positions], start: int, blends: tuple[int, int]
) -> tuple[PlanarMotion, PlanarMotion]:
    """Ground motions that align the beginning and the end of the piece with the motion."""
    n = len(piece[1])
    found = []
    for first, last in ((0, max(blends[0], 1)), (n - max(blends[1], 1), n)):
        rows, place = slice(first, last), slice(start + first, start + last)
        # By heading and place of the root: the legs of unlike poses could turn the body the wrong way round.
        apart = yaw(multiply(clip.rotations[place, 0], conjugate(piece[0][rows, 0])))
        turn = float(np.arctan2(np.sin(apart).mean(), np.cos(apart).mean()))
        shift = (clip.root_positions[place] - PlanarMotion(turn).apply(piece[1][rows])).mean(axis=0)
        found.append(PlanarMotion(turn, float(shift[0]), float(shift[2])))
    if blends[1] == 0:
        return found[0], found[0]
    return (found[1], found[1]) if blends[0] == 0 else (found[0], found[1])


def _difference(placed: tuple[PlanarMotion, PlanarMotion], place: Positions) -> tuple[float, float]:
    shift = np.linalg.norm(placed[1].apply(place) - placed[0].apply(place))
    return float(shift), abs(float(wrapped(placed[1].turn - placed[0].turn)))


def _wide(piece: Clip, at: Floats, margin: int) -> tuple[Quaternions, Positions]:
    """Moments (n,) of a piece and ``margin`` more at the same pace before and after; mirrored beyond its ends."""
    step = (at[-1] - at[0]) / max(len(at) - 1, 1)
    more = step * np.arange(1, margin + 1)
    times = np.concatenate([at[0] - more[::-1], at, at[-1] + more])
    there = np.flatnonzero((times >= 0.0) & (times <= piece.n_frames - 1.0))
    rows = np.arange(len(times)) - there[0]
    return frames_around(sampled(piece, times[there]), rows, first=0, last=len(there) - 1)


def _moved(
    rotations: Quaternions,
    roots: Positions,
    placed: tuple[PlanarMotion, PlanarMotion],
    blends: tuple[int, int],
    margin: int,
) -> tuple[Quaternions, Positions]:
    """Piece moved along the ground: by the first motion at its start, the second at its end, interpolated between."""
    n = len(roots) - 2 * margin
    x = np.clip((np.arange(-margin, n + margin) - blends[0]) / max(n - 1 - sum(blends), 1), 0.0, 1.0)
    share = smoothstep(x)
    turn = float(wrapped(placed[1].turn - placed[0].turn))
    places = (1 - share)[:, None] * placed[0].apply(roots) + share[:, None] * placed[1].apply(roots)
    out = np.array(rotations)
    out[:, 0] = multiply(from_yaw(placed[0].turn + share * turn), rotations[:, 0])
    return out, places


def _laid_in(
    clip: Clip,
    wide: tuple[Quaternions, Positions],
    origin: Origin,
    how: tuple[int, tuple[int, int], str],
) -> Clip:
    """Motion with the piece in it, blended at both ends; ``wide`` includes the margin that the blend method needs."""
    start, (into, out), name = how
    n = len(origin.clip)
    margin = (len(wide[1]) - n) // 2
    rotations, roots = np.array(clip.rotations), np.array(clip.root_positions)
    rotations[start : start + n], roots[start : start + n] = (part[margin : margin + n] for part in wide)
    share = np.ones(n)
    if into:
        share[:into] = 1.0 - ease_out(into)
        rows = np.arange(start, start + into)
        near = wide[0][: into + 2 * margin], wide[1][: into + 2 * margin]
        own = _around(clip, rows, margin)
        laid = clip.with_motion(rotations, roots)
        sides = [_stretch(clip, rows, own), _stretch(laid, rows, near, first=start)]
        rotations[rows], roots[rows] = way(name).across(*sides)
    if out:
        share[n - out :] = ease_out(out)
        rows = np.arange(start + n - out, start + n)
        near = wide[0][n - out :], wide[1][n - out :]
        own = _around(clip, rows, margin)
        sides = [_stretch(clip.with_motion(rotations, roots), rows, near), _stretch(clip, rows, own)]
        rotations[rows], roots[rows] = way(name).across(*sides)
    return clip.with_motion(rotations, roots, origin=_merged(clip.origin, origin, start, share))


def _around(clip: Clip, rows: np.ndarray, margin: int) -> tuple[Quaternions, Positions]:
    """Frames ``rows`` of a motion and ``margin`` more on either side."""
    wide = np.arange(rows[0] - margin, rows[-1] + 1 + margin)
    return frames_around((clip.rotations, clip.root_positions), wide, first=0, last=clip.n_frames - 1)


def _stretch(
    clip: Clip, rows: np.ndarray, around: tuple[Quaternions, Positions], *, first: int = 0
) -> Stretch:
    """Frames of a motion and the two before them, none before ``first``."""
    at = np.maximum(np.concatenate([rows[0] - np.arange(BEFORE, 0, -1), rows]), first)
    return Stretch(clip.rotations[at], clip.root_positions[at], clip.fps, around)


def _merged(own: Origin, new: Origin, start: int, share: Floats) -> Origin:
    """Origin of the motion with the piece in it: in blends the heavier source of each side."""
    names = tuple(dict.fromkeys((*own.clips, *new.clips)))
    number = [np.array([names.index(name) for name in origin.clips]) for origin in (own, new)]
    clip = np.where(own.clip >= 0, number[0][own.clip], -1)
    frame, weight = np.array(own.frame), np.array(own.weight)
    n = len(share)
    stretch = np.arange(start, start + n)
    for row, k in zip(stretch, range(n), strict=True):
        if share[k] >= 1.0:
            clip[row] = np.where(new.clip[k] >= 0, number[1][new.clip[k]], -1)
            frame[row], weight[row] = new.frame[k], new.weight[k]
            continue
        mine, theirs = int(np.argmax(own.weight[row])), int(np.argmax(new.weight[k]))
        clip[row] = number[0][own.clip[row, mine]], number[1][new.clip[k, theirs]]
        frame[row] = own.frame[row, mine], new.frame[k, theirs]
        weight[row] = 1.0 - share[k], share[k]
    periods = merged_periods(names, [own, new])
    return Origin(names, frozen(clip, np.int64), frozen(frame), frozen(weight), periods)


def _with_feet(clip: Clip, start: int, stop: int, blends: tuple[int, int], feet: SeamFeet) -> Clip:
    """Hold feet within the stretch only, less and less towards an end at which the motion continues."""
    strength = np.zeros(clip.n_frames)
    strength[start:stop] = 1.0
    if blends[0]:
        strength[start : start + blends[0]] = 1.0 - ease_out(blends[0])
    if blends[1]:
        strength[stop - blends[1] : stop] = ease_out(blends[1])
    return plant_feet(clip, within=[(start, stop)], strength=strength, keep=kept_motion(feet)).clip
