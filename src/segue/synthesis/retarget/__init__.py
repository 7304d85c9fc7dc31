"""A motion on another body.

- `carry`: world rotations by roles, rest directions laid on one another, root scaled by leg length
- `chains`: joints between those with roles: spines and necks of other counts, forearm twist
- `standing`: soles on the floor and planted feet in place
- `hands`: hands where they are by each other, the body and the ground
- `partners`: which joint moves which, and which none does
- `retargeting`: all of it in one call
"""

from segue.synthesis.retarget.retargeting import retarget

__all__ = ["retarget"]
