"""Retarget a motion to another body.

- `carry`: world rotations by roles, rest directions aligned, root scaled by leg length
- `chains`: joints between those with roles: spines and necks with other joint counts, forearm twist
- `standing`: soles on the floor and planted feet in place
- `partners`: which source joint moves which target joint, and joints without a partner
- `retargeting`: all steps in one call; hands placed relative to each other, the body and the ground
"""

from segue.synthesis.retarget.retargeting import retarget

__all__ = ["retarget"]
