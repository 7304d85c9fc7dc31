"""Tiles of point-cloud costs.

- `fixed`: arrays of weights that never change, two-level centred; `strips`: their tiles
- `varying`: weights that change with the ground contacts of both frames, straight from the closed form
- `supported`: their fast tiles
- `basis`: how many numbers a pose really takes
"""
