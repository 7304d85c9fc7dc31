"""Mirror images of every body among the real clips: positions, sides, contacts, and the gain for a graph.

Shows: mirror images of every body among the clips, on the mirrored body and on its own bones; contacts, swings and
    turns of a walk checked by hand; a graph of left turns with and without mirror images
Bars: 1e-9 m from the reflection, and from the clip when mirrored twice; ankles within 3 cm on its own body in 90 % of
    the clips; sides exchanged exactly; twice the transitions and a walk that turns in both directions
Needs: clips
Group: The parts

A mirrored body must match the reflection exactly, joint for joint; a clip's own body, whose sides differ slightly,
as closely as its bones allow. Contacts change sides, and mirroring twice gives the clip.
"""

from __future__ import annotations

import numpy as np
from _data import DATA, require_data
from _runner import Show, run

import segue
from segue.io.formats import each_animation
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import half_angle, yaw
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.kinematics import world_positions
from segue.motion.mirror import mirror, with_mirrored
from segue.motion.resample import cut, resampled
from segue.motion.roles import roles
from segue.motion.sides import across, partners, unit

KINDS = ("*.bvh", "*.amc", "*.npz", "*.glb")
PAIRS = ("16_11", "16_17", "16_23", "16_37", "16_41")
"""Turns and bends to the left, without any to the right."""


def main(verdicts: Show) -> None:
    exact, feet, middle, bodies, again = 0.0, [], [], set(), 0.0
    for clip in captured():
        rest = across(clip.skeleton)
        wall = PlanarMotion(float(yaw(clip.rotations[0, 0]))).apply(unit(rest * [1, 0, 1]))
        at = world_positions(clip)
        seen = at - 2.0 * ((at - at[0, 0]) @ wall)[..., None] * wall
        exact = max(exact, float(np.abs(world_positions(mirror(clip, body="mirrored")) - seen).max()))
        own = mirror(clip)
        order = partners(clip.skeleton)
        rows = np.flatnonzero(order >= 0)
        apart = np.linalg.norm(world_positions(own)[:, rows] - seen[:, order[rows]], axis=-1)
        found = roles(clip.skeleton)
        ankles = [int(np.flatnonzero(rows == found[f"{side}_ankle"])[0]) for side in ("left", "right")]
        feet.append(float(apart[:, ankles].max()))
        middle.append(float(np.median(apart)))
        bodies.add((clip.skeleton.names, np.round(clip.skeleton.offsets, 4).tobytes()))
        twice = mirror(mirror(clip, body="mirrored"), body="mirrored")
        again = max(again, float(np.abs(world_positions(twice) - at).max()))
    verdicts.note(f"{len(feet)} clips, {len(bodies)} bodies")
    verdicts.check("bodies checked", len(bodies), ">= 20")
    verdicts.check("body mirrored too: joints off their reflection", exact, "<= 1e-9", unit="m")
    verdicts.check("mirrored twice: joints off the clip", again, "<= 1e-9", unit="m")
    verdicts.note(
        f"on its own body: ankles at most {1000 * np.median(feet):.1f} mm off their reflection in the median of clips, "
        f"{1000 * max(feet):.0f} mm in the worst; all joints {1000 * np.median(middle):.1f} mm"
    )
    share = float(np.mean(np.array(feet) <= 0.03))
    verdicts.check("own body: clips whose ankles are within 3 cm", share, ">= 0.9")
    by_hand(verdicts)
    graph(verdicts)


def captured() -> list[Clip]:
    """Load two seconds of every clip whose hips and ankles are known."""
    out = []
    for path in sorted(path for kind in KINDS for path in require_data().rglob(kind)):
        try:
            clip = segue.load(each_animation(path)[0])
            across(clip.skeleton)
        except segue.SegueError:
            continue
        if {"left_ankle", "right_ankle"} <= set(roles(clip.skeleton)):
            clip = cut(clip, 0, min(clip.n_frames, max(round(2 * clip.fps), 1)))
            out.append(clip)
    return out


def by_hand(verdicts: Show) -> None:
    """Check a walk that turns left: hip swing and contacts change sides, it turns as far to the right."""
    turn = segue.sample("walk_turn_left")
    made = mirror(turn)
    swap = segue.contacts(turn).flags[:, [2, 3, 0, 1]]
    changed = bool(np.array_equal(segue.contacts(made).flags, swap))
    verdicts.check("contacts that changed sides", changed, "all", changed)
    found = roles(turn.skeleton)
    swings = [
        half_angle(clip.rotations[:, found[f"{side}_hip"]], clip.rotations[:1, found[f"{side}_hip"]])
        for clip, side in ((turn, "left"), (made, "right"))
    ]
    off = float(np.abs(swings[0] - swings[1]).max())
    verdicts.check("left hip's swing against the mirrored right hip's", off, "<= 1e-12", unit="rad")
    turned = [float(np.degrees(np.diff(heading(clip)).sum())) for clip in (turn, made)]
    opposite = abs(turned[0] + turned[1]) < 1e-9
    verdicts.check("degrees turned, and mirrored", f"{turned[0]:.2f}, {turned[1]:.2f}", "opposite", opposite)


def graph(verdicts: Show) -> None:
    """Check that left turns alone turn left, and with their mirror images in both directions."""
    clips = [resampled(segue.load(DATA / "asf_amc" / "16" / f"{name}.amc"), 30.0) for name in PAIRS]
    rows = []
    for some in (clips, with_mirrored(clips)):
        found = segue.MotionGraph.build(some)
        motion = segue.render(found.wander(seconds=120, seed=1))
        turned = np.degrees(np.diff(np.unwrap(yaw(motion.rotations[:, 0]))))
        left, right = float(turned[turned > 0].sum()), float(-turned[turned < 0].sum())
        rows.append((len(found.costs), len(found.clips_reached), (left - right) / (left + right)))
        verdicts.note(
            f"{len(some)} clips: {found.report.kept_frames} frames and {len(found.costs)} transitions in the graph, "
            f"{len(found.clips_reached)} clips reached, two minutes turn {left:.0f} degrees left and {right:.0f} right"
        )
    gain = rows[1][0] / rows[0][0]
    verdicts.check("transitions with mirror images, over those without", gain, ">= 2")
    even = abs(rows[1][2]) < abs(rows[0][2])
    words = f"{rows[0][2]:.2f}, {rows[1][2]:.2f}"
    verdicts.check("lopsidedness of turning, without and with", words, "less with", even)


if __name__ == "__main__":
    run(main, "mirror images of every body")
