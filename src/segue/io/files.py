"""Load and save files; the file's extension selects the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.errors import FileError, SegueError, SettingError, SkeletonError, loaded
from segue.io.animation_names import no_such, split_fragment, with_suffix
from segue.io.formats import READABLE, WRITABLE, each_animation, is_motion_data, read_format, write_format
from segue.io.fresh import is_left
from segue.io.library_mark import is_library
from segue.motion.reference import with_reference
from segue.motion.roles import given, roles_in_toml

if TYPE_CHECKING:
    from segue.motion.clip import Clip


def load(
    path: str | Path,
    *,
    fps: float | None = None,
    encoding: str | None = None,
    unit: float | None = None,
    up: str | None = None,
    root_position: str | None = None,
    skeleton: str | Path | None = None,
    roles: str | Path | Mapping[str, str] | None = None,
) -> Clip:
    """Read a motion file and convert it to metres and Y up.

    Parameters
    ----------
    path
        A .bvh, an .amc with its .asf in the same folder, a .glb, .gltf or .vrma, an .fbx (extra ``fbx``), an .npz of
        an SMPL-like body as in AMASS, a DeepMimic .txt, joint positions (.npz, .npy, .csv), or a .qpos.csv with its
        MuJoCo model (.xml) in the same folder. ``moves.glb#Walk`` is one animation of a file that holds several
        (.glb, .gltf, .vrma, .fbx), by its full name or without a prefix up to a ``|`` that all of them share;
        `load_folder` reads all of them.
    fps
        Frames a second, if the file holds no rate or a wrong one.
    encoding
        Text encoding; UTF-8 by default.
    unit
        Metres per file unit; by default stated by the file or inferred from the legs' length.
    up
        ``"X"``, ``"Y"`` or ``"Z"``, with a minus if it points down (``"-Y"``); by default inferred from the feet.
    root_position
        ``"absolute"`` (position channels replace the root's OFFSET) or ``"displacement"`` (they are added to it);
        by default absolute, unless that puts the feet below the ground. BVH only.
    skeleton
        The .asf of an .amc file; the .xml of a .qpos.csv; for an SMPL-like .npz, the rest positions of its model (.npz
        or .json, key ``J``).
    roles
        Joint of each role, if names and shape mislead: role to joint name (``{"left_knee": "Joint7"}``), or a .toml
        file of such lines. Unit and up axis are inferred without them; pass those too if they are wrong.

    Returns
    -------
    Clip
        Its ``source.notes`` list the choices made where the file left something open.

    Raises
    ------
    FileError
        With the file, the line, the value, and a remedy; also if the file holds several animations and none is named.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "walk.bvh"
    >>> segue.save(segue.sample("walk"), path)
    >>> segue.load(path).fps == segue.sample("walk").fps
    True
    """
    path = Path(path)
    if path.is_dir():
        raise folder_given(path, "; segue.load_folder reads all of them")
    _numbers(fps, unit)
    known = roles_in_toml(roles) if isinstance(roles, (str, Path)) else roles
    common: dict[str, Any] = {"fps": fps, "encoding": encoding, "unit": unit, "up": up}
    common |= {"root_position": root_position, "skeleton": skeleton}
    try:
        clip = read_format(path, common)
        if clip is None:
            raise no_such(path) if "#" in path.name and not path.exists() else FileError(path, _unknown(path))
    except FileError as error:
        if is_library(path):
            message = "is a library of clips and no motion file; segue.Library.open opens it"
            raise FileError(path, message) from error
        raise
    if not known:
        return _standing(clip)
    try:
        return _standing(clip.with_skeleton(given(clip.skeleton, known)))
    except SkeletonError as error:
        raise FileError(path, f"its roles cannot be set as given: {error}") from error


def _numbers(fps: object, unit: object) -> None:
    """Reject anything but numbers for rate and unit of length."""
    for value, what in (
        (fps, "fps= is frames a second, as fps=30"),
        (unit, "unit= is metres, as unit=0.01 for cm"),
    ):
        if value is not None and not isinstance(value, Real):
            msg = f"{value!r} is no number; {what}"
            raise SettingError(msg)


def _standing(clip: Clip) -> Clip:
    """Add a standing reference to a clip whose rest pose does not stand, with a note."""
    made = with_reference(clip)
    if made is clip or made.source is None:
        return made
    note = "rest pose: it does not stand; a standing pose found in the motion is used instead"
    return made.with_source(notes=(*made.source.notes, note))


def save(
    clip: Clip,
    path: str | Path,
    *,
    unit: float | None = None,
    up: str | None = None,
    overwrite: bool = True,
) -> None:
    """Write a clip in the format of the extension, completely or not at all.

    Parameters
    ----------
    clip
        The motion.
    path
        - ``.bvh`` in the clip's own unit, axes and channel order (else centimetres, Y up)
        - ``.glb`` in metres, Y up, with a mannequin grown from the skeleton
        - ``.fbx`` in centimetres, Y up: the skeleton and its animation
        - ``.usda``, ``.usdc``, ``.usd`` as UsdSkel in metres, Y up, with the mannequin (extra ``usd``)
        - ``.vrma`` for VRM avatars: human motions only, from the T-pose, in metres, Y up
        - ``.npz`` complete and exact, as plain arrays; `load` reads it back
        - ``.csv`` a table of the root position and every joint's quaternion
        - ``.xml`` a MuJoCo model, with a ``.qpos.csv`` in the same folder
        - ``.qpos.csv`` the joints of a robot, for a clip that has the body of a MuJoCo model
    unit, up
        Unit (metres per file unit) and up axis for BVH; by default those of a source BVH file (of other text formats
        only the unit), else centimetres and Y.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    FileError
        If the extension is unknown, the file exists and must not be replaced, or it cannot be written.
    MissingExtraError
        If the format needs a package that is not installed.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> segue.save(segue.sample("walk"), pathlib.Path(tempfile.mkdtemp()) / "walk.glb")
    """
    loaded(clip)
    path = Path(path)
    if path.suffix.lower() not in WRITABLE:
        raise FileError(path, _unknown(path, WRITABLE, "written"))
    write_format(clip, path, unit=unit, up=up, overwrite=overwrite)


def _unknown(path: Path, known: Sequence[str] = READABLE, what: str = "read") -> str:
    suffix = split_fragment(path)[0].suffix.lower()
    if suffix in {*READABLE, *WRITABLE}:
        return f"{suffix} files cannot be {what} yet; formats that can: {', '.join(known)}"
    # All formats, the most similar extension first.
    close = get_close_matches(suffix, known, n=1)
    listed = ", ".join([*close, *(other for other in known if other not in close)])
    return f"{suffix or 'a file without extension'} cannot be {what}; formats that can: {listed}"


def load_folder(
    paths: str | Path | Sequence[str | Path],
    *,
    on_file: Callable[[Path, int, int], None] | None = None,
    **settings: Any,
) -> tuple[list[Clip], list[tuple[Path, str]]]:
    """Read every motion file of some files and folders, recursively and sorted.

    Parameters
    ----------
    paths
        A folder or a file, or several. A file with several animations gives all of them, as a folder does;
        ``moves.glb#Walk`` is one of them.
    on_file
        Called before each file with its path, its index and the count, for a progress bar.
    settings
        As for `load`.

    Returns
    -------
    clips, skipped
        The clips with unique names (prefixed by the parent folder if two are equal), and each file that could not be
        read with the reason.

    Raises
    ------
    FileError
        If a path does not exist.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> segue.save(segue.sample("walk"), folder / "walk.bvh")
    >>> clips, skipped = segue.load_folder(folder)
    >>> [clip.name for clip in clips], skipped
    (['walk'], [])
    """
    files = motion_files(paths)
    clips: list[Clip] = []
    skipped: list[tuple[Path, str]] = []
    for index, file in enumerate(files):
        if on_file is not None:
            on_file(file, index, len(files))
        try:
            clips.append(load(file, **settings))
        except SegueError as error:
            skipped.append((file, str(error)))
    return _named_apart(clips), skipped


def motion_files(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    """List the motion files of some files and folders without duplicates; folders are searched recursively and sorted.

    A file with several animations gives all of them, each as ``file.glb#name``.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += [motion for p in _inside(path) for motion in each_animation(p)]
        elif split_fragment(path)[0].is_file():
            found += each_animation(path)
        else:
            raise no_such(path)
    seen: dict[Path, Path] = {}
    for path in found:
        seen.setdefault(path.resolve(), path)
    return list(seen.values())


def folder_given(path: Path, instead: str = "") -> FileError:
    """Return the error for a folder given instead of one motion file; it names a file in the folder."""
    inside = _inside(path)
    if not inside:
        return FileError(path, "is a folder without motion files; name one motion file")
    return FileError(path, f"is a folder; name one motion file, such as {inside[0]}{instead}")


def _inside(folder: Path) -> list[Path]:
    """Motion files in a folder and its subfolders, sorted."""
    return sorted(p for p in folder.rglob("*") if _is_motion(p) and not is_left(p.relative_to(folder)))


def _is_motion(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in READABLE or suffix == ".xml":  # the motion of a model is its table
        return False
    return path.is_file() and is_motion_data(path)


def _named_apart(clips: list[Clip]) -> list[Clip]:
    """Make clip names unique: append the extension if files of one folder differ only in that.

    Otherwise prefix parent folders, and append a number if they do not suffice.
    """
    files = [split_fragment(clip.source.path if clip.source else clip.name)[0].resolve() for clip in clips]
    parts = [file.parts for file in files]
    kinds: dict[tuple[str, Path], set[str]] = {}
    for clip, file in zip(clips, files, strict=True):
        kinds.setdefault((clip.name, file.parent), set()).add(file.suffix)
    names = [
        with_suffix(clip.name, file) if len(kinds[clip.name, file.parent]) > 1 else clip.name
        for clip, file in zip(clips, files, strict=True)
    ]
    own = list(names)
    for depth in range(2, 8):
        twice = {name for name in names if names.count(name) > 1}
        if not twice:
            break
        names = [
            "/".join([*folders[-depth:-1], short]) if name in twice else name
            for name, folders, short in zip(names, parts, own, strict=True)
        ]
    twice = {name for name in names if names.count(name) > 1}  # same folder: parents do not distinguish them
    names = [short if name in twice else name for name, short in zip(names, own, strict=True)]
    seen: dict[str, int] = {}
    out = []
    for clip, name in zip(clips, names, strict=True):
        seen[name] = seen.get(name, 0) + 1
        apart = name if seen[name] == 1 else f"{name} ({seen[name]})"
        out.append(clip if apart == clip.name else clip.renamed(apart))
    return out
