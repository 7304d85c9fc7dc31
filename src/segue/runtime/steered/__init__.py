"""A character steered by type, speed and turning rate (Park et al. 2004), one pose a step.

May import locomotion and below, and `runtime.standing`. `packing` lays a `Locomotion` out in two flat arrays, the
kernels step on them, `player` is the `Controller`, `crowd` steps many at a time.
"""
