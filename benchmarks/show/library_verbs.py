"""The complete workflow of `segue library` on real clips: import, use, export, and import again.

A motion made from a library equals that of its folder; clips, labels and transitions that are written and read
again are unchanged.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _data import mixed_subjects, subject_16
from _verdict import Verdicts

import segue
from segue.library.labels import Extent, FileLabel, write_labels
from segue.library.transition_files import read_mogra
from segue.maths.quaternions import half_angle

SECONDS = 20


def main() -> None:
    verdicts = Verdicts("segue library: in, worked with, out, and back in")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for label, inputs in (("subject 16", subject_16()), ("16 + 127 + 131", mixed_subjects())):
            motions(verdicts, folder, label, inputs)
        library = folder / "16 + 127 + 131.segue"
        verbs(verdicts, folder, library)
        clips(verdicts, folder, library)
        labels(verdicts, folder, library)
        transitions(verdicts, folder, library)
    verdicts.finish()


def document_of(*words: object, fails: bool = False) -> dict[str, Any]:
    """Return the JSON document of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "segue", *map(str, words), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0 and not fails:
        print(done.stderr)
        sys.exit(1)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def motions(verdicts: Verdicts, folder: Path, label: str, inputs: list[str]) -> None:
    """Add a set, wander from its files and twice from the library, replay."""
    library = folder / f"{label}.segue"
    added = document_of("library", "add", library, *inputs)
    print(f"{label}: {len(added['new'])} clips added, {library.stat().st_size / 1e6:.1f} MB")
    again = document_of("library", "add", library, *inputs)
    same = len(again["same"]) == len(added["new"]) and not again["new"]
    verdicts.check("added again: new clips", len(again["new"]), 0, same)
    for seed in (1, 2):
        digests = []
        for name, source in (("files", inputs), ("library", [library]), ("kept pairs", [library])):
            out = folder / f"{label} {seed} {name}.bvh"
            document_of("wander", *source, "--seconds", SECONDS, "--seed", seed, "-o", out)
            record = json.loads(out.with_name(f"{out.stem}.origin.json").read_text("utf-8"))
            digests.append(record["motion"]["sha256"])
        verdicts.check(
            f"seed {seed}: motions of files, library, library again",
            len(set(digests)),
            1,
            len(set(digests)) == 1,
        )
        made = folder / f"{label} {seed} library.origin.json"
        replayed = document_of("replay", made, "-o", folder / f"{label} {seed} replay.bvh", fails=True)
        verdicts.check(f"seed {seed}: replayed from the library", replayed["same"], True, replayed["same"])


def verbs(verdicts: Verdicts, folder: Path, library: Path) -> None:
    """Check that every other verb reports the same for a clip in a library as for its file."""
    data = Path(subject_16()[0])
    a, b = data / "16_15.amc", data / "16_17.amc"
    ours = [f"{library}#16_15", f"{library}#16_17"]
    pairs = {
        "compare": [document_of("compare", x, y, "--threshold", "0.02") for x, y in ((a, b), ours)],
        "measure": [document_of("measure", x) for x in (a, ours[0])],
        "stitch": [document_of("stitch", x, y, "-o", folder / "s.bvh", "--force") for x, y in ((a, b), ours)],
        "info": [document_of("info", x)["clips"][0] for x in (a, ours[0])],
        "convert": [
            [
                one["frames"]
                for one in document_of("convert", x, "-o", folder / "c.bvh", "--fps", "30", "--force")[
                    "written"
                ]
            ]
            for x in (a, ours[0])
        ],
    }
    for pair in pairs["info"]:
        pair.pop("path")
    different = [verb for verb, (of_file, of_clip) in pairs.items() if of_file != of_clip]
    verdicts.check(
        f"verbs that differ of {len(pairs)}", ", ".join(different) or "none", "none", not different
    )


def clips(verdicts: Verdicts, folder: Path, library: Path) -> None:
    """Export as NPZ exactly, in their own format as exactly as it allows, and from there byte for byte."""
    exact = document_of("library", "export", library, "-o", folder / "npz", "--to", "npz")["written"]
    own = document_of("library", "export", library, "-o", folder / "own")["written"]
    with segue.Library.open(library, mode="r") as opened:
        kept = {entry.name: opened.clip(entry.name) for entry in opened.clips()}
    worst = 0.0
    for one in exact:
        clip, back = kept[one["clip"]], segue.load(one["to"])
        worst = max(
            worst, _apart(clip.rotations, back.rotations), _apart(clip.root_positions, back.root_positions)
        )
    verdicts.check(f"{len(exact)} clips as NPZ: largest difference", worst, 0, worst == 0.0)
    turn = place = 0.0
    for one in own:
        clip, back = kept[one["clip"]], segue.load(one["to"])
        order = [back.skeleton.index(name) for name in clip.skeleton.names]
        apart = 2 * half_angle(clip.rotations, back.rotations[:, order])
        turn = max(turn, float(np.degrees(apart).max()))
        place = max(place, 100 * _apart(clip.root_positions, back.root_positions))
    kinds = ", ".join(sorted({Path(one["to"]).suffix for one in own}))
    verdicts.check(
        f"{len(own)} clips in their own format ({kinds}): turns", turn, "<= 1e-4", turn <= 1e-4, "deg"
    )
    verdicts.check("  places", place, "<= 1e-4", place <= 1e-4, "cm")
    document_of("library", "add", folder / "again.segue", folder / "own")
    again = document_of("library", "export", folder / "again.segue", "-o", folder / "own again")["written"]
    other = [
        one["clip"] for one in again if _bytes(one["to"]) != _bytes(folder / "own" / Path(one["to"]).name)
    ]
    verdicts.check(f"files that differ the second time, of {len(again)}", len(other), 0, not other and again)


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max()) if a.shape == b.shape else float("inf")


def _bytes(path: str | Path) -> bytes:
    return Path(path).read_bytes()


def labels(verdicts: Verdicts, folder: Path, library: Path) -> None:
    """Export five hundred labels and import them into a copy, in frames and in seconds."""
    rng = np.random.default_rng(1)
    with segue.Library.open(library, mode="r") as opened:
        extents = {entry.name: Extent(entry.n_frames, entry.fps) for entry in opened.clips()}
    names = list(extents)
    some = set()
    while len(some) < 500:
        name = names[int(rng.integers(len(names)))]
        start, stop = sorted(int(v) for v in rng.integers(0, extents[name].n_frames + 1, 2))
        if start < stop:
            some.add(FileLabel(name, str(rng.choice(["walk", "turn, left", "„ruhig“"])), start, stop))
    write_labels(sorted(some, key=str), folder / "some.csv")
    document_of("library", "export", library, "-o", folder / "bare.segue")
    document_of("library", "label", library, "--csv", folder / "some.csv")
    for key in ("frames", "seconds"):
        copy, table = folder / f"{key}.segue", folder / f"{key}.csv"
        document_of("library", "export", library, "-o", table, *(["--seconds"] if key == "seconds" else []))
        document_of("library", "export", folder / "bare.segue", "-o", copy)
        document_of("library", "import", copy, table)
        found = {
            FileLabel(clip["name"], label["text"], label["start_frame"], label["stop_frame"])
            for clip in document_of("library", "list", copy)["clips"]
            for label in clip["labels"]
        }
        verdicts.check(f"of 500 labels come back by a table in {key}", len(found & some), 500, found == some)


def transitions(verdicts: Verdicts, folder: Path, library: Path) -> None:
    """Export the points found by segue, import them into a copy, export again."""
    first, second = folder / "MoGra.transitions", folder / "again.transitions"
    document_of("library", "match", library)
    count = document_of("library", "export", library, "-o", first)["transitions"]
    copy = folder / "bare.segue"
    document_of("library", "import", copy, first)
    with segue.Library.open(copy, mode="r") as opened:
        points = opened.points(document_of=True, verified=None)
    points_by_key = {(p.a_clip, p.b_clip, p.a_frame, p.b_frame): p.verified for p in points}
    mirrors = {(b, a, j, i) for a, b, i, j in (one.key for one in read_mogra(first) if one.verified)}
    written = {one.key for one in read_mogra(first) if one.verified}
    verdicts.note(f"{count} verified points; {len(mirrors - written)} transitions back are not among them")
    verified = {key for key, passed in points_by_key.items() if passed}
    verdicts.check("transitions that come back verified", len(verified & written), count, verified == written)
    unverified = set(points_by_key) - verified
    verdicts.check(
        "mirrors added, all unverified",
        len(unverified),
        len(mirrors - written),
        unverified == mirrors - written,
    )
    document_of("library", "export", copy, "-o", second)
    verdicts.check(
        "written again: the same bytes",
        _bytes(first) == _bytes(second),
        True,
        _bytes(first) == _bytes(second),
    )
    # Clips of other bodies are retargeted to the first one's before the search; imported points are not.
    with segue.Library.open(library, mode="r") as opened:
        found = _by_key(opened.points())
    ours = {key: point for key, point in _by_key(points).items() if key in found and _of_one_body(key)}
    apart = max(abs(found[key].cost - point.cost) for key, point in ours.items())
    verdicts.check(
        f"costs of {len(ours)} imported points from those found", float(apart), "<= 1e-6", apart <= 1e-6
    )


def _of_one_body(key: tuple[str, str, int, int]) -> bool:
    return all(name.startswith("16_") for name in key[:2])


def _by_key(points: Any) -> dict[tuple[str, str, int, int], Any]:
    return {(p.a_clip, p.b_clip, p.a_frame, p.b_frame): p for p in points}


if __name__ == "__main__":
    main()
