"""Minima of constant-weight point-cloud costs, found exactly while most pairs of windows are never compared.

Owns: lower bounds from few coordinates, and what they allow to skip. May import: costs and everything below.

- `windows`: windows as whole vectors for exact costs and short ones for lower bounds
- `search`: bounds between tiles, then cells, exact costs where bounds are low; dense blocks where pruning would lose
"""
