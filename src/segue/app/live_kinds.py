"""What steers a live character: a walker, a motion matcher, or the walk of a graph; each made of clips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

from segue.app.live import LiveCharacter
from segue.app.stages import Collection, make_graph
from segue.app.walkers import clip_of
from segue.errors import SettingError
from segue.graph.build import MotionGraph
from segue.locomotion.build import build_locomotion
from segue.locomotion.model import Locomotion
from segue.motion.clip import Clip
from segue.runtime.graph_player import GraphPlayer
from segue.runtime.motion_matcher import MotionMatcher
from segue.runtime.steered.player import LocomotionPlayer
from segue.settings import Settings
from segue.threads import Progress, silent

LiveKind: TypeAlias = Literal["locomotion", "matcher", "graph"]
LIVE_KINDS: tuple[LiveKind, ...] = get_args(LiveKind)
LiveModel: TypeAlias = Locomotion | MotionMatcher | MotionGraph


def live_model(
    kind: LiveKind, clips: Sequence[Clip], *, settings: Settings | None = None, progress: Progress = silent
) -> LiveModel:
    """Make what characters of a kind are made from; this takes seconds.

    Parameters
    ----------
    kind
        One of `LIVE_KINDS`.
    clips
        What it is made of.
    settings
        How the graph is built, where it is one.

    Raises
    ------
    SettingError
        If the clips do not hold what it needs.
    """
    if kind == "locomotion":
        return build_locomotion(clips)
    if kind == "matcher":
        return MotionMatcher(list(clips))
    return make_graph(Collection(tuple(clips)), settings or Settings(), progress=progress)


def live_character(model: LiveModel, *, seed: int) -> LiveCharacter[Any]:
    """Character that begins with a seed.

    Raises
    ------
    SettingError
        If the graph cannot be walked.

    Examples
    --------
    >>> import segue
    >>> walks = [segue.sample("walk"), segue.sample("walk_fast")]
    >>> live_character(live_model("graph", walks), seed=1).sources
    ('walk', 'walk_fast')
    """
    if isinstance(model, MotionGraph):
        graph = model
        if not graph.clips_reached:
            raise SettingError(graph.obstacle or "no clip of this graph can be walked")
        names = tuple(clip.name for clip in graph.clips)
        return LiveCharacter(
            lambda: GraphPlayer(graph), seed=seed, sources=names, shown=lambda player: player.source[0]
        )
    if isinstance(model, MotionMatcher):
        matcher = model
        return LiveCharacter(
            matcher.twin, seed=seed, sources=matcher.clips, shown=lambda player: _plain(player.source)
        )
    walker = model
    sources = tuple(dict.fromkeys(_plain(clip_of(name)) for node in walker.nodes for name in node.set.names))
    return LiveCharacter(lambda: LocomotionPlayer(walker), seed=seed, sources=sources, shown=_heaviest)


def _heaviest(player: Any) -> str:
    """Clip of the example that makes most of a pose."""
    return _plain(player.sources[0].clip)


def _plain(name: str) -> str:
    """Clip of a mirror image."""
    return name.removesuffix(" (mirrored)")
