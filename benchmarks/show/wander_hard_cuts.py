"""The bars of `wander.py` must fail on hard cuts: this shows that the measures can fail.

Shows: the same command on hard cuts, to show that the measures can fail
Bars: exit status 1 and at least 5 of 6 seam bars missed
Needs: clips
Group: The main job
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from _runner import Show, run


def main(verdicts: Show) -> None:
    script = Path(__file__).with_name("wander.py")
    done = subprocess.run(
        [sys.executable, str(script), "--blend", "0"], capture_output=True, text=True, check=False
    )
    failed = [line for line in done.stdout.splitlines() if line.rstrip().endswith("FAIL")]
    for line in failed:
        print(line)
    verdicts.check("exit code of wander.py --blend 0", done.returncode, "= 1")
    seam_bars = sum("angular speed" in line or "acceleration" in line for line in failed)
    verdicts.check("seam bars missed on hard cuts, of 6", seam_bars, ">= 5")


if __name__ == "__main__":
    run(main, "the same command on hard cuts")
