"""Calls about one clip: its properties, labels, tags, contacts and roles."""

from __future__ import annotations

from segue.app.info import ClipInfo, clip_info
from segue.motion.clip import Clip
from segue.motion.roles import ROLES, roles
from segue.studio import correcting
from segue.studio.messages import (
    ClipAsk,
    ClipView,
    ContactsAsk,
    FaultView,
    LabelAsk,
    RolesAsk,
    RoleView,
    Span,
    TagAsk,
)
from segue.studio.packing import contact_spans
from segue.studio.state import Studio


def clip(studio: Studio, ask: ClipAsk) -> ClipView:
    """Return everything known about one clip."""
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
        found.planted is not None,
        _labels(studio, found),
        list(listed.tags),
    )


def _facts(info: ClipInfo) -> dict[str, str]:
    """Return the properties of a clip in words, including those assumed by the reader."""
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
    """Add a label to frames, or remove it."""
    with studio.project.library("w") as library:
        if ask.remove:
            library.unlabel(ask.clip, ask.text, start_frame=ask.start, stop_frame=ask.stop)
        else:
            library.label(ask.clip, ask.text, start_frame=ask.start, stop_frame=ask.stop, by="studio")
    studio.project.refresh()
    return clip(studio, ClipAsk(ask.clip))


def tag(studio: Studio, ask: TagAsk) -> ClipView:
    """Add a tag to a clip, or remove it."""
    with studio.project.library("w") as library:
        if ask.remove:
            library.untag(ask.clip, ask.text)
        else:
            library.tag(ask.clip, ask.text)
    studio.project.refresh()
    return clip(studio, ClipAsk(ask.clip))


def set_contacts(studio: Studio, ask: ContactsAsk) -> ClipView:
    """Set the contacts of heels and toes of a clip, or restore the detected ones."""
    plants = None if ask.found else [(one.text, one.start, one.stop) for one in ask.contacts]
    correcting.set_contacts(studio.project, ask.clip, plants)
    return clip(studio, ClipAsk(ask.clip))


def set_roles(studio: Studio, ask: RolesAsk) -> ClipView:
    """Read a clip again with roles set by the user."""
    correcting.set_roles(studio.project, ask.clip, ask.roles)
    return clip(studio, ClipAsk(ask.clip))
