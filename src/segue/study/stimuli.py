"""The motions of a study for its page: the same body, camera and header for all, so that only their frames differ."""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from typing import Any

from segue.app.studies.motions import StudyPlan
from segue.app.studies.people import Turn
from segue.app.studies.stimuli import shots
from segue.app.studies.trials import Trial
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.pictures.player.bodies import packed_body
from segue.studio.packing import packed, packed_poses
from segue.study.messages import CameraView, TrialView, TurnView


class Stimuli:
    """Every motion of a study as bytes, and from where each is seen.

    Parameters
    ----------
    plan
        The study.
    made
        Its motions by name, as `segue.app.studies.stimuli.make_stimuli` gives them; all of one body.
    """

    def __init__(self, plan: StudyPlan, made: Mapping[str, Clip]) -> None:
        self.plan = plan
        self.body: dict[str, Any] = packed_body(
            next(iter(made.values())).skeleton, human=plan.design.view.figure == "mannequin"
        )
        self._bytes = {name: packed_stimulus(clip) for name, clip in made.items()}
        self._shots = shots(plan, made)

    def shown(self, trial: Trial, place: int) -> bytes:
        """The motion at a place of a trial.

        Raises
        ------
        SettingError
            If the trial shows fewer.
        """
        names = [name for pair in trial.shown for name in pair]
        if not 0 <= place < len(names):
            raise SettingError(f"this trial shows {len(names)} motions")
        return self._bytes[names[place]]

    def camera(self, trial: Trial) -> CameraView:
        """From where the motions of a trial are seen; an attention check shows none."""
        view = self.plan.design.view
        shot = self._shots.get(trial.motion) or next(iter(self._shots.values()))
        return CameraView(shot.centre, shot.half, radians(view.camera_turn), view.camera_height, view.ground)

    def turn_view(self, turn: Turn, *, was_right: bool | None = None) -> TurnView:
        """Where a participant is, as the page takes it."""
        gap = self.plan.design.session.gap_seconds
        if turn.trial is None:
            return TurnView(turn.answered, turn.total or 0, gap, False, None, was_right)
        one, places = turn.trial, iter(range(1000))
        view = TrialView(
            one.number,
            one.purpose,
            one.text,
            list(one.choices),
            [[next(places) for _ in pair] for pair in one.shown],
            self.camera(one),
            turn.is_seen,
            self.plan.design.session.timed_from,
        )
        return TurnView(turn.answered, turn.total or 0, gap, turn.is_break, view, was_right)


def packed_stimulus(clip: Clip) -> bytes:
    """Frames of a motion behind a header that says nothing of where they come from."""
    head = {"fps": clip.fps, "frames": clip.n_frames, "joints": len(clip.skeleton.names)}
    return packed(head, {"poses": packed_poses(clip.rotations, clip.root_positions)})
