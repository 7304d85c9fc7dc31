"""Line coverage of the kernels: compiled code cannot be traced, so their tests run once interpreted.

The tests of kernels are the files that import a `_kernels` module or a twin named in tests/house/test_kernels.py,
but not those of the house, which read the kernels' sources. Tests marked ``data`` or ``slow`` are left out:
interpreted loops take a thousand times as long.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BAR = 95.0
CORES = 2
RUN = (
    "--branch",
    "--include=*/_kernels.py",
    *("-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"),
    *("-m", "not data and not slow", "--hypothesis-profile=few", "--durations=5"),
)


def kernel_tests() -> list[Path]:
    """Return the test files that call kernels or their twins."""
    table = (ROOT / "tests/house/test_kernels.py").read_text("utf-8")
    twins = "|".join(sorted(set(re.findall(r'": "(\w+)\.\w+"', table))))
    wanted = re.compile(
        rf"^\s*(from naive\.({twins}) |from naive import .*\b({twins})\b"
        r"|from segue\.\S+ import _kernels|from segue\.\S+\._kernels import)",
        re.MULTILINE,
    )
    tests = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if path.parent.name != "house")
    return [path for path in tests if wanted.search(path.read_text("utf-8"))]


def shares(tests: list[Path]) -> list[list[Path]]:
    """Split the tests into parts of similar size, several for each of two cores: run times are not known."""
    out: list[list[Path]] = [[] for _ in range(4 * CORES)]
    sizes = [0] * len(out)
    for path in sorted(tests, key=lambda path: -path.stat().st_size):
        least = sizes.index(min(sizes))
        out[least].append(path.relative_to(ROOT))
        sizes[least] += path.stat().st_size
    return [share for share in out if share]


def run_share(share: list[Path], env: dict[str, str]) -> int:
    """Run some test files, print their output, return the exit status."""
    words = [sys.executable, "-m", "coverage", "run", "--parallel-mode", *RUN, *map(str, share)]
    run = subprocess.run(words, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    print(run.stdout, run.stderr, sep="", flush=True)
    return run.returncode


def main() -> int:
    """Run the tests, print a line per kernel file, return the exit status."""
    kernels = sorted((ROOT / "src").rglob("_kernels.py"))
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": f"{folder}/coverage"}
        coverage = [sys.executable, "-m", "coverage"]
        with ThreadPoolExecutor(CORES) as pool:
            failed = list(pool.map(lambda share: run_share(share, env), shares(kernel_tests())))
        subprocess.run([*coverage, "combine", "-q", folder], cwd=ROOT, env=env, check=False)
        report = f"{folder}/report.json"
        subprocess.run([*coverage, "json", "-q", "-o", report], cwd=ROOT, env=env, check=False)
        files = json.loads(Path(report).read_text("utf-8"))["files"] if Path(report).exists() else {}
    covered = {(ROOT / name).resolve(): entry for name, entry in files.items()}
    missed = any(failed)
    for path in kernels:
        entry = covered.get(path.resolve())
        percent = entry["summary"]["percent_covered"] if entry else 0.0
        missed |= percent < BAR
        lines = entry["missing_lines"] if entry else "all"
        verdict = "PASS" if percent >= BAR else f"FAIL, not run: {lines}"
        print(f"{path.relative_to(ROOT / 'src')!s:40} {percent:6.1f} %  bar {BAR:.0f} %  {verdict}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
