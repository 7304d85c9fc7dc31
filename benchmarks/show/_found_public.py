"""Inputs made after public reports; ``index.csv`` states the expected result of each in machine-readable form."""

from __future__ import annotations

import csv
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _found_run import FOUND, Try, command, document, one_clip, place, role_place

import segue
from segue.errors import SegueError
from segue.io.markers import read_markers

PUBLIC = FOUND / "public"


def rows() -> list[dict[str, Any]]:
    """Return the rows of the table, each with its check and its motion files."""
    out = []
    with (PUBLIC / "index.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            word = row["check_json"]
            check = json.loads((PUBLIC / word).read_text("utf-8") if word.endswith(".json") else word)
            files = [
                PUBLIC / name
                for name in row["file"].split(";")
                if not name.startswith(f"{row['id']}-{row['kind']}.json")
            ]
            out.append({**row, "check": check, "files": [file for file in files if file.suffix != ".json"]})
    return out


def places(check: dict[str, Any], file: Path, folder: Path) -> tuple[object, object]:
    """Check frames, rate and world positions."""
    del folder
    clip = segue.load(file)
    off = [
        float(np.abs(place(clip, one["joint"])[one["frame"]] - one["pos"]).max()) for one in check["world"]
    ]
    good = (
        clip.n_frames == check["frames"] and abs(clip.fps - check["fps"]) < 0.01 and max(off) <= check["tol"]
    )
    return good, f"{clip.n_frames} frames, {max(off):.4f} m off"


def refused(check: dict[str, Any], file: Path, folder: Path) -> tuple[object, object]:
    """Check for one sentence that names the problem; or for a clip, where that is also right."""
    del folder
    try:
        clip = segue.load(file)
    except SegueError as error:
        return all(word in str(error) for word in check["error_mentions"]), str(error).rsplit("/", 1)[-1][:80]
    return check["outcome"] == "ok_or_error", f"read, {clip.n_frames} frames"


def speed(clip: Any) -> float:
    """Return the mean ground speed of the pelvis in m/s, from end to end."""
    path = role_place(clip, "pelvis")[[0, -1]][:, [0, 2]]
    return float(np.linalg.norm(path[1] - path[0]) / clip.seconds)


def upright(clip: Any) -> bool:
    """Return whether the head is over the pelvis over the ankles in the first frame."""
    heights = [role_place(clip, role)[0, 1] for role in ("head", "pelvis", "left_ankle")]
    return bool(heights[0] > heights[1] > heights[2])


def loaded(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check a clip loaded from one file."""
    del folder
    body = {"skeleton": PUBLIC / "c2-070-model_J.json"} if "pelvis_frame0" in expect else {}
    clip = segue.load(files[0], **body)  # type: ignore[arg-type]
    seen: dict[str, object] = {}
    good = []
    if "frame0_order" in expect:
        good.append(upright(clip))
        seen["upright"] = good[-1]
    if "speed_m_s" in expect or "speed" in expect:
        low, high = expect.get("speed_m_s", [expect.get("speed", 0) - 0.05, expect.get("speed", 0) + 0.05])
        seen["m/s"] = round(speed(clip), 2)
        good.append(low <= speed(clip) <= high)
    if "pelvis_height_m" in expect:
        height = float(np.median(role_place(clip, "pelvis")[:, 1]))
        seen["pelvis m"] = round(height, 2)
        good.append(expect["pelvis_height_m"][0] <= height <= expect["pelvis_height_m"][1])
    if "joints" in expect:
        seen["joints"] = clip.skeleton.n_joints
        good.append(clip.skeleton.n_joints == expect["joints"])
    for joint in ("LeftLeg", "LeftFoot"):
        if f"{joint}_offset" in expect:
            long = float(np.linalg.norm(clip.skeleton.offsets[clip.skeleton.names.index(joint)]))
            seen[joint] = round(long, 3)
            good.append(abs(long - expect[f"{joint}_offset"]) < 0.002)
    if "pelvis_frame0" in expect:
        off = float(np.abs(role_place(clip, "pelvis")[0] - expect["pelvis_frame0"]).max())
        seen["off m"] = round(off, 4)
        good.append(off <= expect["tol"])
    return bool(good) and all(good), seen


def markers(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check clips read from markers."""
    del folder
    seen = []
    for file in files:
        read = read_markers(file, **({"encoding": "cp1252"} if "names0" in expect else {}))
        missing = int(np.isnan(read.positions).any(axis=-1).sum())
        first = read.positions[0, read.names.index("LASI")] if "LASI_frame0_m" in expect else None
        got = {
            "names": list(read.names),
            "markers": len(read.names),
            "frames": len(read.positions),
            "fps": float(read.fps),
            "missing_samples": missing,
            "names0": read.names[0],
            "LASI_frame0_m": None if first is None else first.round(4).tolist(),
        }
        seen.append({key: got[key] for key in expect})
    return all(one == expect for one in seen), seen[0]


def roles(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check the roles of each body."""
    del folder
    seen: list[object] = []
    for file in files:
        skeleton = segue.load(file).skeleton
        found = {role: skeleton.names[joint] for role, joint in segue.roles(skeleton).items()}
        if "roles" in expect:
            seen.append(len(found) == expect["roles"])
        else:
            seen.append({role: found.get(role) for role in expect} == expect)
    return all(seen), seen


def looped(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check that cycles have the expected length."""
    seen = []
    for file in files:
        made = document("loop", file, "-o", "loop.bvh", "--force", folder=folder)
        frames = round(made["round_seconds"] * made["fps"]) if "error" not in made else made["error"]
        late = made.get("to_seconds", 0) > expect.get("stop_before_s", 1e9)
        if "stop_before_s" in expect and isinstance(frames, int):
            frames //= max(made["strides"], 1)  # a cycle of several strides counts as several
        seen.append((frames == expect["period_frames"] and not late, frames, made.get("to_seconds")))
    return all(one[0] for one in seen), [one[1:] for one in seen]


def skate(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check that slides are measured and corrected."""
    before = document("measure", files[0], folder=folder)["skate_cm"]["along_path"] or 0.0
    document("clean", files[0], "-o", "clean.bvh", "--force", folder=folder)
    after = document("measure", "clean.bvh", folder=folder)["skate_cm"]["along_path"]
    good = before >= expect["foot_skate_cm_at_least"] and after is not None
    return good and after <= expect["after_clean_cm_at_most"], f"{before:.1f} cm, {after} after clean"


def stitched(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check that two clips in order do not skate."""
    made = document("stitch", *files, "-o", "stitched.bvh", "--force", folder=folder)
    slid = made["skate_cm"]["along_path"] if "error" not in made else made["error"]
    return isinstance(slid, float) and slid <= expect["skate_cm_at_most"], f"{slid} cm"


def noted(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check for words in a report."""
    info = one_clip(files[0], folder=folder)
    words = " ".join(
        [
            *(one["sentence"] for one in info.get("faults", [])),
            *info.get("notes", ()),
            str(info.get("role_costs", "")),
        ]
    )
    text = command("info", files[0], folder=folder).stdout
    return expect["mentions"] in words or (
        expect["mentions"] != "floor" and expect["mentions"] in text
    ), words[:90]


def turned_over(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check that a clip is upright, or reported as not upright."""
    del expect
    stands = upright(segue.load(files[0]))
    words = str(one_clip(files[0], folder=folder))
    return stands or "upside down" in words or "upright" in words, f"upright {stands}"


def takes(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check every take by its name, and a folder in place of all files."""
    seen = {name: segue.load(f"{files[0]}#{name}").n_frames for name in expect["frames"]}
    (folder / "takes").mkdir()
    shutil.copy2(files[0], folder / "takes")
    given = document("info", "takes", folder=folder)
    many = sorted(one["frames"] for one in given.get("clips", ()))
    return seen == expect["frames"] and many == sorted(expect["frames"].values()), (seen, many)


def named(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check that clip names are distinct without their folders."""
    (folder / "names").mkdir()
    for file in files:
        shutil.copy2(file, folder / "names" / file.name.removeprefix("c2-076-"))
    names = [one["name"] for one in document("info", "names", folder=folder).get("clips", ())]
    return len(set(names)) == 2 and not any(expect["names_without"] in name for name in names), names


def kept(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check that positions survive writing and reading."""
    clip = segue.load(files[0])
    segue.save(clip, folder / "kept.bvh")
    off = float(
        np.abs(segue.world_positions(segue.load(folder / "kept.bvh")) - segue.world_positions(clip)).max()
    )
    return off <= expect["max_diff"], f"{off:.1e} m"


def walk_in_file(expect: dict[str, Any], files: list[Path], folder: Path) -> tuple[object, object]:
    """Check one animation by its name."""
    del folder
    frames = segue.load(f"{files[0]}#walk").n_frames
    return frames == expect["frames"], f"{frames} frames"


BY_KIND = {
    "bvh-up": turned_over,
    "c3d-model": markers,
    "c3d-gaps": markers,
    "trc-header": markers,
    "trc-cells": markers,
    "text-encoding": markers,
    "roles": roles,
    "root": roles,
    "loop": looped,
    "foot-skate": skate,
    "transition": stitched,
    "floor": noted,
    "fbx-takes": takes,
    "names": named,
    "bvh-write": kept,
    "gltf-read": walk_in_file,
}


def tries() -> list[Try]:
    """Return one for each row of the table."""
    out = []
    for row in rows():
        check, files = row["check"], row["files"]
        if check["outcome"] == "ok":
            runs = [partial(places, check, file) for file in files]
        elif check["outcome"] in {"error", "ok_or_error"}:
            runs = [partial(refused, check, file) for file in files]
        else:
            how = noted if "mentions" in check["expect"] else BY_KIND.get(row["kind"], loaded)
            runs = [partial(how, check["expect"], files)]
        out += [Try(f"{row['id']} {row['kind']}", run) for run in runs]
    return out
