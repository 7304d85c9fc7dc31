"""The inputs f01 to f17, each with the command that shows its fault and the right result."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from _found_run import FOUND, Try, command, document, faults, one_clip, place, role_place, trunk_angles

import segue
from segue.io.markers import read_markers
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions


def end_site(folder: Path) -> tuple[object, object]:
    """Words after `End Site` are ignored."""
    info = one_clip(FOUND / "f01-end-site-name.bvh", folder=folder)
    return (info.get("frames"), info.get("joints")) == (12, 21), info.get("error", "12 frames, 21 joints")


def tiny_values(folder: Path) -> tuple[object, object]:
    """No number is written with an exponent."""
    source = FOUND / "f02-tiny-values.bvh"
    command("convert", source, "-o", "f02.bvh", folder=folder)
    command("convert", source, "-o", "f02.csv", folder=folder)
    command("convert", source, "-o", "f02.xml", folder=folder)
    texts = [(folder / f"f02{end}").read_text("utf-8") for end in (".bvh", ".csv", ".qpos.csv")]
    found = [re.findall(r"\d[eE][+-]?\d", text) for text in texts]
    rows = texts[0].partition("Frame Time")[2].splitlines()[1:]
    return not any(found) and rows[2].startswith("-0.00003"), f"exponents {[len(one) for one in found]}"


def sinks(folder: Path) -> tuple[object, object]:
    """Planted heels and toes are on the floor."""
    made = document("clean", FOUND / "f03-sinks-3.5-cm.bvh", "-o", "f03.bvh", "--floor", "0", folder=folder)
    if "error" in made:
        return False, made["error"]
    before, after = segue.load(FOUND / "f03-sinks-3.5-cm.bvh"), segue.load(folder / "f03.bvh")
    low = float(np.abs(foot_positions(after.skeleton, world(after))[..., 1].min(axis=1)).max() * 100)
    head = [np.diff(role_place(clip, "head"), n=2, axis=0) for clip in (before, after)]
    rough = float(np.abs(head[1]).max() / np.abs(head[0]).max())
    return low <= 0.3 and rough < 2, f"lowest sole {low:.2f} cm off, head {rough:.1f} x as rough"


def prone(folder: Path) -> tuple[object, object]:
    """A lying body is lying at any position."""
    names = ("f04-prone-at-80-cm.bvh", "f04-same-at-minus-40-cm.bvh")
    far, near = (segue.load(FOUND / name) for name in names)
    del folder
    high = [float(world_positions(clip)[..., 1].max()) for clip in (far, near)]
    apart = world_positions(far) - world_positions(near)
    same = float(np.abs(apart - apart.mean(axis=(0, 1))).max())
    return max(
        high
    ) < 0.35 and same < 1e-3, f"highest joints {high[0]:.2f} and {high[1]:.2f} m, {same:.1e} m apart"


def trunks(source: str, body: str) -> Try:
    """A trunk keeps its lean for any rest poses."""

    def run(folder: Path) -> tuple[object, object]:
        out = f"trunk-{Path(source).stem}.bvh"
        made = document("retarget", FOUND / source, "--to", FOUND / body, "-o", out, folder=folder)
        if "error" in made:
            return False, made["error"]
        most = float(trunk_angles(segue.load(folder / out)).max())
        return most <= 8, f"trunk at most {most:.1f} degrees off the vertical"

    return Try(f"{source} onto {body}", run)


def zero_rows(folder: Path) -> tuple[object, object]:
    """Faulty rows affect neither floor nor plants."""
    source = FOUND / "f06-zero-rows-before-a-run.bvh"
    info = one_clip(source, folder=folder)
    cleaned = document("clean", source, "--feet", "locked", "-o", "f06.bvh", folder=folder)
    good = info.get("faulty_frames") == 7 and abs(info["floor"]) < 0.03 and len(cleaned.get("plants", ())) > 0
    floor = info.get("floor", float("nan"))
    return (
        good,
        f"{info.get('faulty_frames')} rows, floor {100 * floor:.1f} cm, {len(cleaned.get('plants', ()))} plants",
    )


def rest_is_a_frame(folder: Path) -> tuple[object, object]:
    """Zeros of a rest pose that is a frame of the motion are not a dropout."""
    info = one_clip(FOUND / "f07-run-whose-offsets-are-frame-0.bvh", folder=folder)
    return "error" not in info and info["faulty_frames"] == 0, info.get("error", info.get("faults"))


def one_cycle(folder: Path) -> tuple[object, object]:
    """A clip that is exactly one cycle is one cycle of the loop."""
    made = document("loop", FOUND / "f08-one-cycle-of-a-walk.bvh", "-o", "f08.bvh", folder=folder)
    if "error" in made:
        return False, made["error"]
    good = abs(made["round_seconds"] - 1.2) < 1e-6 and abs(made["round_metres"] - 1.15) < 0.02
    return good, f"{made['round_seconds']:.3f} s, {made['round_metres']:.3f} m"


def no_clavicle(folder: Path) -> tuple[object, object]:
    """A body that lacks a role is retargeted, or the role is named; never a traceback."""
    made = document(
        "retarget",
        FOUND / "f10-split-hips.bvh",
        "--to",
        FOUND / "f09-clavicle-and-blade.bvh",
        "-o",
        "f09.bvh",
        folder=folder,
    )
    if "error" in made:
        return False, made["error"]
    clip = segue.load(folder / "f09.bvh")
    return clip.n_frames == 80, f"{clip.n_frames} frames"


_SPLIT_LEGS, _OTHER_LEGS = 0.661, 0.889
"""Metres from hip to knee to ankle, from the offsets of f10 (0.327 to the knee, then 0.334) and of f05."""


def split_hips(folder: Path) -> tuple[object, object]:
    """Hips are where the thighs pitch, ankles the last joints before the feet (decision 123)."""
    source, body = FOUND / "f10-split-hips.bvh", FOUND / "f05-other-body.bvh"
    made = command("retarget", source, "--to", body, "-o", "f10.bvh", "--json", folder=folder)
    if made.returncode:
        return False, made.stderr.strip()
    before, after = segue.load(source), segue.load(folder / "f10.bvh")
    legs = float(
        sum(
            np.linalg.norm(role_place(before, a)[0] - role_place(before, b)[0])
            for a, b in (("left_hip", "left_knee"), ("left_knee", "left_ankle"))
        )
    )
    travelled = [clip.root_positions[-1] - clip.root_positions[0] for clip in (before, after)]
    grows = float(np.linalg.norm(travelled[1][[0, 2]]) / np.linalg.norm(travelled[0][[0, 2]]))
    free = command("retarget", source, "--to", body, "-o", "f10-free.bvh", "--feet", "free", folder=folder)
    lower = segue.load(folder / "f10-free.bvh").root_positions[:, 1] - after.root_positions[:, 1]
    good = (
        abs(legs - _SPLIT_LEGS) < 0.015
        and abs(grows - _OTHER_LEGS / _SPLIT_LEGS) < 0.04
        and np.median(lower) < 0.03
        and not free.returncode
    )
    return good, f"legs {legs:.2f} m, travel x {grows:.2f}, root {100 * np.median(lower):.1f} cm lower"


def child(folder: Path) -> tuple[object, object]:
    """A child in centimetres has the size of a child."""
    info = one_clip(FOUND / "f11-child-in-cm.bvh", folder=folder)
    return abs(info.get("unit", 0) - 0.01) < 1e-9, f"unit {info.get('unit')}"


def commas(folder: Path) -> tuple[object, object]:
    """Marker tables may use commas, semicolons and blanks."""
    source = (FOUND / "f12-commas.trc").read_text("utf-8")
    seen = []
    for k, mark in enumerate((",", ";", "\t")):
        path = folder / f"f12-{k}.trc"
        path.write_text(source.replace(",", mark), encoding="utf-8")
        read = read_markers(path)
        gaps = np.isnan(read.positions).any(axis=-1)
        names = list(read.names) == ["LHEEL", "RHEEL", "C7.back"]
        right = read.positions.shape[0] == 4 and read.fps == 50 and gaps.sum() == 1 and gaps[2, 1]
        seen.append(bool(names and right))
    return all(seen), f"commas, semicolons, tabs: {seen}"


def long_sequences(folder: Path) -> tuple[object, object]:
    """Aligning two long takes is bounded in memory."""
    import subprocess
    import sys

    run = subprocess.run(
        ["bash", "-c", f"ulimit -v 5000000; {sys.executable} {FOUND / 'f13-long-sequences.py'}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    last = (run.stdout.strip() or run.stderr.strip().splitlines()[-1])[:90]
    return run.returncode == 0 or "SettingError" in last, last


def lacking_bone(folder: Path) -> tuple[object, object]:
    """The error names the frame that lacks a bone."""
    done = command("info", FOUND / "f14-first-frame-lacks-a-bone.amc", folder=folder)
    words = done.stderr.strip()
    return done.returncode == 2 and all(w in words for w in ("lowerA", "frame 1", ":4")), words.rsplit(
        "/", 1
    )[-1]


def dead_still(folder: Path) -> tuple[object, object]:
    """Frames without any motion at an end are frozen."""
    found = faults(one_clip(FOUND / "f15-slows-then-dead-still.bvh", folder=folder))
    frozen = [one for one in found if one["kind"] == "frozen"]
    return bool(frozen) and abs(frozen[-1]["start_frame"] - 101) <= 2, f"{[one['kind'] for one in found]}"


def flips(folder: Path) -> tuple[object, object]:
    """Hips that rotate by 54 degrees in a frame are a glitch."""
    found = faults(one_clip(FOUND / "f16-hips-flip-54-degrees.bvh", folder=folder))
    frames = sorted((one["start_frame"], one["stop_frame"]) for one in found if one["kind"] == "glitch")
    there = [any(a <= frame <= b for a, b in frames) for frame in (90, 99)]
    return all(there), f"glitches at {frames}"


def z_up(folder: Path) -> tuple[object, object]:
    """Written files have Y up, or state their up axis."""
    done = command("convert", FOUND / "f17-z-up.npz", "-o", "f17.bvh", folder=folder)
    clip = segue.load(folder / "f17.bvh")
    tall = place(clip, clip.skeleton.names[0])
    up = clip.source.up if clip.source else "?"
    return up == "Y" or "Z" in done.stderr + done.stdout, f"up {up}, root {tall[0].round(2).tolist()}"


TRIES = (
    Try("f01 words behind End Site", end_site),
    Try("f02 tiny values", tiny_values),
    Try("f03 feet in the floor", sinks),
    Try("f04 prone bodies", prone),
    trunks("f05-offsets-y-motion-z.bvh", "f05-other-body.bvh"),
    trunks("f05-other-body.bvh", "f05-offsets-y-motion-z.bvh"),
    trunks("f05-rest-pose-bows.bvh", "f05-other-body.bvh"),
    Try("f06 rows of zeros", zero_rows),
    Try("f07 a rest pose that is a frame", rest_is_a_frame),
    Try("f08 one cycle", one_cycle),
    Try("f09 a body without a clavicle", no_clavicle),
    Try("f10 split hips", split_hips),
    Try("f11 a child in centimetres", child),
    Try("f12 commas", commas),
    Try("f13 long sequences", long_sequences),
    Try("f14 a bone missing in the first frame", lacking_bone),
    Try("f15 dead still at the end", dead_still),
    Try("f16 hips that flip", flips),
    Try("f17 Z up", z_up),
)
