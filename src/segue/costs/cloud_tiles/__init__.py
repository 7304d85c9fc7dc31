"""Tiles of point-cloud costs.

- `fixed`: weights that never change, two-level centred
- `varying`: weights that change with the ground contacts of both frames
"""
