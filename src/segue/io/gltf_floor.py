"""Several bodies in one GLB: a skin, a figure in a colour and the channels of one animation each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segue.errors import SettingError
from segue.io.channels import check_rotations
from segue.io.gltf_write import (
    Buffer,
    animation_of,
    figure_mesh,
    glb_bytes,
    material,
    rest_nodes,
    skin_of,
)
from segue.io.mannequin import mannequin
from segue.io.text import write_whole
from segue.motion.clip import Clip


def write_floor(
    clips: Sequence[Clip], path: Path, *, colours: Sequence[str], names: Sequence[str], overwrite: bool = True
) -> None:
    """Write motions of one skeleton as bodies side by side in one GLB, moved by one animation.

    Parameters
    ----------
    clips
        Motions of one skeleton at one rate, each where it is to be.
    path
        The file.
    colours
        ``#rrggbb`` of each body.
    names
        What each colour stands for, as its material is called; equal names are one material.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    SettingError
        If there is nobody, or skeletons or rates differ.
    FileError
        If a rotation is no unit quaternion or the file cannot be written.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> from segue.motion.facing import moved
    >>> walk = segue.sample("walk")
    >>> pair = [walk, moved(walk, segue.PlanarMotion(0.0, 1.0, 0.0))]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.glb"
    >>> write_floor(pair, path, colours=["#6a51a3", "#e6a817"], names=["a", "b"])
    >>> path.stat().st_size > 100_000
    True
    """
    _check(clips, colours, names)
    for clip in clips:
        check_rotations(clip, path)
    buffer = Buffer()
    skeleton, count = clips[0].skeleton, clips[0].skeleton.n_joints
    mesh = figure_mesh(mannequin(skeleton), buffer, n_joints=count)
    skin = skin_of(clips[0], buffer)
    kinds = list(dict.fromkeys(zip(names, colours, strict=True)))
    nodes: list[dict[str, Any]] = []
    roots: list[int] = []
    skins, animations = [], []
    for number, clip in enumerate(clips):
        first = len(nodes)
        # Names are told apart, because programs take a bone by its name.
        body = rest_nodes(clip, first=first)
        nodes += [{**node, "name": f"{number + 1} {node['name']}"} for node in body]
        kind = kinds.index((names[number], colours[number]))
        nodes.append({"name": f"{number + 1} Mannequin", "mesh": kind, "skin": number})
        roots += [first, first + count]
        skins.append({**skin, "joints": [first + joint for joint in range(count)], "skeleton": first})
        animations.append(animation_of(clip, buffer, first=first))
    document = {
        "asset": {"version": "2.0", "generator": "segue"},
        "scene": 0,
        "scenes": [{"name": path.stem, "nodes": roots}],
        "nodes": nodes,
        "meshes": [_in_colour(mesh, number) for number in range(len(kinds))],
        "materials": [material(_linear(colour), name=name) for name, colour in kinds],
        "skins": skins,
        "animations": [_together(animations, path.stem)],
    }
    write_whole(path, glb_bytes(document, buffer), overwrite=overwrite)


def _check(clips: Sequence[Clip], colours: Sequence[str], names: Sequence[str]) -> None:
    if not clips or not len(clips) == len(colours) == len(names):
        msg = (
            f"{len(clips)} bodies with {len(colours)} colours and {len(names)} names; give one of each a body"
        )
        raise SettingError(msg)
    first = clips[0]
    for clip in clips[1:]:
        if not clip.skeleton.same_as(first.skeleton) or clip.fps != first.fps:
            msg = f"{clip.name!r} has another skeleton or rate than {first.name!r}; carry it over first"
            raise SettingError(msg)


def _in_colour(mesh: dict[str, Any], number: int) -> dict[str, Any]:
    """Mesh that shares another's arrays, in a material of its own."""
    return {**mesh, "primitives": [{**part, "material": number} for part in mesh["primitives"]]}


def _together(animations: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """One animation of several: players play one at a time."""
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for one in animations:
        before = len(samplers)
        channels += [{**channel, "sampler": before + channel["sampler"]} for channel in one["channels"]]
        samplers += one["samplers"]
    return {"name": name, "channels": channels, "samplers": samplers, "extras": animations[0]["extras"]}


def _linear(colour: str) -> list[float]:
    """Linear red, green and blue, and opacity, of ``#rrggbb`` as screens show it."""
    shown = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255.0
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return [*(round(float(part), 6) for part in linear), 1.0]
