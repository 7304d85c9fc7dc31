"""Pages as rendered for a reader: light and dark, wide and on a phone, without an installed mathematics font.

Shows: home page, quickstart, a tutorial, a page on how, a command, the API's index and the gallery in headless
    Chromium, each at 1280 and 390 points wide, light and dark; `--pictures FOLDER` saves the pictures
Bars: all text at a contrast of at least 4.5 to 1; no page scrolls sideways, nothing is cut; no network request;
    equations are set in the font that comes with the pages
Needs: Chromium installed
Group: Other programs and long runs

Contrast is that of each visible piece of text with the background behind it, as the browser computes both. ``--site
FOLDER`` checks pages that are already built (`make docs`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from _browser import ROOT, visited
from _runner import PICTURES, Show, run

PAGES = {
    "home": "index",
    "quickstart": "quickstart",
    "tutorial": "tutorials/animator",
    "how": "how/blending",
    "command": "commands/wander",
    "commands": "commands/index",
    "api": "reference/api/index",
    "gallery": "examples/index",
}
WIDTHS = {"wide": (1280, 900), "phone": (390, 844)}
SCHEMES = "light", "dark"
LEAST = 4.5
DIM = """(() => {
  const parts = (text) => {
    const found = (text.match(/[\\d.]+/g) || []).map(Number);
    const scale = text.startsWith("color(srgb") ? 255 : 1;
    return [found[0] * scale, found[1] * scale, found[2] * scale, found[3] ?? 1];
  };
  const over = (a, b) => a.slice(0, 3).map((value, k) => value * a[3] + b[k] * (1 - a[3])).concat(1);
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const stack = [];
    for (let one = element; one; one = one.parentElement) stack.unshift(parts(getComputedStyle(one).backgroundColor));
    return stack.reduce((below, colour) => over(colour, below), [255, 255, 255, 1]);
  };
  const dim = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.data.trim().slice(0, 40);
    if (!words || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest("script, style, segue-player, iframe, .visually-hidden")) continue;
    const ground = behind(element), ink = over(parts(getComputedStyle(element).color), ground);
    const [a, b] = [light(ink), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const key = `${element.tagName.toLowerCase()}.${element.className}`;
    if (ratio < LEAST && !dim.has(key)) dim.set(key, `${ratio.toFixed(2)} ${words}`);
  }
  return [...dim].map(([key, words]) => `${key}: ${words}`);
})()""".replace("LEAST", str(LEAST))
CUT = """[...document.querySelectorAll("article *")].filter((one) => {
  const style = getComputedStyle(one);
  return one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && ["hidden", "clip"].includes(style.overflowX)
    && !one.closest("segue-player, iframe, svg");
}).map((one) => `${one.tagName.toLowerCase()}.${one.className}`)"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
DRAWN = """[...document.querySelectorAll("segue-player")]
  .every((one) => one.player != null || one.getBoundingClientRect().top > innerHeight)"""
FONT = """(async () => {
  const maths = document.querySelector("math");
  if (!maths) return null;
  await document.fonts.ready;
  return [getComputedStyle(maths).fontFamily, document.fonts.check('16px "STIX Two Math"')].join(" ");
})()"""


def main(show: Show) -> None:
    """Build the pages if none are given, then check them."""
    site = show.options.site or show.folder / "site"
    if show.options.site is None:
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2"]
        subprocess.run([*command, "-d", str(show.folder / "trees"), "docs", str(site)], cwd=ROOT, check=True)
    folder = show.options.pictures or show.folder
    folder.mkdir(parents=True, exist_ok=True)
    looks = [(page, width, scheme) for page in PAGES for width in WIDTHS for scheme in SCHEMES]
    seen = visited([_visit(site, folder, *look) for look in looks])
    dim: dict[str, str] = {}
    cut, wider, left, faults, fonts = set[str](), 0, 0, 0, set[str]()
    for (page, width, scheme), answer in zip(looks, seen, strict=True):
        values: list[Any] = answer["values"]
        left, faults = left + len(answer["requests"]), faults + len(answer["faults"])
        for words in answer["faults"]:
            show.note(f"{page}, {width}, {scheme}: {words}")
        if len(values) < 4:
            continue
        dim |= {f"{page}, {scheme}, {one}": one for one in values[0]}
        cut |= {f"{page}, {width}: {one}" for one in values[1]}
        if values[2] > 0:
            show.note(f"{page}, {width}: {values[2]} points wider than the screen")
        wider += values[2] > 0
        fonts |= {str(values[3])} - {"None"}
    for line in [*sorted(dim)[:20], *sorted(cut)[:20]]:
        show.note(line)
    show.note(f"{len(looks)} looks at {len(PAGES)} pages; equations in {', '.join(sorted(fonts))}")
    show.check("kinds of text below a contrast of 4.5", len(dim), "= 0")
    show.check("elements that are cut", len(cut), "= 0")
    show.check("pages that scroll sideways", wider, "= 0")
    show.check("network requests", left, "= 0")
    show.check("faults of scripts", faults, "= 0")
    fitted = bool(fonts) and all('"STIX Two Math"' in one and one.endswith("true") for one in fonts)
    show.check("equations in the font of the pages", fitted, "True", fitted)


def _visit(site: Path, folder: Path, page: str, width: str, scheme: str) -> dict[str, Any]:
    wide, high = WIDTHS[width]
    return {
        "url": (site / f"{PAGES[page]}.html").resolve().as_uri(),
        "width": wide,
        "height": high,
        "scheme": scheme,
        "wait": DRAWN,
        "steps": [DIM, CUT, WIDER, FONT],
        "picture": str(folder / f"{page}-{width}-{scheme}.png"),
    }


if __name__ == "__main__":
    site = {"type": Path, "metavar": "FOLDER", "help": "pages that are built already"}
    run(main, "the rendered pages", PICTURES | {"--site": site})
