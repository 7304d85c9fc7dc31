"""Start-up time: `segue --help` and `import segue`.

Shows: start-up times of the installed wheel, medians of nine
Bars: `segue --help` under 0.3 s, `import segue` under 0.12 s
Needs: a network for the wheel's environment
Group: The parts

Both are measured with the wheel in a separate environment, each time in a fresh interpreter. The command is timed
from outside, start of the process to its end. The import is timed inside the process, around the import statement
alone, so that the interpreter's own start does not count; the time from outside is printed too.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from _runner import Show, run

ROOT = Path(__file__).resolve().parents[2]
RUNS = 9
HELP_BAR, IMPORT_BAR = 0.3, 0.12
_IMPORT = "import time; t = time.perf_counter(); import segue; print(time.perf_counter() - t)"


def quietly(*command: object) -> None:
    """Run a command whose output matters only if it fails."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{run.stdout}{run.stderr}")


def installed(folder: Path) -> Path:
    """Build the wheel, install it into a new environment, return that environment's bin folder."""
    quietly(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "dist", ROOT)
    quietly(sys.executable, "-m", "venv", folder / "env")
    bin_folder = folder / "env" / "bin"
    wheel = next((folder / "dist").glob("*.whl"))
    # Byte code is written at installation, whatever the shell's environment variables.
    quietly(bin_folder / "python", "-m", "pip", "install", "--quiet", "--compile", wheel)
    return bin_folder


def timed(command: list[object], cwd: Path) -> tuple[float, str]:
    """Return clock seconds and the output of the command."""
    begun = time.perf_counter()
    run = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=True)
    return time.perf_counter() - begun, run.stdout


def main(verdicts: Show) -> None:
    folder = verdicts.folder
    bin_folder = installed(folder)
    helps = [timed([bin_folder / "segue", "--help"], folder)[0] for _ in range(RUNS + 1)][1:]
    imports = [timed([bin_folder / "python", "-c", _IMPORT], folder) for _ in range(RUNS + 1)][1:]
    bare = [timed([bin_folder / "python", "-c", "pass"], folder)[0] for _ in range(RUNS)]
    inside = statistics.median(float(text) for _, text in imports)
    helped = statistics.median(helps)
    verdicts.check("segue --help, complete process", helped, f"< {HELP_BAR} s", unit="s")
    verdicts.check("import segue, inside the process", inside, f"< {IMPORT_BAR} s", unit="s")
    verdicts.note(
        f"slowest of {RUNS}: help {max(helps):.3f} s, import {max(float(t) for _, t in imports):.3f} s"
    )
    verdicts.note(
        f"python -c 'import segue' from outside: {statistics.median(t for t, _ in imports):.3f} s, "
        f"of which an empty interpreter: {statistics.median(bare):.3f} s"
    )


if __name__ == "__main__":
    run(main, f"Start-up from the installed wheel, median of {RUNS} runs after one to warm the disk")
