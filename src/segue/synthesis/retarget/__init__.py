"""A motion on another body.

- `carry`: world rotations by roles, rest directions laid on one another, root scaled by leg length
- `chains`: joints between those with roles: spines and necks of other counts, forearm twist
- `standing`: soles on the floor and planted feet in place
- `partners`: which joint moves which, and which none does
- `retargeting`: all of it in one call; hands where they are by each other, the body and the ground
"""

from segue.synthesis.retarget.retargeting import retarget

__all__ = ["retarget"]
