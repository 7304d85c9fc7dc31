"""A minute of steering that starts, walks, turns both ways, runs, weaves, slows and stops; and a path.

Shows: a minute of commands (stand, walk, turns, run, weave, stop) and a path, from CMU 16, 127 and 131
Bars: speed and turning rate within 10 %, held feet under 1 mm a frame, joints no faster than 1.3 × the clips', root
    within 1 cm of the path
Needs: clips
Group: Steering
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from _runner import Show, run
from _walkers import clips, walker

from segue.app.steering import Steered, steer_path, steer_script
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.player import Command, LocomotionPlayer

FPS = 60.0
DEGREES = np.pi / 180
SCRIPT = [
    (0.0, Command("stand")),
    (2.0, Command("walk", 1.2)),
    (8.0, Command("walk", 1.2, 40 * DEGREES)),
    (14.0, Command("walk", 1.2, -40 * DEGREES)),
    (20.0, Command("walk", 1.5)),
    (24.0, Command("run", 2.8)),
    (30.0, Command("run", 2.8, 35 * DEGREES)),
    (34.0, Command("run", 2.8, -35 * DEGREES)),
    (38.0, Command("run", 3.5)),
    (42.0, Command("walk", 1.5)),
    (48.0, Command("walk", 0.9)),
    (54.0, Command("stand")),
]
SETTLED = 2.5  # seconds after a command before it counts as steady
PATH = """x,z,type,speed
0,0,walk,1.2
0.5,3,walk,1.2
2.5,5,walk,1.3
5,5.5,walk,1.2
8,4,run,2.6
11,5,run,2.6
13,9,run,2.6
12,13,walk,1.3
9,15,walk,1.2
"""


def minute(verdicts: Show) -> None:
    """Steer by the script: speeds reached, foot motion, and joint speeds compared with the clips."""
    model = walker()
    made = steer_script(model, SCRIPT, fps=FPS, seconds=60.0)
    verdicts.check(
        "types it played",
        sorted({now.kind for now in made.standing}),
        "3",
        len({n.kind for n in made.standing}) == 3,
    )
    worst = {"speed": 0.0, "turn": 0.0}
    for (start, command), end in zip(SCRIPT, [s for s, _ in SCRIPT[1:]] + [60.0], strict=True):
        if command.kind == "stand":
            continue
        rows = slice(round((start + SETTLED) * FPS), round(end * FPS))
        states = made.standing[rows]
        turn = float(np.mean([now.turn for now in states]))
        # Distance that the root covers: straight, or along the arc fitted to its chords.
        roots = made.clip.root_positions[rows, :][:, [0, 2]]
        speed = float(np.mean([now.speed for now in states]))
        if command.turn == 0.0:
            speed = float(np.linalg.norm(roots[-1] - roots[0])) * FPS / (len(roots) - 1)
        reached = {now.reached for now in states}
        verdicts.note(
            f"{start:4.0f} s {command.kind} {command.speed:.1f} m/s {command.turn / DEGREES:4.0f} degrees/s: "
            f"{speed:.2f}, {turn / DEGREES:.1f} ({', '.join(sorted(reached))})"
        )
        worst["speed"] = max(worst["speed"], abs(speed / command.speed - 1))
        scale = max(abs(command.turn), 20 * DEGREES)
        worst["turn"] = max(worst["turn"], abs(turn - command.turn) / scale)
    for name, off in worst.items():
        verdicts.check(f"steady {name}: largest relative error", off, "<= 0.1")
    feet(verdicts, model)
    beside_the_clips(verdicts, made)


def feet(verdicts: Show, model) -> None:
    """Measure how far a held heel or toe moves from frame to frame, in the same run."""
    player = LocomotionPlayer(model)
    steps, before, row = [], None, 0
    for frame in range(int(60 * FPS)):
        while row + 1 < len(SCRIPT) and SCRIPT[row + 1][0] <= frame / FPS:
            row += 1
        player.step(1 / FPS, SCRIPT[row][1])
        rows = player.save()[0][k.FEET : k.FEET + 2 * k.FOOT_ROW].reshape(2, k.FOOT_ROW)
        now = [(r[k.WAS : k.WAS + 2] > 0, r[k.HELD : k.HELD + 6].reshape(2, 3).copy()) for r in rows]
        for (down, places), (was, held) in zip(now, before or now, strict=True):
            part = 1 if down[1] and was[1] else 0
            if down[part] and was[part] and before:
                steps.append(1000 * float(np.linalg.norm(places[part] - held[part])))
        before = now
    verdicts.note(f"held heels and toes: {len(steps)} steps of a frame, median {np.median(steps):.3f} mm")
    verdicts.check("a held heel or toe moves in a frame, at most", max(steps), "< 1", unit="mm")


def joint_speeds(clip: Clip) -> np.ndarray:
    """Return the 99.9th percentile of joint speeds (J,) in radians a second."""
    turned = 2 * half_angle(clip.rotations[1:], clip.rotations[:-1]) * clip.fps
    return np.asarray(np.percentile(turned, 99.9, axis=0))


def beside_the_clips(verdicts: Show, made: Steered) -> None:
    """Check that no joint turns faster than in its clips; knees have their own bar."""
    captured = np.max([joint_speeds(clip) for clip in clips(only_16=True)], axis=0)
    ours = joint_speeds(made.clip)
    names = made.clip.skeleton.names
    share = ours / np.maximum(captured, 1.0)
    verdicts.note(
        "fastest compared with the clips: "
        + ", ".join(f"{names[j]} {share[j]:.2f} x" for j in np.argsort(-share)[:4])
    )
    verdicts.check(
        "fastest joint over the same joint in the clips",
        float(share.max()),
        "<= 1.3",
        unit="x",
    )


def path(verdicts: Show) -> None:
    """Follow a path with a type and speed at each point: the root stays on it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "path.csv"
        file.write_text(PATH)
        made = steer_path(walker(), file, fps=FPS)
        from segue.app.steering import _Curve
        from segue.tables import Column, by_head, rows_of, table_text

        columns = (Column("x"), Column("z"), Column("type", "text"), Column("speed"))
        curve = _Curve.through(by_head(rows_of(table_text(file), file), file, columns))
    roots = made.clip.root_positions[:, [0, 2]]
    away = np.array(
        [np.min(np.hypot(curve.columns[0] - root[0], curve.columns[1] - root[1])) for root in roots]
    )
    verdicts.note(
        f"path of {curve.length:.1f} m in {made.clip.seconds:.1f} s; types {sorted({n.kind for n in made.standing})}"
    )
    # Before it starts moving and after it has stopped the root leans, as in a standing body.
    verdicts.check("root from its path, at most", 100 * float(away.max()), "<= 1", away.max() <= 0.01, "cm")
    pairs = list(zip(made.standing, made.commands, strict=True))
    settled = round(SETTLED * FPS)
    off = [
        abs(now.speed / command.speed - 1)
        for (now, command), (_, then) in zip(pairs[settled:], pairs, strict=False)
        if now.transition is None and now.kind == command.kind == then.kind != "stand"
    ]
    typical = float(np.median(off))
    verdicts.note(f"speed along the path: {len(off)} frames in which the type is the one its points give")
    verdicts.check("deviation of the speed along the path from its points, median", typical, "<= 0.1")


def main(verdicts: Show) -> None:
    minute(verdicts)
    path(verdicts)


if __name__ == "__main__":
    run(main, "Steering: CMU subject 16, 127_03, 127_04 and 131")
