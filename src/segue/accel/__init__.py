"""Compiled code: the only package that imports numba and llvmlite.

Owns: the decorators of kernels, their machine code on disk, functions written as LLVM instructions. May
import: arrays. `docs/how/compiled-code.md` shows how to write a kernel and a tile.

- `compiler`: `kernel` and `fast_kernel` compile a loop; registry of kernels by name; cache of machine code on disk
- `formulas`: functions of single numbers that are inlined into the kernel that calls them
- `emitter`: vectors, arrays and loops as instructions; `register` makes functions written in them callable by kernels
- `tiles`: products, distances and costs of four rows by some columns, summed in vector registers; lower
  bounds, and bit masks of low cells
- `cloud_tiles`: the same for point clouds: complex products, windows along diagonals, costs
- `layouts`: names for the elements of a flat array
- `rotations`: weighted sums of rotations, computed one vector of joints at a time
"""
