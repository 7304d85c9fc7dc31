"""What the parts of a human mannequin have in common: the body they grow on, and the meshes grown so far."""

from __future__ import annotations

import numpy as np

from segue.arrays import Positions
from segue.io.mannequin_shapes import Mesh
from segue.motion.facing import rest_heading
from segue.motion.feet import leg_length
from segue.motion.reference import standing
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

TRUNK, LEFT, RIGHT = 0, 1, 2
"""Which part of a body a mesh belongs to: what pictures paint grey, orange and blue."""
_LEG = 0.85  # metres from hip to ankle of the adult whose girths the parts have


class Growing:
    """One skeleton with known legs, in its standing pose.

    ``size`` is its leg over that of the usual adult, ``front`` and ``left`` (3,) are where it looks and its left side,
    ``covered`` the joints that a part stands for, ``meshes`` what has grown: meshes, and whether each is
    `TRUNK`, `LEFT` or `RIGHT`.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.body = standing(skeleton)
        self.found = roles(self.body)
        self.rest = self.body.rest_positions()
        self.size = leg_length(self.body) / _LEG
        turn = rest_heading(self.body)
        self.front = np.array([np.sin(turn), 0.0, np.cos(turn)])
        self.left = np.array([np.cos(turn), 0.0, -np.sin(turn)])
        self.covered: set[int] = set()
        self.meshes: list[tuple[Mesh, int]] = []

    def at(self, role: str) -> Positions:
        """Rest position (3,) of a role's joint."""
        out: Positions = self.rest[self.found[role]]
        return out

    def add(self, mesh: Mesh, part: int) -> None:
        """Keep a mesh that has grown."""
        self.meshes.append((mesh, part))

    def below(self, joint: int) -> list[int]:
        """Joints below a joint, in order."""
        inside: list[int] = []
        for other in range(joint + 1, self.body.n_joints):
            parent = int(self.body.parents[other])
            if parent == joint or parent in inside:
                inside.append(other)
        return inside
