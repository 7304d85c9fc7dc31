"""Run inside Blender's Python module: import motion files and report joint positions. Does not use segue.

Reads a JSON list of jobs {file, how, fps, frames, names} from the first file argument and writes a JSON list of
answers to the second. `how` is an importer's name below; `frames` are counted from the clip's first frame.
"""

from __future__ import annotations

import json
import sys

import bpy


def _bvh(job: dict) -> None:
    # Without update_scene_fps the keys keep their frame numbers and the scene its 24 frames a second.
    bpy.ops.import_anim.bvh(
        filepath=job["file"],
        global_scale=1.0,
        update_scene_fps=True,
        update_scene_duration=True,
        frame_start=1,
    )


def _glb(job: dict) -> None:
    # Key times are seconds: they are converted to frames at the rate of the scene when the file is read.
    _set_rate(job["fps"])
    # The importer multiplies by fps_base where the scene divides by it: at 29.97 it needs the inverse of the base.
    render = bpy.context.scene.render
    base = render.fps_base
    render.fps_base = 1.0 / base
    bpy.ops.import_scene.gltf(filepath=job["file"])
    render.fps_base = base


def _usd(job: dict) -> None:
    # Time codes become frames unchanged; the scene's rate is not set by the file, so it is set here, as an artist
    # would.
    _set_rate(job["fps"])
    bpy.ops.wm.usd_import(filepath=job["file"], set_frame_range=True)


def _fbx_new(job: dict) -> None:
    bpy.ops.wm.fbx_import(filepath=job["file"])


def _fbx_old(job: dict) -> None:
    bpy.ops.import_scene.fbx(filepath=job["file"], anim_offset=0.0)


IMPORTERS = {"BVH": _bvh, "GLB": _glb, "USD": _usd, "FBX": _fbx_new, "FBX (Python importer)": _fbx_old}


def _set_rate(fps: float) -> None:
    scene = bpy.context.scene
    whole = abs(fps - round(fps)) < 1e-9
    scene.render.fps = round(fps) if whole else round(fps * 1.001)
    scene.render.fps_base = 1.0 if whole else 1.001


def _positions(armature: bpy.types.Object, names: list[str]) -> list[list[float]]:
    bones = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return [list(armature.matrix_world @ bones[name].head) for name in names]


def _key_range(armature: bpy.types.Object) -> list[float]:
    action = armature.animation_data.action if armature.animation_data else None
    return list(action.frame_range) if action else []


def answer(job: dict) -> dict:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    IMPORTERS[job["how"]](job)
    scene = bpy.context.scene
    armatures = [thing for thing in scene.objects if thing.type == "ARMATURE"]
    if len(armatures) != 1:
        return {"error": f"{len(armatures)} armatures; objects: {[(o.name, o.type) for o in scene.objects]}"}
    armature = armatures[0]
    missing = [name for name in job["names"] if name not in armature.pose.bones]
    if missing:
        return {"error": f"no bones {missing[:3]} among {[bone.name for bone in armature.pose.bones][:8]}"}
    keys = _key_range(armature)
    first = keys[0] if keys else float(scene.frame_start)
    out = []
    for frame in job["frames"]:
        at = first + frame
        scene.frame_set(int(at), subframe=at - int(at))
        out.append(_positions(armature, job["names"]))
    return {
        "fps": scene.render.fps / scene.render.fps_base,
        "keys": keys,
        "range": [scene.frame_start, scene.frame_end],
        "meshes": [thing.name for thing in scene.objects if thing.type == "MESH"],
        "positions": out,
    }


def main() -> None:
    """Answer every job; an importer's failure is an answer too."""
    with open(sys.argv[1], encoding="utf-8") as stream:  # noqa: PTH123
        jobs = json.load(stream)
    answers = []
    for job in jobs:
        try:
            answers.append(answer(job))
        except Exception as error:  # noqa: BLE001
            answers.append({"error": f"{type(error).__name__}: {error}"})
    with open(sys.argv[2], "w", encoding="utf-8") as stream:  # noqa: PTH123
        json.dump({"version": bpy.app.version_string, "answers": answers}, stream)


if __name__ == "__main__":
    main()
