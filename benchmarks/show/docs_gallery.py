"""The docs build without warnings, every gallery example runs, and no gallery page is blank in a browser.

Shows: the pages built from scratch, every example of the gallery, and each gallery page in headless Chromium;
    `--pictures FOLDER` saves the screenshots, `--all` takes them of every page
Bars: no warning; 90 s of processor time; all examples ran, printed and drew; no broken link, no picture without
    alternative text, no blank page
Needs: Chromium installed
Group: Other programs and long runs

Headless Chromium takes a screenshot of each page of the gallery, saved in the folder of ``--pictures`` or in a new
one. ``--all`` takes screenshots of every page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _runner import PICTURES, Show, run
from matplotlib.image import imread

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--hide-scrollbars",
    "--window-size=1280,3000",
)
SECONDS = 90.0


def build(out: Path) -> tuple[float, float, subprocess.CompletedProcess[str]]:
    """Build the pages from scratch on two cores; return processor time, clock time, and the finished process.

    Processor time is an upper bound of the waiting time on an idle machine, and does not depend on other load.
    """
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-j", "2"]
    begun, before = time.monotonic(), os.times()
    done = subprocess.run(
        [*command, "-d", str(out / "trees"), "docs", str(out / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, time.monotonic() - begun, done


def examples(site: Path) -> tuple[int, int, int]:
    """Return the number of examples in the folder, of their pages, and of pages with output and pictures."""
    scripts = sorted((ROOT / "docs/gallery").glob("*.py"))
    pages = [site / f"examples/{script.stem}.html" for script in scripts]
    made = [page for page in pages if page.exists()]
    ran = [
        page
        for page in made
        if "sphx-glr-script-out" in (text := page.read_text("utf-8")) and "_images/sphx" in text
    ]
    return len(scripts), len(made), len(ran)


def links(site: Path) -> list[str]:
    """Return broken links and pictures within the site."""

    def leads_nowhere(page: Path, target: str) -> bool:
        return not re.match(r"[a-z]+:|//", target) and not (page.parent / target).exists()

    return [
        f"{page.relative_to(site)}: {target}"
        for page in site.rglob("*.html")
        for target in re.findall(r'(?:href|src)="([^"#?]+)', page.read_text("utf-8"))
        if leads_nowhere(page, target)
    ]


def unworded(site: Path) -> list[str]:
    """Return pictures of the site without alternative text."""
    return [
        f"{page.relative_to(site)}: {tag}"
        for page in site.rglob("*.html")
        for tag in re.findall(r"<img[^>]*>", page.read_text("utf-8"))
        if not re.search(r'alt="[^"]{3,}"', tag)
    ]


def screenshot(browser: str, page: Path, target: Path) -> float:
    """Take a screenshot of a page; return the share of its content's pixels that differ clearly from the background."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        subprocess.run(
            [browser, *FLAGS, f"--user-data-dir={profile}", f"--screenshot={target}", page.as_uri()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
    if not target.exists():
        return 0.0
    content = imread(target)[:, 330:, :3]
    return float((np.abs(content - content[-1, -1]).max(axis=-1) > 0.1).mean())


def main(verdicts: Show) -> None:
    """Build, count, check."""
    browser = next(
        (b for b in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if b), None
    )
    if browser is None:
        sys.exit("Chromium is not installed (Debian: apt-get install chromium)")
    folder = verdicts.options.pictures or Path(tempfile.mkdtemp(prefix="segue-pages-"))
    folder.mkdir(parents=True, exist_ok=True)
    out = verdicts.folder
    spent, waited, done = build(out)
    warnings = [line for line in done.stderr.splitlines() if line.strip()]
    for line in warnings[-5:]:
        verdicts.note(line)
    verdicts.check("build with warnings fatal: exit status", done.returncode, "= 0")
    verdicts.check("processor time of building everything", spent, f"<= {SECONDS} s", unit="s")
    verdicts.note(f"waited for {waited:.0f} s")
    site = out / "site"
    pages = sorted(site.rglob("*.html"))
    verdicts.note(f"{len(pages)} pages")
    if not pages:
        return
    count, made, ran = examples(site)
    verdicts.check(
        "examples that ran, printed and drew",
        f"{ran} of {count}",
        "all, 8 or more",
        ran == made == count >= 8,
    )
    broken, silent = links(site), unworded(site)
    verdicts.check("broken links", len(broken), "= 0")
    verdicts.check("pictures without words", len(silent), "= 0")
    for line in (*broken[:5], *silent[:5]):
        verdicts.note(line)
    gallery = sorted((site / "examples").glob("*.html"))
    seen = pages if verdicts.options.all else gallery
    seen = [page for page in seen if page.stem != "search"]  # empty until a search is made
    shares = {}
    for page in seen:
        name = page.relative_to(site).with_suffix("").as_posix().replace("/", "-")
        shares[name] = screenshot(browser, page, folder / f"{name}.png")
    least = min(shares, key=lambda name: shares[name])
    verdicts.check(
        "pages seen in a browser", len(shares), f">= {len(gallery)}", len(shares) >= len(gallery) > 8
    )
    verdicts.check(f"least ink on one of them ({least})", shares[least], ">= 0.002")
    verdicts.note(f"pictures of the pages: {folder}")


if __name__ == "__main__":
    run(
        main,
        "The pages and their gallery",
        {**PICTURES, "--all": {"action": "store_true", "help": "take pictures of every page"}},
    )
