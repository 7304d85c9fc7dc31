"""Roles of every real body by name, and of the same bodies with names removed and siblings shuffled.

Shows: roles of every body in the clips, by name, and by shape with names removed and siblings shuffled
Bars: every role of every file right by name; 90 % of limb roles by shape, none on the other side; chains, cubes and
    foxes have no roles
Needs: clips
Group: The main job
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter

import numpy as np
from _data import ROOT, require_data
from _runner import Show, run

from segue.errors import SegueError
from segue.io import load
from segue.io.formats import each_animation
from segue.motion.roles import LIMB_ROLES, NEEDED, ROLES, SIDES, roles
from segue.motion.skeleton import EndSite, Skeleton

sys.path.insert(0, str(ROOT / "tests"))
from roles_truth import NO_HUMANS, human_files, shuffled, truth_of

SEEDS = 5
BAR = 0.90
LIMBS = tuple(f"{side}_{part}" for side in SIDES for part in LIMB_ROLES)


def nameless(skeleton: Skeleton, rng: np.random.Generator) -> tuple[Skeleton, dict[int, int]]:
    """Return the body with joints J0...Jn and siblings in another order, and the map from old to new joints."""
    order = shuffled(skeleton.parents, rng)
    place = {old: new for new, old in enumerate(order)}
    parents = [-1 if skeleton.parents[old] < 0 else place[int(skeleton.parents[old])] for old in order]
    labels = rng.permutation(len(order))
    sites = [EndSite(place[site.joint], site.offset) for site in skeleton.end_sites]
    return Skeleton([f"J{n}" for n in labels], parents, skeleton.offsets[order], sites), place


def wrong_roles(skeleton: Skeleton, truth: dict[str, str], only: tuple[str, ...] = ROLES) -> list[str]:
    """Return the roles that differ from the table; '?' matches anything."""
    found = {role: skeleton.names[joint] for role, joint in roles(skeleton).items()}
    return [
        role for role in only if truth[role] != "?" and found.get(role, "-").lower() != truth[role].lower()
    ]


def bodies(verdicts: Show) -> dict[str, tuple[Skeleton, dict[str, str], int]]:
    """Return each kind of skeleton once, with its table row and its number of files."""
    out: dict[tuple, tuple[str, Skeleton, dict[str, str], int]] = {}
    right = total = 0
    unread: Counter[str] = Counter()
    for file in human_files(require_data()):
        truth = truth_of(file)
        try:
            skeleton = load(each_animation(require_data() / file)[0]).skeleton
        except SegueError as error:
            unread[file.rpartition(".")[2]] += 1
            if "cannot be read" not in str(error):
                verdicts.note(f"{file}: {error}")
            continue
        total += 1
        wrong = wrong_roles(skeleton, truth)
        right += not wrong
        if wrong:
            found = roles(skeleton)
            reported = [f"{role}={skeleton.names[found[role]] if role in found else '-'}" for role in wrong]
            verdicts.note(f"{file}: wrong {', '.join(reported)}")
        key = (skeleton.names, tuple(skeleton.parents), file.rpartition("/")[0])
        name, first, row, count = out.get(key, (file, skeleton, truth, 0))
        out[key] = (name, first, row, count + 1)
    for ending, count in unread.items():
        verdicts.note(f"{count} .{ending} files with a body cannot be read yet")
    verdicts.check(
        "files with a body whose every role is right", f"{right} of {total}", f"{total}", right == total
    )
    return {name: (skeleton, row, count) for name, skeleton, row, count in out.values()}


def by_shape(verdicts: Show, kinds: dict[str, tuple[Skeleton, dict[str, str], int]]) -> None:
    """Remove names and order, and count."""
    score: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for file, (skeleton, truth, _) in kinds.items():
        missed: Counter[str] = Counter()
        before = Counter(score)
        for seed in range(SEEDS):
            bare, place = nameless(skeleton, np.random.default_rng(seed))
            found = roles(bare)
            joint_of = {name.lower(): place[joint] for joint, name in enumerate(skeleton.names)}
            for role in ROLES:
                if truth[role] in {"?", "-"}:
                    continue
                right = joint_of[truth[role].lower()]
                kind = "limb" if role in LIMBS else "trunk"
                score[f"{kind} asked"] += 1
                if found.get(role) == right:
                    score[f"{kind} right"] += 1
                    continue
                if kind == "limb":
                    side, _, part = role.partition("_")
                    missed[role] += 1
                    parts[part] += 1
                    score["other side"] += (
                        found.get(f"{'right' if side == 'left' else 'left'}_{part}") == right
                    )
        gained = score - before
        sure = found.confidence.get("left_knee", 0.0)
        verdicts.note(
            f"{file:<46} {gained['limb right']:>3} of {gained['limb asked']:<3}, confidence {sure:.2f}  "
            + ", ".join(f"{role} x{n}" for role, n in missed.items())
        )
    share = score["limb right"] / score["limb asked"]
    label = f"limb roles right, {len(kinds)} bodies x {SEEDS} seeds"
    verdicts.check(label, f"{100 * share:.1f} %", f">= {100 * BAR:.0f} %", share >= BAR)
    verdicts.note(
        f"{score['limb right']} of {score['limb asked']}; misses by part: {dict(parts)}; "
        f"trunk roles {score['trunk right']} of {score['trunk asked']} (no bar)"
    )
    verdicts.check("of the misses on the other side of the body", score["other side"], "= 0")


def no_people(verdicts: Show) -> None:
    """Check that chains, cubes and a fox have no roles."""
    people = []
    asked = 0
    for path in sorted(path for pattern in NO_HUMANS for path in require_data().glob(pattern)):
        try:
            found = roles(load(each_animation(path)[0]).skeleton)
        except SegueError:
            continue
        asked += 1
        people += [path.name] if all(role in found for role in NEEDED) else []
    verdicts.check("chains, cubes, foxes taken for people", f"{len(people)} of {asked}", 0, not people)


def main(verdicts: Show) -> None:
    """Print counts, bars and verdicts."""
    warnings.simplefilter("ignore")
    kinds = bodies(verdicts)
    print(f"Roles by shape: joints renamed J0...Jn, siblings shuffled, {SEEDS} seeds a body")
    by_shape(verdicts, kinds)
    no_people(verdicts)


if __name__ == "__main__":
    run(main, "Roles by name, on every file that holds a body")
