"""Methods of `Library` for transitions: comparing clips, finding and judging points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from segue.settings import DEFAULTS, Blend, Settings
from segue.threads import Progress, silent

if TYPE_CHECKING:
    from segue.costs.engine.array_api import Device
    from segue.graph.build import MotionGraph
    from segue.library.connection import Store
    from segue.library.matching import Matched
    from segue.library.nearest import Nearest
    from segue.library.points import Verdict
    from segue.transitions.transition import TransitionPoint


class Transitions:
    """Base class of `Library` with the methods for pairs, points and graphs."""

    store: Store
    _nearest: Nearest | None = None

    def match(
        self,
        *,
        scheduler: str | None = None,
        processes: int | None = None,
        memory_budget: int | None = None,
        device: Device = "cpu",
        progress: Progress = silent,
        settings: Settings = DEFAULTS,
        **words: Any,
    ) -> Matched:
        """Compare every pair of clips not yet compared, and verify points by the threshold.

        Earlier results are reused: after adding a clip, only its pairs are compared, and another threshold computes no
        costs. With a number as ``threshold`` and point clouds of uniform weights, pairs of a large library that cannot
        have a point under it are ruled out by lower bounds; a higher threshold checks them again. Pairs are compared in
        tiles, each stored in one transaction, so that interrupted matching continues where it stopped. Verdicts
        (`verify`) are kept.

        Parameters
        ----------
        scheduler
            Address of a Dask scheduler whose workers compare; needs the ``scale`` extra. By default, threads of this
            process compare. Results are bit-identical on the same kind of processor.
        processes
            Instead of a scheduler: the number of worker processes on this machine.
        memory_budget
            Most bytes of costs in memory, 1 GiB by default; on a cluster, per worker.
        device
            ``"gpu"``: compute costs on a GPU, with the ``gpu`` extra; without a GPU, on the CPU, which is reported on
            standard error. ``"auto"``: on a GPU if there is one. The last digits of costs then differ.
        progress
            Called with stage, done, total.
        settings
            All settings.
        words
            Single settings that differ from ``settings``, as keyword arguments of `segue.graph.build.build_graph`;
            ``cost`` may be a name, ``skeleton`` is the name of the clip on whose body all clips are compared, by
            default the clip first added.

        Returns
        -------
        Matched
            Numbers of new and stored pairs, number of verified points, and the threshold.

        Raises
        ------
        FileError
            If the library holds no clip, or cannot be written. Pairs stored before that are kept.
        SettingError
            If a setting is unknown or out of range, no scheduler answers, or its workers are lost.
        MissingExtraError
            If a cluster is used and Dask is not installed.

        Examples
        --------
        >>> import segue, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("walk", "stop"):
        ...     segue.save(segue.sample(name), folder / f"{name}.bvh")
        >>> with segue.Library.open(folder / "moves.segue") as library:
        ...     added = library.add(folder)
        ...     pairs = [library.match().new_pairs, library.match(threshold=0.01).new_pairs]
        ...     point = library.nearest("walk", 60)
        >>> pairs, point.a_frame >= 60
        ([3, 0], True)
        """
        from segue.library import matching

        chosen, cost = matching.asked(words, settings)
        with matching.workers_for(
            scheduler=scheduler, processes=processes, memory_budget=memory_budget, device=device
        ) as workers:
            return matching.match(self.store, chosen, cost, workers=workers, progress=progress)

    def graph(
        self,
        name: str | None = None,
        *,
        progress: Progress = silent,
        settings: Settings = DEFAULTS,
        **words: Any,
    ) -> MotionGraph:
        """Build a motion graph from all clips; stored pairs are reused, new ones are stored.

        Parameters
        ----------
        name
            Name under which settings and report are stored. With the name of a stored graph and no settings, the
            stored settings are used.
        progress
            Called with stage, done, total.
        settings, words
            As in `match`.

        Returns
        -------
        MotionGraph
            Equal to one built from the same clips without a library, except for points with a verdict.
        """
        from segue.library import matching

        chosen, cost = matching.asked(words, settings)
        if name is not None and not words and settings == DEFAULTS and name in matching.graphs(self.store):
            chosen, cost = matching.kept_settings(self.store, name)
            name = name if self.store.mode == "w" else None
        return matching.graph(self.store, chosen, cost, name=name, progress=progress)

    def graphs(self) -> dict[str, dict[str, Any]]:
        """Return settings and report of each stored graph, by name."""
        from segue.library import matching

        return matching.graphs(self.store)

    def points(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        verified: bool | None = True,
        told: bool | None = None,
        setting: str | None = None,
    ) -> tuple[TransitionPoint, ...]:
        """Return the points from clip ``a`` to clip ``b``, None for any clip, in order of rising cost.

        Parameters
        ----------
        a, b
            Names of clips.
        verified
            True for points within the bounds of cost, blend and seam, or with the verdict good; False for other checked
            points; None for both.
        told
            True for points given by a person or another program, False for computed ones, None for both.
        setting
            Beginning of the digest of the setting (`Matched.setting`); by default the one matched last.

        Raises
        ------
        SettingError
            If there is no such clip, or nothing was matched yet.
        """
        from segue.library import points

        return points.points(self.store, a, b, verified=verified, told=told, setting=setting)

    def point(self, a: str, a_frame: int, b: str, b_frame: int) -> TransitionPoint:
        """Return the point at two frames, verified or not.

        Raises
        ------
        SettingError
            If there is none; names the nearest.
        """
        from segue.library import points

        return points.point(self.store, a, a_frame, b, b_frame)

    def nearest(
        self,
        clip: str,
        frame: int,
        *,
        to: str | None = None,
        verified: bool = True,
        setting: str | None = None,
    ) -> TransitionPoint | None:
        """Return the first transition of a clip at or after a frame; among equals, the smallest frame arrived at.

        An index makes the lookup fast enough for a live character. Given points are included.

        Parameters
        ----------
        clip, frame
            Position of the character: the name of a clip, and a frame of it at its own rate.
        to
            Name of the clip to arrive in; any by default.
        verified
            Whether to return verified points only.
        setting
            As in `points`.

        Returns
        -------
        TransitionPoint or None
            None if the clip has no later transition.

        Raises
        ------
        SettingError
            If there is no such clip, or nothing was matched or given yet.
        """
        if self._nearest is None:
            from segue.library.nearest import Nearest

            self._nearest = Nearest(self.store)
        return self._nearest(clip, frame, to=to, verified=verified, setting=setting)

    def tell(
        self, points: Sequence[TransitionPoint], *, by: str, blend_seconds: float = Blend.seconds
    ) -> int:
        """Store points given by a person or another program, in addition to computed ones; return how many are new.

        See `segue.library.points.tell`.
        """
        from segue.library.points import tell

        return tell(self.store, points, by=by, blend_seconds=blend_seconds)

    def verify(self, point: TransitionPoint, verdict: Verdict, *, by: str = "person") -> None:
        """Store the verdict ``"good"`` or ``"bad"`` on a point, which matching never changes.

        A bad point is in no graph of the library and is not found by `nearest`; a good one is verified regardless of
        the check of its seam. See `segue.library.points.verify`.

        Raises
        ------
        SettingError
            If the library has no such point.
        """
        from segue.library.points import verify

        verify(self.store, point, verdict, by=by)
