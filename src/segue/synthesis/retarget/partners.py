"""Find partners of the joints of two bodies, and joints without one."""

from __future__ import annotations

from dataclasses import dataclass

from segue.motion.feet import leg_length
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget import chains
from segue.synthesis.retarget.carry import checked_legs, joint_pairs


@dataclass(frozen=True)
class Partners:
    """How a source's joints move those of a target.

    Parameters
    ----------
    scale
        Target's leg length over the source's: the factor of all travel.
    moved_by
        Target joint to the source joint that turns it.
    shared
        Target joints, most of them in the trunk, that take a share of the rotations of several source joints.
    resting
        Target joints that nothing moves, those with a role first: they keep their rest rotation.
    unused
        Roles of the source for which the target has no joint, with the source's joint.
    """

    scale: float
    moved_by: dict[str, str]
    shared: tuple[str, ...]
    resting: tuple[str, ...]
    unused: dict[str, str]

    def sentences(self) -> tuple[str, ...]:
        """Return notes for the user about joints without a partner."""
        out = []
        if self.unused:
            lost = ", ".join(f"{role.replace('_', ' ')} ({joint})" for role, joint in self.unused.items())
            out.append(f"the body has no joint for {lost}")
        if self.resting:
            shown = ", ".join(self.resting[:_SHOWN])
            more = f" and {len(self.resting) - _SHOWN} more" if len(self.resting) > _SHOWN else ""
            out.append(f"no joint of the source moves {shown}{more}; these keep their rest rotation")
        return tuple(out)


_SHOWN = 6


def partners(source: Skeleton, target: Skeleton) -> Partners:
    """Find which joint of one body moves which joint of another.

    Raises
    ------
    SkeletonError
        If pelvis, hips, knees or ankles of either are unknown.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> found = partners(body, body)
    >>> found.scale, found.moved_by["LeftArm"], found.resting, found.unused
    (1.0, 'LeftArm', (), {})
    """
    checked_legs(source, target)
    pairs = joint_pairs(source, target)
    shared = {joint for stretch in chains.stretches(source, target, pairs) for joint in stretch.spans}
    known = set(pairs) | shared
    shared |= {
        joint
        for joint, (elbow, wrist, _) in chains.twists(target).items()
        if joint not in known and {elbow, wrist} <= known
    }
    theirs, used = roles(source), set(pairs.values())
    known |= shared
    first = {joint: rank for rank, joint in enumerate(roles(target).values())}
    rest = sorted(
        (joint for joint in range(target.n_joints) if joint not in known),
        key=lambda joint: (first.get(joint, len(first)), joint),
    )
    names = target.names
    return Partners(
        leg_length(target) / leg_length(source),
        {names[joint]: source.names[pairs[joint]] for joint in sorted(pairs) if joint not in shared},
        tuple(names[joint] for joint in sorted(shared)),
        tuple(names[joint] for joint in rest),
        {role: source.names[joint] for role, joint in theirs.items() if joint not in used},
    )
