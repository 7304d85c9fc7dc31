"""Speed of reading BVH, compared with pybvh and bvhio in the same run: complete loads, and text to channels.

Shows: reading BVH, compared with pybvh and bvhio in one run
Bars: 3 × pybvh for complete loads, 8 × for text to channels
Needs: clips; `pybvh` and `bvhio` installed
Group: Other programs and long runs
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from _runner import Show, best, medians, run

from segue.io import load
from segue.io.digests import Digest
from segue.io.text import TextFile, number_rows

RUNS = 9
LARGE = 500_000
"""Bytes. Every captured BVH file of at least this size that all three read; for smaller ones opening dominates."""


def channels_of(content: bytes) -> Callable[[], object]:
    """Parse bytes of a file to its array of channels, nothing else."""
    file = TextFile(Path("clip.bvh"), content.replace(b"\r\n", b"\n"), Digest(b""))
    start = next(k for k, line in enumerate(file.lines) if line.lower().startswith("frame time")) + 1
    columns = len(file.lines[start].split())
    return lambda: number_rows(file, start=start, columns=columns)


def read_by_all(path: Path, pybvh: ModuleType, bvhio: ModuleType) -> bool:
    """Return whether the other readers, which refuse some files, read this one."""
    try:
        pybvh.read_bvh_file(str(path))
        bvhio.readAsBvh(str(path))
    except Exception:  # noqa: BLE001  # any exception means that it cannot read the file
        return False
    return True


def main(verdicts: Show) -> None:
    try:
        import bvhio
        import pybvh

        verdicts.note(
            f"pybvh {version('pybvh')}, bvhio {version('bvhio')}; medians of {RUNS} runs in turns, bvhio 3"
        )
    except (ImportError, PackageNotFoundError) as error:
        sys.exit(f"pybvh and bvhio must be installed to be compared with: pip install pybvh bvhio ({error})")
    warnings.simplefilter("ignore")
    paths, refused = [], []
    for path in sorted(verdicts.clips.rglob("*.bvh"), key=lambda path: (-path.stat().st_size, path)):
        if path.stat().st_size >= LARGE:
            (paths if read_by_all(path, pybvh, bvhio) else refused).append(path)
    cold = time.perf_counter()
    load(paths[0])
    verdicts.note(
        f"first load in this process: {time.perf_counter() - cold:.2f} s (compiler or its cache); left out below"
    )
    verdicts.note(
        f"files: the {len(paths)} captured BVH files of {LARGE // 1000} kB and more that all three read; "
        f"left out: {', '.join(path.name for path in refused) or 'none'}"
    )
    total, ours, channels, theirs, slow = 0.0, 0.0, 0.0, 0.0, 0.0
    verdicts.note(f"{'MB/s':<24}{'segue.load':>12}{'channels':>12}{'pybvh':>12}{'bvhio':>12}")
    for path in paths:
        content = path.read_bytes()
        name, read = str(path), channels_of(content)
        jobs = {
            "ours": lambda path=path: load(path),
            "channels": read,
            "pybvh": lambda name=name: pybvh.read_bvh_file(name),
        }
        a, b, c = medians(jobs, RUNS, clock=time.perf_counter).values()
        d = best(lambda name=name: bvhio.readAsBvh(name), 3, clock=time.perf_counter)
        size = len(content) / 1e6
        verdicts.note(f"{path.name:<24}{size / a:>12.0f}{size / b:>12.0f}{size / c:>12.0f}{size / d:>12.1f}")
        total, ours, channels, theirs, slow = total + size, ours + a, channels + b, theirs + c, slow + d
    verdicts.note(
        f"{'all':<24}{total / ours:>12.0f}{total / channels:>12.0f}{total / theirs:>12.0f}{total / slow:>12.1f}"
    )
    verdicts.check("segue.load, bytes a second against pybvh", theirs / ours, ">= 3", theirs >= 3 * ours, "x")
    verdicts.check("text to channels against pybvh", theirs / channels, ">= 8", theirs >= 8 * channels, "x")
    verdicts.note(f"segue.load against bvhio: {slow / ours:.0f} x, no bar")


if __name__ == "__main__":
    run(main, "Reading speed compared with pybvh and bvhio")
