"""Files: motion read in metres with Y up, and written as other tools expect it.

Owns: formats, units, axes, frame rates, text encodings. May import: motion and below. Nothing above knows a format.

- `files`: `load`, `save`, `load_folder`; `formats`: a row for each extension: its functions and settings
- `animation_names`: files that hold several animations
- `bvh_hierarchy`, `bvh_raw`, `bvh_read`, `bvh_write`; `asf`, `amc`; `gltf_write`,
  `mannequin`: one file a format
- `fbx_write` (`fbx_nodes`), `usd_write`, `vrma_write` (`tpose`), `csv_write`,
  `mujoco_write`; `npz_segue` writes segue's own arrays and reads them back
- `gltf_read` reads glTF: `gltf_document`, `gltf_accessors`, `gltf_channels`, `gltf_nodes`,
  `gltf_joints`, `gltf_rest`
- `npz` (`npz_arrays`, `npz_global`, `smpl_body`), `deepmimic`, `fbx_read`
  (`fbx_body`, and `_fbx_worker` in a process of its own)
- `joint_positions`: joint positions to a clip, from arrays (`npz_positions`) and tables (`csv_positions`)
- `carrier`: the joint that carries a body, below roots that only move it about, and animated scales
- `markers`, `marker_data`: points without a skeleton, from `c3d` and `trc`; `naming`: names that occur once
- `ground_paths`: paths on the ground from tables and drawings
- `library_mark`: how a library is told from a motion file
- `units`: what a file does not tell, found from the body
- `rates`: exact frame rates; `channels`: rotations to a file's angles; `text`: lines, numbers, whole files;
  `digests`: what was read, by its SHA-256
"""

from __future__ import annotations

from segue.io.files import load, load_folder, motion_files, save

__all__ = ["load", "load_folder", "motion_files", "save"]
