"""Set corrections of the user to a clip, and keep them in the library if one is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from segue.errors import SegueError
from segue.studio.project import Project

if TYPE_CHECKING:
    from segue.library.library import Library


def set_roles(project: Project, name: str, roles: Mapping[str, str]) -> None:
    """Read a clip again with roles set by the user, in addition to those set before.

    Raises
    ------
    SegueError
        If a role or a joint is unknown; nothing is changed then.
    """
    one = project.find(name)
    kept = project.corrections.roles
    before = kept.get(name)
    kept[name] = {**(before or {}), **roles}
    try:
        project.read_again(one)
        if project.in_library(name):
            with project.library("w") as library:
                added = _kept_roles(library, name, roles)
            if added:  # the library supplies them from now on
                del kept[name]
                project.refresh()
                project.read_again(project.find(name))
    except SegueError:
        kept.pop(name)
        if before is not None:
            kept[name] = before
        raise


def _kept_roles(library: Library, name: str, roles: Mapping[str, str]) -> bool:
    """Add a clip's file to the library again with its roles, keeping labels; return False if the file is missing."""
    from segue.io.animation_names import split_fragment
    from segue.library.versions import given_settings

    entry = library.entry(name)
    if not entry.path or not Path(split_fragment(Path(entry.path))[0]).is_file():
        return False
    settings = given_settings(library.store, entry)
    merged = {**dict(settings.pop("roles", None) or {}), **roles}
    return name in library.add(entry.path, roles=merged, **settings).changed


def set_contacts(project: Project, name: str, plants: Sequence[tuple[str, int, int]] | None) -> None:
    """Set the contacts of heels and toes of a clip; None restores those detected in its motion.

    Raises
    ------
    SettingError
        If a plant is not valid for the clip.
    """
    from segue.library.contacts import checked_plants, flags_of

    one = project.find(name)
    if project.in_library(name):
        with project.library("w") as library:
            library.set_contacts(name, plants)
    elif plants is None:
        project.corrections.planted.pop(name, None)
    else:
        n_frames = project.clip(name).n_frames
        rows = checked_plants(plants, name=name, n_frames=n_frames)
        project.corrections.planted[name] = flags_of(rows, n_frames)
    project.read_again(one)
