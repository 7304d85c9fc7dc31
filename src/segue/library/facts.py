"""What is found out about a clip when it is added: its faults and its contacts."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from segue.errors import SkeletonError
from segue.library.documents import to_json
from segue.motion.clip import Clip

if TYPE_CHECKING:
    from segue.motion.contacts import Plant
    from segue.motion.fault import Fault


@dataclass(frozen=True)
class Facts:
    """Faults, plants of the feet, and how many frames hold no motion."""

    faults: tuple[Fault, ...] = ()
    plants: tuple[Plant, ...] = ()
    unusable: int = 0

    def write(self, db: sqlite3.Connection, clip_id: int) -> None:
        """Write them beside a clip; the caller holds a transaction."""
        db.executemany(
            "INSERT INTO fault (clip_id, kind, start_frame, stop_frame, joints, sentence, severity) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (clip_id, f.kind, f.start, f.stop, to_json(f.joints), f.sentence, f.severity)
                for f in self.faults
            ],
        )
        db.executemany(
            "INSERT INTO contact VALUES (?, ?, ?, ?)",
            [(clip_id, plant.foot_part, plant.start, plant.stop) for plant in self.plants],
        )


def facts_of(clip: Clip) -> Facts:
    """Look at a clip; a body without legs has no contacts."""
    from segue.motion.faults import find_faults
    from segue.motion.stance import stance

    plants: tuple[Plant, ...] = ()
    faults = find_faults(clip)
    with suppress(SkeletonError):
        plants = tuple(stance(clip).plants)
    return Facts(faults.found, plants, int(faults.unusable.sum()))
