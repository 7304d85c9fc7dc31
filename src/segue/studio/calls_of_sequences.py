"""Calls about sequences: elementary motions, arranging and its frames, keeping sequences."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from segue.app.arranging import (
    PLACED,
    Arrangement,
    FrameChanges,
    arrange,
    changes,
    lost_methods,
    moving_feet,
    taken,
    why_joined,
)
from segue.documents import as_kind
from segue.library.element_files import SequenceDocument
from segue.motion.feet import FOOT_PARTS
from segue.motion.flags import runs
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.sequencing.decisions import BlendSegment, PairDecision
from segue.sequencing.proposing import ElementRange, propose
from segue.sequencing.timeline import PlacedMotion
from segue.studio import sequence_messages as sq
from segue.studio.messages import Nothing
from segue.studio.packing import body_key, packed
from segue.studio.state import Studio

_WEIGHTS = 32
"""Most values of a weight curve that are sent."""


def sequences(studio: Studio, ask: Nothing) -> sq.SequencesView:
    """Return the elementary motions and sequences of the project."""
    del ask
    store = studio.elements
    found = store.ranges(again=True)
    rates = {one.name: one.fps for one in studio.project.listed()}
    return sq.SequencesView(
        [_element(one, rates.get(one.clip) or studio.project.clip(one.clip).fps) for one in found.values()],
        [sq.SequenceCard(name, len(one.motions)) for name, one in store.sequences().items()],
        store.kept,
    )


def _element(one: ElementRange, fps: float) -> sq.ElementView:
    core = one.core_start_frame - one.start_frame, one.core_stop_frame - one.start_frame
    return sq.ElementView(one.name, one.clip, one.stop_frame - one.start_frame, fps, core, list(one.tags))


def sequence(studio: Studio, ask: sq.SequenceRef) -> sq.ArrangedScript:
    """Return a kept sequence."""
    document = studio.elements.sequence(ask.name)
    places = [sq.MotionPlace(one.motion, one.at, one.priority, one.smoothness) for one in document.motions]
    return sq.ArrangedScript(ask.name, places, document.smoothness, document.method)


def keep_sequence(studio: Studio, ask: sq.SequenceKeep) -> sq.SequencesView:
    """Keep a sequence; an empty one is removed."""
    script = ask.script
    if script.motions:
        studio.elements.keep(script.name, _document(script), _cores(script))
    else:
        studio.elements.forget(script.name)
    return sequences(studio, Nothing())


def remove_sequence(studio: Studio, ask: sq.SequenceRef) -> sq.SequencesView:
    """Remove a sequence; its elementary motions stay."""
    studio.elements.sequence(ask.name)
    studio.elements.forget(ask.name)
    return sequences(studio, Nothing())


def propose_elements(studio: Studio, ask: sq.ProposeAsk) -> sq.SequencesView:
    """Cut clips into elementary motions; existing ones of the same name are kept."""
    known = studio.elements.ranges()
    found = []
    for name in ask.clips:
        proposed = propose(studio.project.clip(name), shortest=ask.shortest, longest=ask.longest)
        found += [one for one in proposed if one.name not in known]
    studio.elements.add(found)
    return sequences(studio, Nothing())


def remove_element(studio: Studio, ask: sq.ElementRef) -> sq.SequencesView:
    """Remove an elementary motion that no sequence plays."""
    studio.elements.remove(ask.name)
    return sequences(studio, Nothing())


def _document(script: sq.ArrangedScript) -> SequenceDocument:
    plain = msgspec.to_builtins(script)
    kept = {key: plain[key] for key in ("motions", "smoothness", "method")}
    return as_kind(kept, SequenceDocument, None, what=f"the sequence {script.name!r}")


def _cores(script: sq.ArrangedScript) -> dict[str, tuple[int, int]]:
    return {one.motion: (one.start, one.stop) for one in script.cores}


def arranged(studio: Studio, ask: sq.ArrangeAsk) -> bytes:
    """Make a sequence; return an `ArrangedView` as the header, followed by the frames that changed."""
    script = ask.script
    made = arrange(studio.elements.script(script.name, _document(script), _cores(script)))
    before = studio.arranged.get(ask.base)
    found = changes(made, before)
    whole = FrameChanges(((0, made.n_frames),), ()) if found is None else found
    number = studio.arranged.add(made)
    view = _view(made, number, 0 if found is None else ask.base, whole)
    return packed(
        msgspec.to_builtins(view),
        {
            "poses": taken(made.poses, whole.poses),
            "places": taken(made.poses, whole.places)[:, :PLACED],
        },
    )


def _view(made: Arrangement, number: int, base: int, found: FrameChanges) -> sq.ArrangedView:
    sequence, first, fps = made.sequence, made.sequence.first_frame, made.sequence.fps
    key, names, joints = _body(sequence.material.skeleton)
    begins = [sequence.placed[0].start, *(one.begun for one in sequence.placed[1:])]
    edges = [*(frame - first for frame in begins), made.n_frames]
    sources = list(dict.fromkeys(one.placement.motion for one in sequence.placed))
    pairs = [
        (before, after)
        for before, after in zip(sequence.placed, sequence.placed[1:], strict=False)
        if after.pair is not None
    ]
    return sq.ArrangedView(
        number,
        base,
        f"sequence:{number}",
        made.script.name,
        key,
        fps,
        made.n_frames,
        first,
        names,
        joints,
        {part: runs(made.planted[:, k]) for k, part in enumerate(FOOT_PARTS)},
        [_seam(before, after, first) for before, after in pairs],
        [
            (sources.index(one.placement.motion), edges[k], edges[k + 1])
            for k, one in enumerate(sequence.placed)
        ],
        sources,
        list(found.poses),
        list(found.places),
        [_placed(one, fps) for one in sequence.placed],
        [_join(before, after, fps) for before, after in pairs],
        [
            sq.RejectedView(one.number, one.motion, one.at, one.reason, one.nearest_at)
            for one in sequence.rejected
        ],
        moving_feet(made),
    )


@lru_cache(maxsize=64)
def _body(skeleton: Skeleton) -> tuple[str, list[str], dict[str, int]]:
    return body_key(skeleton), list(skeleton.names), {role: int(at) for role, at in roles(skeleton).items()}


def _seam(before: PlacedMotion, after: PlacedMotion, first: int) -> tuple[int, int]:
    assert after.pair is not None  # noqa: S101  # checked by the caller
    pair = after.pair.decision
    return before.start + pair.begin_frame - first, before.start + pair.end_frame + 1 - first


def _placed(one: PlacedMotion, fps: float) -> sq.PlacedView:
    core = one.core
    return sq.PlacedView(
        one.number,
        core.motion,
        core.start_frame / fps,
        (core.begin_frame / fps, core.end_frame / fps),
        (core.start_frame + core.n_frames) / fps,
    )


def _join(before: PlacedMotion, after: PlacedMotion, fps: float) -> sq.JoinView:
    assert after.pair is not None  # noqa: S101  # checked by the caller
    pair = after.pair.decision
    because, segments, lost = _decided(pair, fps)
    return sq.JoinView(
        before.number,
        after.number,
        pair.method,
        because,
        segments,
        pair.slip_before,
        pair.slip_after,
        pair.foothold,
        pair.turned,
        pair.smoothness,
        lost,
    )


@lru_cache(maxsize=2048)
def _decided(pair: PairDecision, fps: float) -> tuple[str, list[sq.SegmentView], list[sq.LostMethodView]]:
    """Return the parts of a join that do not depend on its place; cached, as moving one motion changes few pairs."""
    segments = [_segment(one, fps) for one in pair.segments]
    return why_joined(pair), segments, [sq.LostMethodView(*one) for one in lost_methods(pair)]


def _segment(one: BlendSegment, fps: float) -> sq.SegmentView:
    count = len(one.weights)
    at = np.linspace(0.0, max(count - 1, 0), min(_WEIGHTS, count))
    weights = np.interp(at, np.arange(count), one.weights).round(3).tolist() if count else []
    span = one.begin_frame / fps, one.end_frame / fps
    return sq.SegmentView(one.name, one.half, one.kind, *span, weights, one.limited)
