"""Compiled code: the only room that imports numba and llvmlite.

Owns: the decorators of kernels, their machine code on disk, functions written as instructions of a processor. May
import: arrays. `docs/how/compiled-code.md` shows how a kernel and a tile are written.

- `compiler`: `kernel` and `fast_kernel` compile a loop; every kernel by name; machine code of kernels on disk
- `formulas`: functions of single numbers that become a part of the kernel that calls them
- `emitter`: vectors, arrays and loops as instructions; `register` lets kernels call what is written with them
- `tiles`: four rows by some columns of products, distances and costs, summed in vector registers; lower bounds, and
  which of many cells are low
- `cloud_tiles`: the same for point clouds: complex products, windows along diagonals, costs
- `layouts`: names for the numbers of a flat array
- `rotations`: weighted sums of rotations, a vector of joints at a time
"""
