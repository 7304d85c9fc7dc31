"""A BVH whose ROOT is a hand, a foot or the head is re-rooted at the pelvis when it is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.arrays import Positions
from segue.io import load, save
from segue.io.bvh_raw import rehung
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget import retarget

WALK = sample("walk", fps=30.0)


def hung_at(name: str, *, call: dict[str, str] | None = None) -> Clip:
    """The walk on the same joints with another root; ``call`` renames some joints."""
    body = WALK.skeleton
    made = rehung(body, WALK.rotations, WALK.root_positions, body.index(name))
    names = [(call or {}).get(each, each) for each in made.names]
    skeleton = Skeleton(names, made.parents, made.offsets, made.end_sites)
    return Clip(skeleton, made.rotations, made.roots, WALK.fps, name="walk")


def common(a: Clip, b: Clip) -> Positions:
    """Distances (F, N) between the common joints of two clips."""
    names = [name for name in a.skeleton.names if name in b.skeleton.names]
    rows = [[clip.skeleton.index(name) for name in names] for clip in (a, b)]
    out: Positions = np.linalg.norm(world_positions(a)[:, rows[0]] - world_positions(b)[:, rows[1]], axis=2)
    return out


ROOTS = ("Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot", "LeftToeBase", "RightForeArm", "LeftLeg")


@pytest.mark.parametrize("root", ROOTS)
def test_a_tree_is_hung_up_at_the_pelvis(root: str, tmp_path: Path) -> None:
    """World positions are kept, a note reports it, and every role is found."""
    odd = hung_at(root)
    assert odd.skeleton.names[0] == root
    assert common(odd, WALK).max() < 1e-9
    save(odd, tmp_path / "odd.bvh")
    again = load(tmp_path / "odd.bvh")
    assert again.skeleton.names[0] == "Hips"
    assert any(
        f"the root is {root!r}; the tree was re-rooted at 'Hips'" in note for note in again.source.notes
    )
    assert common(again, WALK).max() < 1e-6
    found = roles(again.skeleton)
    assert again.skeleton.names[found["pelvis"]] == "Hips"
    ours = {role: again.skeleton.names[joint] for role, joint in found.items()}
    theirs = {role: WALK.skeleton.names[joint] for role, joint in roles(WALK.skeleton).items()}
    for role, name in theirs.items():
        if role not in {"spine", "chest", "neck"}:
            assert ours[role] == name, role


@pytest.mark.parametrize("root", ROOTS)
def test_what_was_hung_up_is_written_and_carried_over(root: str, tmp_path: Path) -> None:
    """The written tree is rooted at the pelvis and comes back; retargeted, hands are where a walk's are."""
    save(hung_at(root), tmp_path / "odd.bvh")
    clip = load(tmp_path / "odd.bvh")
    save(clip, tmp_path / "again.bvh")
    again = load(tmp_path / "again.bvh")
    assert again.skeleton.names == clip.skeleton.names
    assert np.abs(world_positions(again) - world_positions(clip)).max() < 1e-6
    made = retarget(clip, WALK.skeleton)
    assert common(made, WALK).max() < 0.05


def test_a_tree_whose_pelvis_has_no_name_hangs_where_the_legs_meet(tmp_path: Path) -> None:
    """Without a joint called hips the legs decide, also if one of them carries the rest."""
    for root in ("Head", "LeftFoot", "RightHand"):
        save(hung_at(root, call={"Hips": "Joint7"}), tmp_path / "odd.bvh")
        assert load(tmp_path / "odd.bvh").skeleton.names[0] == "Joint7"


@pytest.mark.parametrize("root", ["Hips", "Spine", "Spine1", "Neck"])
def test_other_roots_stay(root: str, tmp_path: Path) -> None:
    """A tree rooted in the trunk is read unchanged."""
    odd = WALK if root == "Hips" else hung_at(root)
    save(odd, tmp_path / "odd.bvh")
    again = load(tmp_path / "odd.bvh")
    assert again.skeleton.names[0] == root
    assert not any("re-rooted" in note for note in again.source.notes)
