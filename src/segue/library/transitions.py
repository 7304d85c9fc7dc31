"""What a library says of transitions: the part of `Library` that compares, finds and judges."""

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
    """Methods of `Library` about pairs, points and graphs."""

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
        """Compare every pair of clips that was not compared yet, and verify points by the threshold.

        What was found before is kept: after adding a clip only its own pairs are computed, and another threshold
        computes no cost. With a number as ``threshold`` and point clouds of uniform weights, pairs of a large library
        that cannot have a point under it are ruled out by lower bounds; a higher threshold looks at them again.
        Matching that was broken off goes on where it was: pairs are compared in tiles, and each tile is kept in one
        step. What a person said with `verify` stays.

        Parameters
        ----------
        scheduler
            Address of a Dask scheduler whose workers compare; needs the ``scale`` extra. By default threads of this
            process do. What is found is the same bit for bit on the same kind of processor.
        processes
            Instead: so many worker processes of this machine.
        memory_budget
            Bytes that costs may take while they are compared, 1 GiB by default; on a cluster, on each worker.
        device
            ``"gpu"``: costs are computed on a graphics processor, with the ``gpu`` extra; if there is none, on the CPU,
            which is said on standard error. ``"auto"``: if there is one. Last digits of costs then differ.
        progress
            Called with stage, done, total.
        settings
            Settings as a whole.
        words
            Settings that differ from these, one by one, as `segue.graph.build.build_graph` takes them, besides the
            clips; ``cost`` may be a name, ``skeleton`` is the name of the clip whose body all are compared on. By
            default that is the clip first added.

        Returns
        -------
        Matched
            How many pairs were new and how many kept, how many points are verified, and the threshold.

        Raises
        ------
        FileError
            If the library holds no clip, or cannot be written. What was compared before that stays.
        SettingError
            If a setting is not known or out of range, no scheduler answers or its workers are lost.
        MissingExtraError
            If a cluster is asked for and Dask is not installed.

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
        """Build a motion graph from all clips; pairs that were compared before are taken, new ones are kept.

        Parameters
        ----------
        name
            Keep settings and report under this name. Asked for by name without settings, a graph is built as it was
            when it was kept.
        progress
            Called with stage, done, total.
        settings, words
            As in `match`.

        Returns
        -------
        MotionGraph
            Equal to one built from the same clips without a library, but for points that a person called good or bad.
        """
        from segue.library import matching

        chosen, cost = matching.asked(words, settings)
        if name is not None and not words and settings == DEFAULTS and name in matching.graphs(self.store):
            chosen, cost = matching.kept_settings(self.store, name)
            name = name if self.store.mode == "w" else None
        return matching.graph(self.store, chosen, cost, name=name, progress=progress)

    def graphs(self) -> dict[str, dict[str, Any]]:
        """Settings and report of each graph that was kept by name."""
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
        """Points from clip ``a`` to clip ``b``, from or to any where one is None; cheapest first.

        Parameters
        ----------
        a, b
            Names of clips.
        verified
            True for points that passed cost, blend and seam or that a person called good; False for the others that
            were looked at; None for both.
        told
            True for points that a person or another program told, False for computed ones, None for both.
        setting
            Beginning of the digest of the setting (`Matched.setting`); the one matched last by default.

        Raises
        ------
        SettingError
            If there is no such clip, or nothing was matched yet.
        """
        from segue.library import points

        return points.points(self.store, a, b, verified=verified, told=told, setting=setting)

    def point(self, a: str, a_frame: int, b: str, b_frame: int) -> TransitionPoint:
        """One point by clips and frames, verified or not.

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
        """Nearest transition of a clip at or after a frame; of equally near ones the smallest frame arrived at.

        Answered by an index, fast enough to be asked while a character moves. Told points count like computed ones.

        Parameters
        ----------
        clip, frame
            Where the character is: the name of a clip, and a frame of it at its own rate.
        to
            Name of the clip to arrive in; any by default.
        verified
            Whether only points that passed count.
        setting
            As in `points`.

        Returns
        -------
        TransitionPoint or None
            None where the clip has none left.

        Raises
        ------
        SettingError
            If there is no such clip, or nothing was matched or told yet.
        """
        if self._nearest is None:
            from segue.library.nearest import Nearest

            self._nearest = Nearest(self.store)
        return self._nearest(clip, frame, to=to, verified=verified, setting=setting)

    def tell(
        self, points: Sequence[TransitionPoint], *, by: str, blend_seconds: float = Blend.seconds
    ) -> int:
        """Keep points that a person or another program told, beside the computed ones; return how many are new.

        See `segue.library.points.tell`.
        """
        from segue.library.points import tell

        return tell(self.store, points, by=by, blend_seconds=blend_seconds)

    def verify(self, point: TransitionPoint, verdict: Verdict, *, by: str = "person") -> None:
        """Call a point ``"good"`` or ``"bad"``: no matching ever changes that.

        A bad point is in no graph of the library and is never the nearest; a good one passes whatever the check of its
        seam says. See `segue.library.points.verify`.

        Raises
        ------
        SettingError
            If the library has no such point.
        """
        from segue.library.points import verify

        verify(self.store, point, verdict, by=by)
