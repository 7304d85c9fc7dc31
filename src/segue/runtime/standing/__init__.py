"""Feet on the ground for live characters: kernels only. May import maths and below."""
