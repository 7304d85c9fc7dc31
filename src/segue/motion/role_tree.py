"""A skeleton as a tree of lengths: how far each joint reaches, which way leads farthest out."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Ints, Positions
from segue.motion.skeleton import Skeleton


class Tree:
    """Rest places and lengths that several questions about one skeleton share.

    ``rest`` (J, 3) places, ``bone`` (J,) length of the bone from the parent, ``arm`` (J,) bone and the longest way
    beyond it, ``below`` (J,) number of joints in the subtree, ``tip`` the end site of each joint or None, ``size``
    the longest way through the tree. All in the skeleton's own unit.

    Examples
    --------
    >>> import segue
    >>> tree = Tree(segue.sample("walk").skeleton)
    >>> tree.path(1)[0], tree.size > 1.0
    (1, True)
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.count = skeleton.n_joints
        self.parents: Ints = skeleton.parents
        self.children = skeleton.children
        self.rest: Positions = skeleton.rest_positions()
        self.bone: Floats = np.linalg.norm(skeleton.offsets, axis=1)
        self.bone[0] = 0.0
        self.tip: list[Positions | None] = [None] * self.count
        self.beyond: Floats = np.zeros(self.count)
        for site in skeleton.end_sites:
            length = float(np.linalg.norm(site.offset))
            if length > self.beyond[site.joint]:
                self.beyond[site.joint], self.tip[site.joint] = length, site.offset
        self.arm: Floats = np.zeros(self.count)
        self.below: Floats = np.ones(self.count)
        self.size = 0.0
        reach = np.array(self.beyond)
        for joint in range(self.count - 1, -1, -1):
            self.arm[joint] = self.bone[joint] + reach[joint]
            arms = sorted((float(self.arm[child]) for child in self.children[joint]), reverse=True)
            self.size = max(self.size, sum(arms[:2]), *arms[:1], reach[joint])
            parent = int(self.parents[joint])
            if parent >= 0:
                reach[parent] = max(reach[parent], self.arm[joint])
                self.below[parent] += self.below[joint]

    def path(self, joint: int, *, within: float = np.inf) -> list[int]:
        """Joints from one outwards, each time along the child that reaches farthest, no farther than ``within``."""
        out = [joint]
        way = float(self.bone[joint])
        while self.children[out[-1]]:
            out.append(max(self.children[out[-1]], key=lambda child: (float(self.arm[child]), -child)))
            way += float(self.bone[out[-1]])
            if way > within:
                return out[:-1]
        return out

    def reach(self, path: list[int]) -> float:
        """Way from the parent of a path's first joint to its end, tip included."""
        return float(self.bone[path].sum() + self.beyond[path[-1]])

    def path_end(self, path: list[int]) -> int:
        """Last joint of a path."""
        return path[-1]

    def points(self, path: list[int]) -> Positions:
        """Places (N, 3) of a path's joints and, if its last joint has one, of its tip."""
        points = [self.rest[joint] for joint in path]
        tip = self.tip[path[-1]]
        if tip is not None:
            points.append(points[-1] + tip)
        return np.array(points)

    def along(self, path: list[int]) -> Floats:
        """Way (N,) from the parent of a path's first joint to each of its joints."""
        out: Floats = np.cumsum(self.bone[path])
        return out

    def n_bones(self, path: list[int]) -> int:
        """Number of bones with length on a path, from its parent to its tip."""
        long = int(np.count_nonzero(self.bone[path] > 1e-3 * self.size))
        return long + int(self.tip[path[-1]] is not None)

    def subtree(self, joint: int) -> list[int]:
        """A joint and all joints below it."""
        out = [joint]
        for member in out:
            out.extend(self.children[member])
        return out

    def above(self, joint: int, other: int) -> bool:
        """Tell whether a joint is another one or an ancestor of it."""
        while other > joint:
            other = int(self.parents[other])
        return other == joint

    def meeting(self, a: int, b: int) -> int:
        """Nearest common ancestor of two joints."""
        while a != b:
            if a > b:
                a = int(self.parents[a])
            else:
                b = int(self.parents[b])
        return a

    def way(self, ancestor: int, joint: int) -> float:
        """Length of the bones between a joint and one of its ancestors."""
        length = 0.0
        while joint != ancestor:
            length += float(self.bone[joint])
            joint = int(self.parents[joint])
        return length

    def between(self, ancestor: int, joint: int) -> list[int]:
        """Joints strictly between an ancestor and a joint, from above."""
        out: list[int] = []
        joint = int(self.parents[joint])
        while joint > ancestor:
            out.append(joint)
            joint = int(self.parents[joint])
        return out[::-1]
