"""Feet on the ground for characters that live: kernels only. May import maths and below."""
