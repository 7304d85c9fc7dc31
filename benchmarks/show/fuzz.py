"""Wounded text files, 20,000 a reader: only errors that a person can act on, in bounds of memory and time.

``--count 500`` for fewer, ``--seed`` for others.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _data import ROOT
from _verdict import Verdicts

from segue.errors import SegueError
from segue.io import load

sys.path.insert(0, str(ROOT / "tests"))
from mutants import mutant

CORPUS = ROOT / "tests" / "io" / "corpus"
READERS = {
    "BVH": [CORPUS / "walk.bvh", CORPUS / "run_metres_z_up.bvh"],
    "AMC": [CORPUS / "small.amc"],
    "ASF": [CORPUS / "small.asf"],
    "DeepMimic": [CORPUS / "standing.txt"],
    "glTF": [ROOT / "tests" / "io" / "corpus_gltf" / "nod.gltf"],
}
STATUS = Path("/proc/self/status")


def resident(word: str) -> int:
    """Bytes of memory in use (VmRSS) or at most in use since it was last reset (VmHWM)."""
    found = re.search(rf"{word}:\s+(\d+) kB", STATUS.read_text())
    return 1024 * int(found[1]) if found else 0


def read(path: Path, tally: dict[str, float]) -> None:
    """Load one wounded file and note how it went."""
    size = path.stat().st_size
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    before = resident("VmRSS") if STATUS.exists() else 0
    begun = time.process_time()
    try:
        clip = load(path if path.suffix != ".asf" else path.with_suffix(".amc"))
        tally["motions"] += 1
        tally["not finite"] += not np.isfinite(clip.rotations).all()
    except SegueError:
        tally["errors"] += 1
    except Exception as error:  # noqa: BLE001  # whatever else comes out is what is looked for
        tally["crashes"] += 1
        print(f"    {type(error).__name__}: {str(error)[:100]} in {path.name}")
        shutil.copy(path, Path(tempfile.gettempdir()) / f"crash-{int(tally['crashes'])}{path.suffix}")
    seconds = time.process_time() - begun
    extra = (resident("VmHWM") if STATUS.exists() else 0) - before
    tally["time"] = max(tally["time"], seconds / (2.0 + size / 1e6))
    tally["memory"] = max(tally["memory"], extra / (64e6 + 30 * size))


def main() -> None:
    """Run everything."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=20240613)
    told = options.parse_args()
    verdicts = Verdicts(f"{told.count} wounded files a reader, seed {told.seed}")
    if not STATUS.exists():
        verdicts.note("this system tells no peak of memory: only time and errors are looked at")
    for name, sources in READERS.items():
        rng = np.random.default_rng(told.seed)
        tally = dict.fromkeys(("motions", "errors", "crashes", "not finite", "time", "memory"), 0.0)
        contents = [path.read_bytes() for path in sources]
        with tempfile.TemporaryDirectory() as folder:
            for near in {path.parent for path in sources}:
                shutil.copytree(near, folder, dirs_exist_ok=True)
            load(Path(folder) / "walk.bvh" if name != "glTF" else sources[0])  # the compiler does not count
            for k in range(told.count):
                path = Path(folder) / sources[k % len(sources)].name
                path.write_bytes(mutant(rng, contents[k % len(sources)]))
                read(path, tally)
        bad = tally["crashes"] + tally["not finite"]
        shown = f"{tally['motions']:.0f} + {tally['errors']:.0f} + {bad:.0f}"
        verdicts.check(f"{name}: motions + segue's errors + anything else", shown, "0 else", bad == 0)
        verdicts.check(f"{name}: longest, of 2 s + 1 s a MB", tally["time"], "<= 1", tally["time"] <= 1)
        verdicts.check(
            f"{name}: most memory, of 64 MB + 30 x size", tally["memory"], "<= 1", tally["memory"] <= 1
        )
    verdicts.finish()


if __name__ == "__main__":
    main()
