"""All measures of `segue measure` in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats
from segue.errors import all_loaded, loaded
from segue.measures.foot_skate import PlantSlide, carried_contacts, foot_skate, planted_speeds
from segue.measures.seams import Seam, seam_ranges, seams
from segue.motion.clip import Clip
from segue.settings import SeamBounds


@dataclass(frozen=True, eq=False)
class Measures:
    """Quality of one motion.

    Parameters
    ----------
    plants
        Slide of every plant, metres.
    planted_speeds
        Ground speed in m/s of feet planted in both sources, one number a blended frame and foot part.
    seams
        Every seam compared with its sources; empty without sources.
    n_seams
        Number of seams in the origin, measured or not.
    root_speed
        (F-1,) ground speed of the root, m/s.
    bounds
        Bounds with which the seams were compared.
    """

    plants: tuple[PlantSlide, ...]
    planted_speeds: Floats
    seams: tuple[Seam, ...]
    n_seams: int
    root_speed: Floats
    bounds: SeamBounds

    def __repr__(self) -> str:
        feet = f", which slide {1000 * self.mean_slide[0]:.2g} mm on average" if self.plants else ""
        worst = (
            f", the worst at {self.worst_seams(1)[0].badness(self.bounds):.0%} of its bounds"
            if self.seams
            else ""
        )
        return f"<Measures of {len(self.plants)} plants{feet}; {self.n_seams} seams{worst}>"

    def worst_seams(self, count: int = 3) -> tuple[Seam, ...]:
        """Return the worst seams by their worst joint's share of the bounds."""
        return tuple(sorted(self.seams, key=lambda seam: -seam.badness(self.bounds))[:count])

    @property
    def mean_slide(self) -> tuple[float, float]:
        """Mean slide of a plant in metres: start to end, along the path; NaN without plants."""
        if not self.plants:
            return float("nan"), float("nan")
        return (
            float(np.mean([plant.start_to_end for plant in self.plants])),
            float(np.mean([plant.along_path for plant in self.plants])),
        )


def measure(clip: Clip, *, sources: Sequence[Clip] = (), bounds: SeamBounds | None = None) -> Measures:
    """Measure foot skate, seams, root speed and more of a motion.

    Parameters
    ----------
    clip
        Any motion with the leg roles.
    sources
        The clips it was made from, on its skeleton and at its rate; without them seams are only counted.
    bounds
        Limits of a seam.

    Examples
    --------
    >>> import segue
    >>> found = measure(segue.sample("walk"))
    >>> found.n_seams, bool(1.0 < found.root_speed.mean() < 1.6)
    (0, True)
    """
    loaded(clip)
    all_loaded(sources)
    ground = clip.root_positions[:, [0, 2]]
    speed = np.linalg.norm(np.diff(ground, axis=0), axis=1) * clip.fps
    planted = carried_contacts(clip, sources) if sources else None
    return Measures(
        tuple(foot_skate(clip, planted=planted)),
        planted_speeds(clip, sources) if sources else np.zeros(0),
        tuple(seams(clip, sources)) if sources else (),
        len(seam_ranges(clip.origin)),
        speed,
        SeamBounds() if bounds is None else bounds,
    )
