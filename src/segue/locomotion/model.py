"""The motion transition graph of Park et al.: types with their blend sets, and transitions."""

from __future__ import annotations

from dataclasses import dataclass

from segue.errors import SettingError, nearest
from segue.locomotion.blend_set import BlendSet
from segue.locomotion.examples import LeftOut
from segue.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Tally:
    """Counts of a type's examples in a build; walkers stored by older versions have zeros.

    Parameters
    ----------
    found
        Number of examples found, of which some are kept.
    followed
        How often one example directly follows another in a clip: a captured transition of the type to itself.
    closure
        Median over the kept examples of the difference between end pose and start pose: root mean square of the angles
        of all joints, in radians. It is spread over the cycle, so that the type can repeat.
    """

    found: int = 0
    followed: int = 0
    closure: float = 0.0


@dataclass(frozen=True, eq=False)
class Node:
    """A type of motion: its examples, blended by parameters.

    Parameters
    ----------
    kind
        Its name: ``stand``, ``walk``, ``run``, or a word set by the user.
    events
        Events at its keytimes, the first again at the end; empty for a type without steps, such as standing.
    set
        The examples.
    tally
        Counts of the examples they were chosen from.
    """

    kind: str
    events: tuple[str, ...]
    set: BlendSet
    tally: Tally = Tally()

    @property
    def steps(self) -> bool:
        """Whether it has events, so that transitions must meet it at a keytime."""
        return bool(self.events)


@dataclass(frozen=True, eq=False)
class TransitionSet:
    """A set of example transition motions of one structure from one type to another.

    Parameters
    ----------
    source, target
        Index of the types.
    before, after
        Intervals that it shares with the source at its start and with the target at its end.
    from_interval, to_interval
        Interval of the source's cycle in which it starts; of the target's cycle in which its shared end starts.
    events
        Events at its keytimes.
    set
        The examples, over the parameters of source and target, concatenated.
    made
        Whether its examples were made because none was captured.
    """

    source: int
    target: int
    before: int
    after: int
    from_interval: int
    to_interval: int
    events: tuple[str, ...]
    set: BlendSet
    made: bool


@dataclass(frozen=True, eq=False)
class Locomotion:
    """A motion transition graph for locomotion: the model by which a character is steered.

    Parameters
    ----------
    skeleton
        The body of all examples.
    parameters
        P names: speed (m/s) and turn (rad/s, positive to the left) first.
    nodes
        The types.
    transitions
        Sets of transitions between them; several may lead from one type to another, with different feet first.
    left_out
        Stretches that were considered and left out, and why.

    Examples
    --------
    >>> import segue
    >>> from segue.locomotion.build import build_locomotion
    >>> names = ("walk", "walk_slow", "walk_turn_left", "run", "stop", "start")
    >>> walker = build_locomotion([segue.sample(name) for name in names])
    >>> [node.kind for node in walker.nodes]
    ['stand', 'walk', 'run']
    """

    skeleton: Skeleton
    parameters: tuple[str, ...]
    nodes: tuple[Node, ...]
    transitions: tuple[TransitionSet, ...]
    left_out: tuple[LeftOut, ...]

    def __post_init__(self) -> None:
        """Check that types and transitions agree: kernels follow their indices unchecked.

        Raises
        ------
        SettingError
            If they refer to a missing type or set, or are of another body or other parameters.
        """
        width, joints = len(self.parameters), self.skeleton.n_joints
        sets = [(node.set, node.events, width, True) for node in self.nodes]
        sets += [(transition.set, transition.events, 2 * width, False) for transition in self.transitions]
        for number, (one, events, wide, cyclic) in enumerate(sets):
            word = f"type {number}" if number < len(self.nodes) else f"transition {number - len(self.nodes)}"
            if one.rotations.shape[-1] != joints or one.parameters.shape[1] != wide or one.cyclic != cyclic:
                shape = f"{one.rotations.shape[-1]} joints and {one.parameters.shape[1]} parameters"
                msg = f"{word} has {shape}; it must have {joints} and {wide}, and types must be cyclic, transitions not"
                raise SettingError(msg)
            if len(events) not in ({0, one.n_intervals + 1} if cyclic else {one.n_intervals + 1}):
                msg = f"{word} has {len(events)} events in {one.n_intervals} intervals"
                raise SettingError(msg)
        for number, transition in enumerate(self.transitions):
            if not (0 <= transition.source < len(self.nodes) and 0 <= transition.target < len(self.nodes)):
                msg = f"transition {number} leads from type {transition.source} to {transition.target} of "
                msg += f"{len(self.nodes)}"
                raise SettingError(msg)
            ends = [self.nodes[end].set.n_intervals for end in (transition.source, transition.target)]
            inside = 0 <= transition.from_interval < ends[0] and 0 <= transition.to_interval < ends[1]
            shared = (
                1 <= transition.before <= transition.set.n_intervals
                and 1 <= transition.after <= transition.set.n_intervals
            )
            if not inside or not shared:
                msg = f"transition {number} shares intervals that it or its types do not have"
                raise SettingError(msg)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{node.kind} ({len(node.set.names)})" for node in self.nodes)
        sets = f"{len(self.transitions)} sets of transitions"
        return f"<Locomotion by {' and '.join(self.parameters)}, examples: {kinds}; {sets}>"

    @property
    def ways(self) -> tuple[TransitionSet, ...]:
        """Former name of ``transitions``."""
        return self.transitions

    def index(self, kind: str) -> int:
        """Return the index of a type.

        Raises
        ------
        SettingError
            If there is no such type.
        """
        kinds = [node.kind for node in self.nodes]
        if kind not in kinds:
            msg = (
                f"there is no motion of type {kind!r}; there are {', '.join(kinds)} ({nearest(kind, kinds)})"
            )
            raise SettingError(msg)
        return kinds.index(kind)

    def next_hops(self) -> list[list[int]]:
        """Return, for every pair of types, the type to go to first; -1 where no transition leads there."""
        count = len(self.nodes)
        out = [[-1] * count for _ in range(count)]
        for start in range(count):
            first = {start: -1}
            queue = [start]
            for here in queue:
                for transition in self.transitions:
                    if transition.source == here and transition.target not in first:
                        first[transition.target] = transition.target if here == start else first[here]
                        queue.append(transition.target)
            for end, hop in first.items():
                out[start][end] = hop
        return out
