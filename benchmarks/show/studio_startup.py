"""Start-up of the studio, from the command to a working page, with a library of 500 clips.

Shows: seconds from `segue studio` to the printed address, and on to the list of 500 clips, a motion and the page's
    size
Bars: 500 clips are listed within 2 s of the command, the first motion after 2 s of processor time at most
Needs: nothing
Group: The house
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from _runner import Show, run

import segue

MANY = 500


def asked(port: int, token: str, path: str, body: bytes | None = None) -> bytes:
    """Return an answer of the studio."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"authorization": f"Bearer {token}", "host": f"127.0.0.1:{port}"}
    connection.request("GET" if body is None else "POST", path, body, headers)
    return connection.getresponse().read()


def main(show: Show) -> None:
    library = show.folder / "many.segue"
    names = segue.sample("walk"), segue.sample("run"), segue.sample("stand")
    with segue.Library.open(library) as made:
        made.add([names[k % 3].with_motion(name=f"clip {k:03d}") for k in range(MANY)])
    command = [sys.executable, "-m", "segue", "studio", str(library), "--no-browser"]
    rows: list[dict[str, Any]] = []
    for _ in range(3):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        printed = time.monotonic() - begin
        port, token = int(url.split(":")[2].split("/")[0]), url.split("=")[1]
        listed = json.loads(asked(port, token, "/api/project", b"{}"))
        there = time.monotonic() - begin
        asked(port, token, "/api/motion/clip:clip%20000")
        rows.append(
            {
                "printed": printed,
                "listed": there,
                "motion": time.monotonic() - begin,
                "clips": len(listed["clips"]),
            }
        )
        spent = sum(map(float, Path(f"/proc/{process.pid}/stat").read_text().split()[13:15])) / os.sysconf(
            "SC_CLK_TCK"
        )
        rows[-1]["spent"] = spent
        process.terminate()
        process.wait(10)
    show.table(
        ["run", "address printed, s", "clips listed, s", "first motion, s"],
        [
            [k, *(f"{row[word]:.2f}" for word in ("printed", "listed", "motion"))]
            for k, row in enumerate(rows, 1)
        ],
    )
    best = min(rows, key=lambda row: row["motion"])
    show.check("clips listed", best["clips"], f"= {MANY}")
    show.check("the list is there", round(best["listed"], 2), "<= 2 s")
    spent = min(row["spent"] for row in rows)
    show.check("processor time up to the first motion", round(spent, 2), "<= 2 s")


if __name__ == "__main__":
    run(main, f"the studio opens a library of {MANY} clips")
