"""How fast BVH is read, beside pybvh and bvhio in the same run: whole loads, and text to channels."""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from _data import require_data
from _verdict import Verdicts

from segue.io import load
from segue.io.digests import Digest
from segue.io.text import TextFile, number_rows

RUNS = 9
LARGE = 500_000
"""Bytes. Every captured BVH file from this size on that all three read; below it, opening a file is what is timed."""


def channels_of(content: bytes) -> Callable[[], object]:
    """Bytes of a file to its array of channels, nothing else."""
    file = TextFile(Path("clip.bvh"), content.replace(b"\r\n", b"\n"), Digest(b""))
    start = next(k for k, line in enumerate(file.lines) if line.lower().startswith("frame time")) + 1
    columns = len(file.lines[start].split())
    return lambda: number_rows(file, start=start, columns=columns)


def medians(jobs: list[Callable[[], object]], runs: int) -> list[float]:
    """Median seconds of each job, taken in turns so that all see the same machine."""
    taken: list[list[float]] = [[] for _ in jobs]
    for _ in range(runs):
        for job, times in zip(jobs, taken, strict=True):
            begun = time.perf_counter()
            job()
            times.append(time.perf_counter() - begun)
    return [statistics.median(times) for times in taken]


def read_by_all(path: Path, pybvh: ModuleType, bvhio: ModuleType) -> bool:
    """Whether the other readers, which refuse some files, read this one."""
    try:
        pybvh.read_bvh_file(str(path))
        bvhio.readAsBvh(str(path))
    except Exception:  # noqa: BLE001  # whatever another reader raises means that it does not read the file
        return False
    return True


def main() -> None:
    """Run everything."""
    data = require_data()
    try:
        import bvhio
        import pybvh

        versions = f"pybvh {version('pybvh')}, bvhio {version('bvhio')}"
    except (ImportError, PackageNotFoundError) as error:
        sys.exit(f"pybvh and bvhio must be installed to be compared with: pip install pybvh bvhio ({error})")
    warnings.simplefilter("ignore")
    verdicts = Verdicts(f"Reading speed beside {versions}; medians of {RUNS} runs in turns, bvhio 3")
    paths, refused = [], []
    for path in sorted(data.rglob("*.bvh"), key=lambda path: (-path.stat().st_size, path)):
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
        a, b, c = medians(
            [lambda path=path: load(path), read, lambda name=name: pybvh.read_bvh_file(name)], RUNS
        )
        (d,) = medians([lambda name=name: bvhio.readAsBvh(name)], 3)
        size = len(content) / 1e6
        verdicts.note(f"{path.name:<24}{size / a:>12.0f}{size / b:>12.0f}{size / c:>12.0f}{size / d:>12.1f}")
        total, ours, channels, theirs, slow = total + size, ours + a, channels + b, theirs + c, slow + d
    verdicts.note(
        f"{'all':<24}{total / ours:>12.0f}{total / channels:>12.0f}{total / theirs:>12.0f}{total / slow:>12.1f}"
    )
    verdicts.check("segue.load, bytes a second against pybvh", theirs / ours, ">= 3", theirs >= 3 * ours, "x")
    verdicts.check("text to channels against pybvh", theirs / channels, ">= 8", theirs >= 8 * channels, "x")
    verdicts.note(f"segue.load against bvhio: {slow / ours:.0f} x, no bar")
    verdicts.finish()


if __name__ == "__main__":
    main()
