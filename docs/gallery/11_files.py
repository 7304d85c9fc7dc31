"""
To other programs and back
==========================

The file extension sets the format. All data that a format can hold is read back unchanged.
"""

import tempfile
from pathlib import Path

import numpy as np

import segue
from segue.pictures.filmstrip import filmstrip

walk = segue.sample("walk")
folder = Path(tempfile.mkdtemp())
for ending in (".bvh", ".glb", ".npz", ".csv"):
    path = folder / f"walk{ending}"
    segue.save(walk, path)
    print(f"{path.name:<9} {path.stat().st_size / 1000:7.0f} kB")

# %%
# Read back and compared, joint by joint, in world positions:

places = segue.world_positions(walk)
for ending in (".bvh", ".glb", ".npz"):
    back = segue.load(folder / f"walk{ending}")
    names = [back.skeleton.names.index(name) for name in walk.skeleton.names]
    off = np.abs(segue.world_positions(back)[:, names] - places).max()
    print(f"{ending}: {back.n_frames} frames at {back.fps:g}, at most {1000 * off:.4f} mm off")

# Picture: eight figures of the walk as read back from GLB
strip = filmstrip(segue.load(folder / "walk.glb"), count=8, title="read back from walk.glb")

# %%
# What a file does not state is inferred from the body and reported. BVH does not state a unit:

print(*segue.load(folder / "walk.bvh").notes, sep="\n")

# %%
# When a file cannot be read, the message gives the place and the reason:

(folder / "broken.bvh").write_text((folder / "walk.bvh").read_text().replace("CHANNELS 3", "CHANNELS 4", 1))
try:
    segue.load(folder / "broken.bvh")
except segue.FileError as error:
    print(str(error).replace(str(folder), "FOLDER"))

# %%
# On the command line: ``segue convert walk.bvh -o walk.glb``, or ``--to glb`` to convert all files of a
# folder.
