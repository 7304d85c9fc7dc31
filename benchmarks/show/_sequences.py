"""Elementary motions of a fight and of a dance, cut from the real clips, and scripts of a minute of each."""

from __future__ import annotations

from pathlib import Path

from _data import require_data

CLIPS = {
    "boxing": "Boxing_Toes.bvh",
    "17_10": "17_10.amc",
    "02_05": "02_05.amc",
    "05_02": "05_02.amc",
    "60_12": "60_12_scaled.bvh",
    "61_12": "61_12_scaled.bvh",
}
FIGHT = """
guard boxing 1.12 3.04 1.38 1.66
combination boxing 4.90 6.94 5.55 5.80
hook boxing 6.60 8.76 7.07 7.32
cross boxing 8.76 10.66 9.06 9.28
jab boxing 13.51 14.92 14.01 14.14
block boxing 16.95 18.63 18.10 18.42
duck boxing 18.63 20.37 19.60 20.00
dodge boxing 20.37 21.52 20.69 20.98
bounce boxing 2.30 4.90 3.20 3.40
step_in 17_10 1.13 3.82 2.27 2.48
shuffle 17_10 3.82 5.64 4.27 4.62
duck_cross 17_10 5.64 8.99 7.71 8.10
lunge 17_10 12.58 14.82 13.57 13.88
advance 17_10 14.82 16.07 15.27 15.57
weave 17_10 17.12 20.22 17.82 18.18
straight 02_05 0.20 2.23 0.93 1.32
double 02_05 2.23 5.09 2.60 3.40
low_punch 02_05 6.57 10.14 9.57 9.99
"""
"""Name, clip, seconds of the clip and of the core."""
DANCE = """
salute 05_02 3.54 7.45 5.59 5.98
close 05_02 7.45 9.36 8.60 9.00
lead_1 60_12 0.80 2.05 1.20 1.40
lead_2 60_12 2.05 4.85 3.50 3.92
lead_3 60_12 4.85 6.31 5.20 5.50
lead_4 60_12 6.31 7.61 6.63 6.91
lead_5 60_12 7.61 10.22 9.20 9.60
lead_6 60_12 10.22 11.70 10.80 11.10
follow_1 61_12 1.07 2.40 1.52 2.00
follow_2 61_12 2.40 4.40 3.20 3.60
follow_3 61_12 4.40 6.35 5.20 5.60
turn 61_12 6.35 7.62 6.70 7.20
spin 61_12 7.62 8.78 8.00 8.50
follow_4 61_12 8.78 12.43 10.84 11.08
"""
MINUTE = 60.0


def elements_toml(rows: str) -> str:
    """Return elementary motions as a file, clips by their full paths."""
    data = require_data()
    out = []
    for row in rows.split("\n"):
        if not row.strip():
            continue
        name, clip, start, stop, first, last = row.split()
        path = next(data.rglob(CLIPS[clip]))
        out.append(
            f'[[elements]]\nname = "{name}"\nclip = "{path}"\nseconds = [{start}, {stop}]\ncore = [{first}, {last}]\n'
        )
    return "\n".join(out)


def names(rows: str) -> list[str]:
    return [row.split()[0] for row in rows.split("\n") if row.strip()]


def write_elements(folder: Path) -> tuple[Path, Path]:
    """Write both files; return the fight's and the dance's."""
    paths = folder / "fight_elements.toml", folder / "dance_elements.toml"
    for path, rows in zip(paths, (FIGHT, DANCE), strict=True):
        path.write_text(elements_toml(rows))
    return paths
