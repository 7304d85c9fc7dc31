"""Pairs of clips ruled out by lower bounds of uniform point-cloud costs, while their windows are never compared.

Owns: lower bounds from few coordinates, and what they rule out. May import: costs and everything below.

- `windows`: windows as whole vectors, and as short ones for lower bounds
- `near`: bounds between tiles, then cells; the pairs of clips that are left
"""
