"""`segue sequence live`: thirty timed requests over a minute, some withdrawn, some impossible.

Shows: a live fight cut from Boxing_Toes, CMU 17_10 and 02_05 by 30 timed requests over 60 s, some withdrawn and some
    impossible; the script cut after every request; the player stepped through the API; replay; latencies
Bars: frames played up to a request are identical to the bit whatever is requested later, frames of the API equal
    those of the command, replay has the same digest; every request answered; half of the requests for as soon as
    possible change a frame within half a second
Needs: clips
Group: Steering
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from _runner import PICTURES, Show, run, segue_json
from _sequences import FIGHT, MINUTE, elements_toml, names

from segue.app.elements import read_motions
from segue.app.sequence_requests import read_requests
from segue.app.sequencing import play, player_of, read_loop
from segue.io import load
from segue.runtime.sequence_player import SequencePlayer

SEED, COUNT = 7, 30
IDLE = "bounce"


def requests_csv() -> str:
    """Return thirty requests: most for as soon as possible, some for a time, some withdrawn, some impossible."""
    rng = np.random.default_rng(SEED)
    moves = [name for name in names(FIGHT) if name != IDLE]
    rows = ["seconds,command,motion,at,priority"]
    at, last = 0.5, moves[0]
    for number in range(COUNT):
        motion = moves[int(rng.integers(len(moves)))]
        kind = number % 6
        if kind == 2:  # in the future
            rows.append(
                f"{at:.2f},play,{motion},{at + float(rng.uniform(3.0, 6.0)):.2f},{int(rng.integers(3))}"
            )
            last = motion
        elif kind == 3:  # withdrawn before it begins
            rows.append(f"{at:.2f},withdraw,{last},,")
        elif kind == 5:  # its core would have to begin immediately, or in the past
            rows.append(f"{at:.2f},play,{motion},{max(at - 1.0, 0.0):.2f},0")
        else:
            rows.append(f"{at:.2f},play,{motion},,0")
            last = motion
        at += float(rng.uniform(1.2, 2.6))
    return "\n".join(rows) + "\n"


def cut_scripts(show: Show, player: SequencePlayer, table: str, whole: np.ndarray) -> None:
    """Cut the script after each request: frames up to the next one equal those of the complete script."""
    requests = read_requests("requests.csv", player.motions, text=table)
    same = 0
    for number in range(1, len(requests) + 1):
        until = requests[number][0] if number < len(requests) else MINUTE
        part = play(player, requests[:number], seconds=until - 1 / player.fps)
        frames = part.clip.n_frames
        same += bool(np.array_equal(part.clip.rotations, whole[:frames]))
    show.check("scripts cut after a request with the same frames until the next", same, f"= {len(requests)}")


def stepped(show: Show, player: SequencePlayer, table: str, whole: np.ndarray) -> None:
    """Make the same requests through the API, one step per frame."""
    requests = read_requests("requests.csv", player.motions, text=table)
    player.reset()
    frames = []
    for frame in range(len(whole)):
        pose = player.step(1 / player.fps if frame else 0.0)
        while requests and requests[0][0] * player.fps <= frame + 1e-6:
            pose = player.step(0.0, requests.pop(0)[1])
        frames.append(pose.rotations)
    show.check(
        "frames that the API gives otherwise", int((np.stack(frames) != whole).any(axis=(1, 2)).sum()), "= 0"
    )


def main(show: Show) -> None:
    folder = show.folder
    (folder / "moves.toml").write_text(elements_toml(FIGHT))
    (folder / "requests.csv").write_text(requests_csv())
    out = folder / "live.npz"
    pictures: Path | None = show.options.pictures
    more = (
        []
        if pictures is None
        else ["--report", pictures / "live.html", "--film", pictures / "live.png", "--force"]
    )
    document = segue_json(
        "sequence", "live", folder / "moves.toml", "--script", folder / "requests.csv", "--idle", IDLE, "-o", out,
        "--seconds", MINUTE, *more,
    )  # fmt: skip
    answers = document["requests"]
    for one in answers:
        what = f"{one['command']} {one['motion']}" + ("" if one["at"] is None else f" at {one['at']:.2f} s")
        how = one["method"] or one["reason"] or ""
        wait = "" if one["latency"] is None else f"first frame changed after {one['latency']:.3f} s"
        begins = "" if one["begins_at"] is None else f"begins {one['begins_at']:.2f} s"
        show.note(f"{one['seconds']:6.2f} s  {what:<32} {one['outcome']:<9} {how}  {begins}  {wait}".rstrip())
    show.check("requests answered", len(answers), f"= {COUNT}")
    for outcome in ("planned", "withdrawn", "rejected"):
        show.check(f"requests {outcome}", sum(one["outcome"] == outcome for one in answers), ">= 3")
    waits = sorted(one["latency"] for one in answers if one["latency"] is not None and one["at"] is None)
    show.check(
        "median latency of requests for as soon as possible", float(np.median(waits)), "<= 0.5", unit="s"
    )
    times = sorted(document["planning_ms"])
    show.note(f"planning a request takes {np.median(times):.0f} ms in the median, {times[-1]:.0f} ms at most")
    whole = load(out).rotations
    elements = read_motions([folder / "moves.toml"])
    player = player_of(elements, read_loop(IDLE, elements)[1], smoothness=0.5, method="optimal")
    table = (folder / "requests.csv").read_text()
    stepped(show, player, table, whole)
    cut_scripts(show, player, table, whole)
    again = segue_json("replay", folder / "live.origin.json", "-o", folder / "again.npz")
    show.check("replay gives the same digest", again["same"], True, again["same"])
    upper = json.loads((folder / "live.origin.json").read_text())["upper"]
    show.check(
        "frames whose upper body is in the record", sum(one["frames"] for one in upper), f"= {len(whole)}"
    )


if __name__ == "__main__":
    run(main, "segue sequence live: thirty requests over a minute", PICTURES)
