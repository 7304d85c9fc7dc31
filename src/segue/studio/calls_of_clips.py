"""Calls about clips: the list, one clip, its labels, tags, roles and contacts."""

from __future__ import annotations

from segue._version import __version__
from segue.app.info import ClipInfo, clip_info
from segue.blending.ways import WAYS
from segue.costs.registry import COSTS
from segue.costs.weightings import WEIGHTINGS
from segue.io.formats import WRITABLE
from segue.motion.clip import Clip
from segue.motion.roles import ROLES, roles
from segue.studio.messages import (
    ClipAsk,
    ClipCard,
    ClipView,
    CostWords,
    FaultView,
    LabelAsk,
    Nothing,
    ProjectView,
    RolesAsk,
    RoleView,
    Span,
    TagAsk,
)
from segue.studio.packing import contact_spans
from segue.studio.state import Studio

_TITLES = {
    "point_cloud": "Point cloud",
    "joint_angle": "Joint angles",
    "relative_distance": "Relative distances",
    "features": "Features",
}
_WEIGHTS = {"point_cloud": ("weighting", WEIGHTINGS), "joint_angle": ("weights", ("original", "optimised"))}


def project(studio: Studio, ask: Nothing) -> ProjectView:
    """What is open."""
    del ask
    it = studio.project
    costs = [CostWords(name, _TITLES.get(name, name), *_words(name)) for name in COSTS]
    return ProjectView(
        it.name,
        it.kind,
        it.writable,
        [
            ClipCard(
                one.name,
                one.seconds,
                one.frames,
                one.fps,
                list(one.tags),
                list(one.labels),
                one.faulty_frames,
            )
            for one in it.listed()
        ],
        costs,
        list(WAYS),
        [suffix for suffix in WRITABLE if suffix not in {".xml", ".qpos.csv"}],
        str(it.export_folder),
        __version__,
    )


def _words(name: str) -> tuple[str, list[str]]:
    setting, choices = _WEIGHTS.get(name, ("", ()))
    return setting, list(choices)


def clip(studio: Studio, ask: ClipAsk) -> ClipView:
    """Everything known about one clip."""
    found = studio.project.clip(ask.clip)
    listed = studio.project.find(ask.clip)
    info = clip_info(found)
    joints = roles(found.skeleton)
    return ClipView(
        found.name,
        found.seconds,
        found.n_frames,
        found.fps,
        list(found.skeleton.names),
        info.path,
        list(info.notes),
        _facts(info),
        [
            RoleView(role, found.skeleton.names[joint], joints.confidence[role], joints.how[role])
            for role, joint in joints.items()
        ],
        [role for role in ROLES if role not in joints],
        [FaultView(fault.kind, fault.start, fault.stop, fault.sentence) for fault in info.faults],
        [Span(start, stop, part) for part, spans in contact_spans(found).items() for start, stop in spans],
        _labels(studio, found),
        list(listed.tags),
    )


def _facts(info: ClipInfo) -> dict[str, str]:
    """What the reader took, in words."""
    out = {"format": info.format, "rate": f"{info.fps:g} fps", "from": info.rate_from}
    if info.unit is not None:
        out["unit"] = f"{info.unit:g} m"
    out["up axis"] = info.up
    out["joints"] = str(info.joints)
    if info.height is not None:
        out["stature"] = f"{info.height:.2f} m"
    out["mean speed"] = f"{info.speed:.2f} m/s"
    if info.on_feet is not None:
        out["on feet"] = f"{100 * info.on_feet:.0f} %"
    return out


def _labels(studio: Studio, found: Clip) -> list[Span]:
    if not studio.project.writable:
        return []
    with studio.project.library() as library:
        entry = library.entry(found.name)
    return [Span(label.start_frame, label.stop_frame, label.text) for label in entry.labels]


def label(studio: Studio, ask: LabelAsk) -> ClipView:
    """Put a label on frames, or take it away."""
    with studio.project.library("w") as library:
        if ask.remove:
            library.unlabel(ask.clip, ask.text, start_frame=ask.start, stop_frame=ask.stop)
        else:
            library.label(ask.clip, ask.text, start_frame=ask.start, stop_frame=ask.stop, by="studio")
    studio.project.refresh()
    return clip(studio, ClipAsk(ask.clip))


def tag(studio: Studio, ask: TagAsk) -> ClipView:
    """Tag a clip, or take the tag away."""
    with studio.project.library("w") as library:
        if ask.remove:
            library.untag(ask.clip, ask.text)
        else:
            library.tag(ask.clip, ask.text)
    studio.project.refresh()
    return clip(studio, ClipAsk(ask.clip))


def set_roles(studio: Studio, ask: RolesAsk) -> ClipView:
    """Read a clip again with roles as a person sets them."""
    studio.project.set_roles(ask.clip, ask.roles)
    return clip(studio, ClipAsk(ask.clip))
