"""Read motion files into metres with Y up, and write them as other tools expect.

Owns: formats, units, axes, frame rates, text encodings. May import: motion and below. Nothing above knows a format.

- `files`: `load`, `save`, `load_folder`; `formats`: a row for each extension with its functions and settings
- `animation_names`: files that hold several animations
- `bvh_hierarchy`, `bvh_raw`, `bvh_read`, `bvh_write`; `asf`, `amc`; `gltf_write`, `mannequin`: one file per format
- `fbx_write` (`fbx_nodes`), `usd_write`, `vrma_write` (`tpose`), `csv_write`, `mujoco_write`; `npz_segue`
  writes segue's own arrays and reads them
- `gltf_read` reads glTF: `gltf_document`, `gltf_accessors`, `gltf_channels`, `gltf_nodes`, `gltf_joints`, `gltf_rest`
- `npz` (`npz_arrays`, `npz_global`, `smpl_body`), `deepmimic`, `fbx_read` (`fbx_body`, and `_fbx_worker` in a
  separate process)
- `joint_positions`: a clip from joint positions, read from arrays (`npz_positions`) and tables (`csv_positions`)
- `carrier`: the joint that carries the body, below roots that only move it as a unit; animated scales
- `markers`, `marker_data`: points without a skeleton, from `c3d` and `trc`; `naming`: unique names
- `ground_paths`: paths on the ground from tables and drawings
- `library_mark`: distinguishes a library from a motion file
- `units`: properties a file does not state, inferred from the body
- `rates`: exact frame rates; `channels`: rotations to a file's angles; `text`: lines, numbers, complete
  files; `digests`: SHA-256 of the files read
"""

from __future__ import annotations

from segue.io.files import load, load_folder, motion_files, save

__all__ = ["load", "load_folder", "motion_files", "save"]
