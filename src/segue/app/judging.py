"""Motion files judged by a classifier that detects their seams: how well it finds them, and by which features."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from segue.app.in_place import mirror_of
from segue.app.measuring import as_sources, played, sources_of, with_origin
from segue.app.record import Record, source_of
from segue.app.record_document import Source
from segue.app.stages import Collection, read
from segue.errors import FileError, SettingError, require_extra
from segue.io.animation_names import split_fragment
from segue.learning.judging import Judged, Tell, judge, tells
from segue.learning.seam_windows import Windows, check_judging, seam_windows
from segue.measures.seams import seam_ranges
from segue.measures.window_features import GROUPS
from segue.motion.clip import Clip
from segue.settings.words import SEED
from segue.threads import Progress, silent


@dataclass(frozen=True, eq=False)
class JudgedSeam:
    """One seam: motion, number in it (from 1), seconds, ends, score from 0 to 1 (1 looks made), deciding features.

    The score is NaN if every classifier was trained on some of the clips around the seam.
    """

    motion: str
    number: int
    seconds: float
    ends: tuple[tuple[str, float], ...]
    score: float
    by: tuple[Tell, ...]


@dataclass(frozen=True, eq=False)
class SeamJudgement:
    """How well seams of motions are distinguished from captured moments.

    Parameters
    ----------
    whole
        With all features.
    parts
        With the features of one part of the body: ``feet``, ``but feet``, ``knees``, ``root``, ``upper body``.
    captured
        Number of captured windows.
    by
        Joints and bands that the area depends on, most important first.
    seams
        The judged seams, most easily distinguished first.
    unplayed
        Names of given clips that the motions do not play.
    skipped
        Given files that cannot be read, and why.
    """

    whole: Judged
    parts: Mapping[str, Judged]
    captured: int
    by: tuple[Tell, ...]
    seams: tuple[JudgedSeam, ...]
    unplayed: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class _JudgedMotion:
    motion: Clip
    record: Record
    clips: tuple[Clip, ...]


def judge_files(
    motions: Sequence[str],
    *,
    against: Sequence[str] = (),
    noise: float = 0.0,
    seed: int = SEED,
    roles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> SeamJudgement:
    """Judge the seams of motion files that have records.

    Parameters
    ----------
    motions
        Motion files of one body and rate.
    against
        Files, folders or libraries of the clips they play; by default read from the paths in the records.
    noise
        Standard deviation in metres of noise on every coordinate of every joint, in made and in captured motion.
    seed
        Of the folds, the noise and the classifiers.
    roles
        Role to joint name, set by the user; by default as set when the motions were made.

    Raises
    ------
    MissingExtraError
        Without scikit-learn, before anything is read.
    FileError
        If a motion has no record or no seams, or a clip cannot be read or has changed.
    SettingError
        If a clip that a motion plays is missing from those given, or there are too few seams or clips to learn from.
    """
    require_extra("judging seams", "learn")
    check_judging(noise, seed)
    given = read(against, progress=progress) if against else None
    made: list[_JudgedMotion] = []
    for number, word in enumerate(motions):
        progress("reading motions", number, len(motions))
        made.append(_read(word, given, against, roles))
    clips, same = _clips_of(made)
    whole = [one.motion for one in made]
    windows = seam_windows(whole, clips, noise=noise, seed=seed, same=same)
    parts = {}
    wanted = {"feet": ("feet",), "but feet": GROUPS[1:], **{group: (group,) for group in GROUPS[1:]}}
    every = judge(windows, seed=seed)  # raises if there are too few windows, before more training
    for number, (name, groups) in enumerate(wanted.items()):
        progress("learning", number + 1, len(wanted) + 2)
        parts[name] = judge(windows, windows.columns(groups), seed=seed)
    progress("learning", len(wanted) + 1, len(wanted) + 2)
    by, by_seam = tells(windows, seed=seed)
    progress("learning", len(wanted) + 2, len(wanted) + 2)
    used = {_key(source) for one in made for source in played(one.record)}
    unplayed = [] if given is None else [c.name for c in given.clips if _key(source_of(c)) not in used]
    return SeamJudgement(
        every,
        parts,
        int((~windows.seam).sum()),
        tuple(by),
        _seams(whole, windows, every, by_seam),
        tuple(unplayed),
        () if given is None else given.skipped,
    )


def _read(
    word: str, given: Collection | None, against: Sequence[str], roles: Mapping[str, str] | None
) -> _JudgedMotion:
    path = Path(word)
    motion, record = with_origin(path, roles)
    if record is None:
        raise FileError(path, f"has no record ({path.stem}.origin.json) beside it: its seams are not known")
    if record.command == "steer":
        raise FileError(path, "was steered: it is blended throughout and has no seams")
    if given is None:
        return _JudgedMotion(motion, record, sources_of(motion, record, roles=roles))
    by_key = {_key(source_of(clip)): clip for clip in given.clips}
    wanted = played(record)
    missing = [source.name for source in wanted if _key(source) not in by_key]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        msg = (
            f"{path} plays {', '.join(missing[:3])}{more}, which {', '.join(against)} does not hold as it was then; "
            "give the files it was made of, or leave --against out"
        )
        raise SettingError(msg)
    clips = [by_key[_key(source)] for source in wanted]
    return _JudgedMotion(motion, record, as_sources(motion, record, wanted, clips, roles=roles))


def _key(source: Source) -> tuple[str, str]:
    """Identity of a content: digest, and the animation of the file."""
    if source.path.startswith("sample:"):
        return source.path, ""
    return source.sha256, split_fragment(source.path)[1] or ""


def _clips_of(made: Sequence[_JudgedMotion]) -> tuple[tuple[Clip, ...], dict[str, str]]:
    """Clips of all motions, each once, and for each mirror image the name of its original."""
    out: dict[str, Clip] = {}
    keys: dict[str, tuple[str, str]] = {}
    same: dict[str, str] = {}
    for one in made:
        for source, clip in zip(played(one.record), one.clips, strict=True):
            if keys.setdefault(clip.name, _key(source)) != _key(source):
                msg = f"two motions play different clips called {clip.name!r}; judge them one by one"
                raise SettingError(msg)
            out.setdefault(clip.name, clip)
            image = mirror_of(clip)
            if image is not None:
                same[clip.name] = image
    return tuple(out.values()), same


def _seams(
    motions: Sequence[Clip], windows: Windows, every: Judged, by_seam: Sequence[Sequence[Tell]]
) -> tuple[JudgedSeam, ...]:
    """Judged seams, most easily distinguished first."""
    numbers = [
        {
            (start + max(stop - 1, start)) // 2: number
            for number, (start, stop) in enumerate(seam_ranges(motion.origin), 1)
        }
        for motion in motions
    ]
    rows = [row for row, seam in enumerate(windows.seam) if seam]
    found = []
    for row, by in zip(rows, by_seam, strict=True):
        seen = windows.seen[row]
        motion = motions[seen.number]
        found.append(
            JudgedSeam(
                motion.name,
                numbers[seen.number][seen.frame],
                seen.frame / motion.fps,
                seen.ends,
                float(every.scores[row]),
                tuple(by),
            )
        )
    return tuple(sorted(found, key=lambda one: 1.0 if math.isnan(one.score) else -one.score))
