"""Build a motion transition graph from unlabelled clips: cut examples, choose them, make missing transitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from segue.errors import SettingError, all_loaded
from segue.locomotion.blend_set import BlendSet, blend_set
from segue.locomotion.choosing import chosen, scale_of, tally_of, values_of
from segue.locomotion.cutting import cycles, stands, straightened, transition_examples
from segue.locomotion.examples import (
    CLIP,
    PARAMETERS,
    RUN,
    STAND,
    WALK,
    Example,
    LeftOut,
    TransitionExample,
)
from segue.locomotion.making import made_transitions
from segue.locomotion.model import Locomotion, Node, Tally, TransitionSet
from segue.locomotion.phases import GaitPhases, gait_phases, mirrored
from segue.motion.clip import Clip
from segue.motion.cyclic import played_on
from segue.motion.mirror import mirror
from segue.motion.roles import require_legs
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget import retarget

KINDS: tuple[str, ...] = (STAND, WALK, RUN)
"""Types that can be found, in the order in which they are listed."""

_SETS = 4  # sets of transitions kept from one type to another
_EXAMPLES = 4  # examples in a set of transitions
_SLOW = 1.8  # times the shortest transition between the same types: a slower one delays the response

Edit = Callable[[Sequence[Example]], Sequence[Example]]


@dataclass(frozen=True)
class BuildSettings:
    """How examples are chosen.

    Parameters
    ----------
    most
        Maximum of examples kept for a type; time per frame grows with it.
    spacing
        Minimum distance between them, in standard deviations of all found.
    mirror
        Whether mirror images count as examples.
    """

    most: int = 20
    spacing: float = 0.3
    mirror: bool = True

    def __post_init__(self) -> None:
        """Check the ranges."""
        if self.most < 1 or not self.spacing >= 0:
            msg = f"a type keeps at least 1 example, at a spacing of 0 or more; got {self.most} and {self.spacing}"
            raise SettingError(msg)


@dataclass(eq=False)
class Found:
    """Examples cut from the clips, before any is chosen."""

    examples: list[Example] = field(default_factory=list)
    transitions: list[TransitionExample] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    phases: list[GaitPhases] = field(default_factory=list)


def find_examples(
    clips: Sequence[Clip], *, skeleton: Skeleton | None = None, mirror_too: bool = True
) -> Found:
    """Cut all clips into examples and transitions between types; clips of other bodies are retargeted first.

    Raises
    ------
    SettingError
        If there is no clip.
    SkeletonError
        If a clip's legs are unknown.
    """
    if not clips:
        msg = "locomotion is built from clips, and there are none"
        raise SettingError(msg)
    require_legs(clips)
    body = clips[0].skeleton if skeleton is None else skeleton
    out = Found()
    for clip in map(played_on, clips):  # in a clip of a single cycle no strike follows another
        carried = _on(clip, body)
        # Phases are those of the captured body: after retargeting, for example, a stoop differs.
        seen = replace(gait_phases(clip), clip=carried)
        both = [seen, mirrored(seen, _on(mirror(carried), body))] if mirror_too else [seen]
        moving, unfit = 0, list[LeftOut]()
        for one in both:
            kept, left = cycles(one)
            out.examples += [*kept, *stands(one)]
            found, without = transition_examples(one)
            out.transitions += found
            out.phases.append(one)
            moving += len(kept) + len(found)
            unfit += left
            if not one.mirrored:
                out.left_out += [*left, *without]
        if not moving:
            out.left_out.append(LeftOut(clip.name, CLIP, _why_nothing(seen, unfit)))
    return out


def _why_nothing(seen: GaitPhases, unfit: Sequence[LeftOut]) -> str:
    """Reason why a clip gave neither a cycle nor a transition; its rejected cycles are ``unfit``."""
    gaits = [phase for phase in seen.phases if phase.kind != STAND]
    if not gaits:
        nothing = "no steps in the order of walking or running"
        return f"stands; {nothing}" if seen.phases else nothing
    if unfit:
        return f"its {unfit[0].kind} is left out: {unfit[0].reason}"
    longest = max(gaits, key=lambda phase: phase.stop - phase.start)
    seconds = (longest.stop - longest.start) / seen.clip.fps
    return f"a {longest.kind} of {seconds:.1f} s: no complete cycle from one strike of a foot to the next"


def build_locomotion(
    clips: Sequence[Clip],
    *,
    settings: BuildSettings | None = None,
    skeleton: Skeleton | None = None,
    edit: Edit | None = None,
) -> Locomotion:
    """Build a motion transition graph from unlabelled clips.

    Cycles are cut at strikes of the left foot and typed by their events: walking has double support, running flight.
    Transitions between types are taken from the clips that hold them; missing ones are made from the best transition
    between the types' clips, and marked.

    Parameters
    ----------
    clips
        Any clips with known legs.
    settings
        How examples are chosen.
    skeleton
        Body of the model; by default the first clip's.
    edit
        Called with all examples found, returns those to choose from: the user's renames, omissions, other types and
        further parameters (`segue.locomotion.edits`).

    Raises
    ------
    SettingError
        If no type was found in the clips; the message lists the stretches left out.
    SkeletonError
        If a clip's legs are unknown.

    Notes
    -----
    Park, Shin, Kim & Shin 2004, with automatic labelling.

    Examples
    --------
    >>> import segue
    >>> walker = build_locomotion([segue.sample("walk"), segue.sample("run")])
    >>> [(node.kind, node.set.cyclic) for node in walker.nodes]
    [('walk', True), ('run', True)]
    """
    all_loaded(clips)
    asked = settings or BuildSettings()
    found = find_examples(clips, skeleton=skeleton, mirror_too=asked.mirror)
    examples = list(found.examples if edit is None else edit(found.examples))
    names = _parameter_names(examples)
    left = list(found.left_out)
    nodes: list[Node] = []
    for kind in sorted({example.kind for example in examples}, key=_order):
        of_kind = [example for example in examples if example.kind == kind]
        kept, without = chosen(
            of_kind, names, most=asked.most, spacing=asked.spacing, transitions=found.transitions
        )
        left += without
        nodes.append(_node(kind, kept, names, tally_of(of_kind, kept)))
    if not nodes:
        reasons = "; ".join(f"{one.name}: {one.reason}" for one in left[:3])
        msg = f"no stand, walk or run was found in {len(clips)} clips" + (f" ({reasons})" if reasons else "")
        raise SettingError(msg)
    kinds = [node.kind for node in nodes]
    captured = [one for one in found.transitions if one.source in kinds and one.target in kinds]
    quick, slow = _quick(captured)
    left += slow
    grouped = _grouped(quick)
    missing = [(a, b) for a in kinds for b in kinds if a != b and (a, b) not in grouped]
    made, without = made_transitions(found.phases, missing)
    left += without
    grouped.update(_grouped(made))
    groups = [group for key in sorted(grouped, key=_pair_order) for group in grouped[key]]
    # The turn of a captured transition was not commanded by the user (decision 129).
    sets = [_transition_set([straightened(one) for one in group], kinds, nodes, names) for group in groups]
    body = clips[0].skeleton if skeleton is None else skeleton
    return Locomotion(body, names, tuple(nodes), tuple(sets), tuple(left))


def _on(clip: Clip, body: Skeleton) -> Clip:
    """Clip retargeted to exactly this skeleton object."""
    carried = clip if clip.skeleton is body else retarget(clip, body)  # once, at the build (decision 133)
    return carried if carried.skeleton is body else carried.with_skeleton(body)


def _order(kind: str) -> tuple[int, str]:
    return (KINDS.index(kind) if kind in KINDS else len(KINDS), kind)


def _pair_order(pair: tuple[str, str]) -> tuple[tuple[int, str], tuple[int, str]]:
    return _order(pair[0]), _order(pair[1])


def _parameter_names(examples: Sequence[Example]) -> tuple[str, ...]:
    """Parameters that every example has, the measured ones first."""
    more = set.intersection(*(set(example.parameters) for example in examples)) if examples else set()
    return (*PARAMETERS, *sorted(more - set(PARAMETERS)))


def _node(kind: str, kept: Sequence[Example], names: Sequence[str], tally: Tally) -> Node:
    values = values_of(kept, names)
    events = () if kept[0].events[0] == "rest" else kept[0].events
    return Node(kind, events, blend_set(kept, values, scale=scale_of(values), cyclic=True), tally)


def _quick(found: Sequence[TransitionExample]) -> tuple[list[TransitionExample], list[LeftOut]]:
    """Split transitions into those not much longer than the shortest between their types, and the others."""
    least: dict[tuple[str, str], float] = {}
    for one in found:
        pair = (one.source, one.target)
        least[pair] = min(one.clip.seconds, least.get(pair, np.inf))
    kept, left = [], []
    for one in found:
        shortest = least[one.source, one.target]
        if one.clip.seconds <= _SLOW * shortest:  # decision 103
            kept.append(one)
        else:
            reason = f"takes {one.clip.seconds:.1f} s, another {shortest:.1f} s"
            left.append(LeftOut(one.name, f"{one.source} to {one.target}", reason))
    return kept, left


def _grouped(found: Sequence[TransitionExample]) -> dict[tuple[str, str], list[list[TransitionExample]]]:
    """Transitions by pair of types and structure; the most frequent, then shortest, structures first."""
    groups: dict[tuple[object, ...], list[TransitionExample]] = defaultdict(list)
    for one in found:
        groups[one.structure].append(one)
    out: dict[tuple[str, str], list[list[TransitionExample]]] = defaultdict(list)
    for group in sorted(groups.values(), key=lambda group: (-len(group), group[0].clip.seconds)):
        key = (group[0].source, group[0].target)
        if len(out[key]) < _SETS:
            out[key].append(_apart(group))
    return dict(out)


def _apart(group: Sequence[TransitionExample]) -> list[TransitionExample]:
    """At most `_EXAMPLES` transitions of a set, each with other parameters."""
    out: list[TransitionExample] = []
    for one in sorted(group, key=lambda one: one.clip.seconds):
        if len(out) < _EXAMPLES and all(
            np.abs(one.parameters - other.parameters).max() > 1e-6 for other in out
        ):
            out.append(one)
    return out


def _transition_set(
    group: Sequence[TransitionExample], kinds: Sequence[str], nodes: Sequence[Node], names: Sequence[str]
) -> TransitionSet:
    """Blend set of transitions; parameters that only cycles have get the value 0 and keep their scale."""
    first = group[0]
    source, target = kinds.index(first.source), kinds.index(first.target)
    width = len(names)
    values = np.zeros((len(group), 2, width))
    values[:, :, : len(PARAMETERS)] = [one.parameters for one in group]
    scale = np.concatenate([nodes[source].set.weights.scale, nodes[target].set.weights.scale])
    blended: BlendSet = blend_set(group, values.reshape(len(group), -1), scale=scale, cyclic=False)
    return TransitionSet(
        source,
        target,
        first.before,
        first.after,
        first.from_interval,
        first.to_interval,
        first.events,
        blended,
        first.made,
    )
