"""Every call by name: its request, its answer, and its function, loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from segue.studio import messages as m
from segue.studio import motion_messages as mm
from segue.studio import pair_messages as pm
from segue.studio import run_messages as rm
from segue.studio import sequence_messages as sq
from segue.studio import study_messages as st


@dataclass(frozen=True)
class Call:
    """A function of the studio: its location, and the types of its request and answer.

    Examples
    --------
    >>> CALLS["jobs"].function.__name__
    'jobs'
    """

    place: str
    ask: type[m.Message]
    answer: type[m.Message]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, imported on first access."""
        module, _, name = self.place.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"segue.studio.{module}"), name)
        return found


CALLS: dict[str, Call] = {
    "project": Call("calls_of_project:project", m.Nothing, m.ProjectView),
    "clip": Call("calls_of_clips:clip", m.ClipAsk, m.ClipView),
    "label": Call("calls_of_clips:label", m.LabelAsk, m.ClipView),
    "tag": Call("calls_of_clips:tag", m.TagAsk, m.ClipView),
    "roles": Call("calls_of_clips:set_roles", m.RolesAsk, m.ClipView),
    "contacts": Call("calls_of_clips:set_contacts", m.ContactsAsk, m.ClipView),
    "compare": Call("calls_of_transitions:compare", pm.CompareAsk, pm.CompareView),
    "threshold": Call("calls_of_transitions:threshold", pm.ThresholdAsk, pm.ThresholdView),
    "poses": Call("calls_of_transitions:poses", pm.CurvesAsk, pm.PosesView),
    "curves": Call("calls_of_transitions:curves", pm.CurvesAsk, pm.CurvesView),
    "cross": Call("calls_of_transitions:crossing", pm.CrossAsk, pm.CrossView),
    "build": Call("calls_of_graphs:build", mm.GraphAsk, m.JobRef),
    "graph": Call("calls_of_graphs:graph", mm.GraphRef, mm.GraphView),
    "walk": Call("calls_of_graphs:walk", mm.WalkAsk, mm.WalkView),
    "floor": Call("calls_of_graphs:floor", mm.FloorAsk, mm.FloorView),
    "runs": Call("runs:runs", m.Nothing, rm.RunsView),
    "run": Call("runs:play_run", rm.RunAsk, mm.MotionRef),
    "keep": Call("calls_of_motions:keep", rm.KeepAsk, m.ImportView),
    "measures": Call("calls_of_motions:measures", mm.MotionAsk, mm.MeasuresView),
    "export": Call("calls_of_motions:export", mm.ExportAsk, mm.ExportView),
    "studies": Call("calls_of_studies:studies", m.Nothing, st.StudiesView),
    "design": Call("calls_of_studies:design", st.DesignAsk, st.DesignView),
    "stimulus": Call("calls_of_studies:stimulus", st.StimulusAsk, mm.MotionRef),
    "study_run": Call("calls_of_studies:study_run", st.StudyRunAsk, st.StudyRunView),
    "study_stop": Call("calls_of_studies:study_stop", st.StudyRunRef, st.StudyRunView),
    "study_report": Call("calls_of_studies:study_report", st.StudyRunRef, st.ReportView),
    "sequences": Call("calls_of_sequences:sequences", m.Nothing, sq.SequencesView),
    "sequence": Call("calls_of_sequences:sequence", sq.SequenceRef, sq.ArrangedScript),
    "keep_sequence": Call("calls_of_sequences:keep_sequence", sq.SequenceKeep, sq.SequencesView),
    "remove_sequence": Call("calls_of_sequences:remove_sequence", sq.SequenceRef, sq.SequencesView),
    "propose_elements": Call("calls_of_sequences:propose_elements", sq.ProposeAsk, sq.SequencesView),
    "remove_element": Call("calls_of_sequences:remove_element", sq.ElementRef, sq.SequencesView),
    "jobs": Call("calls_of_project:jobs", m.Nothing, m.JobsView),
    "cancel": Call("calls_of_project:cancel", m.JobRef, m.JobsView),
}
"""Calls by the name in ``POST /api/NAME``."""

PACKED_CALLS: dict[str, Call] = {
    "arrange": Call("calls_of_sequences:arranged", sq.ArrangeAsk, sq.ArrangedView),
}
"""Calls answered with packed arrays (`segue.studio.packing`), with the message as their header."""
