"""A motion as one page: opened from disk in Chromium without a network, every joint is at segue's position.

Shows: a walk of a minute through captured clips as a page; `--pictures FOLDER` saves pictures
Bars: joints within 0.1 mm at ten times; a minute under 1.5 MB; no network; body in view; 100 dancers posed in 8.3 ms
Needs: clips; Chromium installed
Group: Other programs and long runs

Five motions: a minute's walk at 120 frames a second, a captured clip, one with fingers, one of another body, a
sample. ``--pictures FOLDER`` saves screenshots of the page at 1280 x 720 and on a phone, dark and light.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from _browser import PLAYER, READY, visited
from _runner import PICTURES, Show, run

import segue
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.pictures.player.page import film_page

BAR = 1e-4
MINUTE = 1.5e6
IN_VIEW = (
    "(p => { let worst = 0; const { stage, character, reel } = p.seats[0]; for (let k = 0; k <= 40; k++) {"
    " p.worldPositions(0, p.clock.length * k / 40); stage.look(); const { camera, target } = stage.view;"
    " camera.updateMatrixWorld(); reel.body.skeleton.names.forEach((_, joint) => {"
    " const at = target.clone().set(...stage.jointPosition(character, joint)).project(camera);"
    f" worst = Math.max(worst, Math.abs(at.x), Math.abs(at.y)); }}); }} return worst; }})({PLAYER})"
)
DANCERS = f"""(p => {{
    const {{ stage, reel }} = p.seats[0];
    const many = Array.from({{ length: 99 }}, () => stage.addCharacter(reel.body, {{ watched: false }}));
    const size = 3 + 4 * reel.motion.joints;
    const times = [];
    for (let round = 0; round < 60; round++) {{
        const begun = performance.now();
        many.forEach((one, k) => stage.setPose(one, reel.motion.poses, size * ((7 * k + round) % reel.motion.frames)));
        stage.look();
        times.push(performance.now() - begun);
    }}
    stage.draw();
    const {{ calls, triangles }} = stage.renderer.info.render;
    many.forEach(one => stage.removeCharacter(one));
    return [times.sort((a, b) => a - b)[30], calls, triangles];
}})({PLAYER})"""
"""Milliseconds to pose a hundred dancers and set camera and lights; draw calls and triangles of a frame."""


def motions(data: Path) -> list[Clip]:
    """Return the motions shown."""
    subject = sorted((data / "asf_amc" / "16").glob("*.amc"))[:24]
    graph = segue.MotionGraph.build([segue.load(path) for path in subject])
    return [
        segue.render(graph.wander(seconds=60, seed=1)).with_motion(name="a minute"),
        segue.load(data / "asf_amc" / "16" / "16_22.amc"),
        segue.load(data / "misc" / "makehuman" / "walk1.bvh"),
        segue.load(data / "misc" / "assimp" / "Boxing_Toes.bvh"),
        segue.sample("walk"),
    ]


def visit_of(page: Path, times: np.ndarray) -> dict[str, Any]:
    """Return ten positions of every joint, and the smallest distance of a joint from the edge of the picture."""
    steps = [f"{PLAYER}.worldPositions(0, {seconds!r})" for seconds in times.tolist()]
    return {"url": page.as_uri(), "wait": READY, "steps": [*steps, IN_VIEW], "width": 640, "height": 360}


def main(show: Show) -> None:
    clips = motions(show.clips)
    rows, visits, every = [], [], []
    for number, clip in enumerate(clips):
        page = show.folder / f"{number}.html"
        film_page([clip], page)
        frames = np.unique(np.rint(np.linspace(0, clip.n_frames - 1, 10)).astype(int))
        visits.append(visit_of(page, frames / clip.fps))
        every.append(frames)
    worst = edge = 0.0
    asked = 0
    for number, answer in enumerate(visited(visits)):
        if answer["faults"]:
            raise RuntimeError(answer["faults"])
        clip, frames = clips[number], every[number]
        *places, near = answer["values"]
        theirs = np.array(places).reshape(len(frames), -1, 3)
        off = float(np.linalg.norm(theirs - world_positions(clip)[frames], axis=-1).max())
        size = f"{(show.folder / f'{number}.html').stat().st_size / 1e6:.2f} MB"
        rows.append(
            (clip.name, f"{clip.seconds:.1f} s", f"{clip.fps:g}", size, f"{1e3 * off:.3f} mm", f"{near:.2f}")
        )
        worst, edge, asked = max(worst, off), max(edge, near), asked + len(answer["requests"])
    show.table(
        ("motion", "length", "frames/s", "page", "farthest joint", "of the distance to the edge"), rows
    )
    minute = (show.folder / "0.html").stat().st_size / 1e6
    show.check("farthest joint at ten times", 1e3 * worst, f"<= {1e3 * BAR:g} mm", unit="mm")
    show.check(
        f"page of a minute at {clips[0].fps:g} frames a second", minute, f"< {MINUTE / 1e6:g} MB", unit="MB"
    )
    show.check("largest offset of a joint from the picture's centre (1 is the edge)", edge, "< 1")
    show.check("requests to a network", asked, "= 0")
    dancers(show)
    if show.options.pictures is not None:
        keep(show, show.options.pictures)


def dancers(show: Show) -> None:
    """Measure the processor time of a hundred bodies; GPU time depends on the graphics card."""
    page = (show.folder / "1.html").as_uri()
    answer = visited([{"url": page, "wait": READY, "steps": [DANCERS], "width": 320, "height": 180}])[0]
    took, calls, triangles = answer["values"][0]
    show.check("poses of 100 dancers, of 16.7 ms that a picture has", took, "< 8.3 ms", unit="ms")
    show.check("draw calls of a picture with 100 dancers", calls, "<= 20")
    show.note(f"  {triangles:,} triangles a picture")


def keep(show: Show, folder: Path) -> None:
    """Save pictures of the first page at two sizes and in both themes."""
    folder.mkdir(parents=True, exist_ok=True)
    page = (show.folder / "0.html").as_uri()
    still = [f"{PLAYER}.clock.playing = false", f"{PLAYER}.toSeam(1), {PLAYER}.toSeam(1)"]
    sizes = (("wide", 1280, 720), ("phone", 390, 780))
    visited(
        [
            {"url": page, "wait": READY, "steps": still, "width": width, "height": height, "scheme": scheme,
             "picture": str(folder / f"player-{name}-{scheme}.png")}
            for name, width, height in sizes
            for scheme in ("dark", "light")
        ]
    )  # fmt: skip
    show.note(f"pictures: {folder}")


if __name__ == "__main__":
    run(main, "a page that plays a motion", PICTURES)
