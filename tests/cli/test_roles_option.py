"""`--roles`: joint roles set by the user apply wherever files are read, and are kept in record and replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import segue as package
from segue.app.measuring import measure_file
from segue.errors import FileError, SettingError
from segue.io import load, save
from segue.motion.clip import Clip
from segue.motion.reference import with_roles
from segue.motion.roles import given, roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


def nameless(name: str) -> Clip:
    """An embedded clip whose joints are named J0, J1 ..., with one thigh twice as long as the other."""
    clip = sample(name, fps=30.0)
    body = clip.skeleton
    offsets = np.array(body.offsets)
    offsets[body.index("LeftLeg")] *= 2.0
    odd = Skeleton([f"J{n}" for n in range(body.n_joints)], body.parents, offsets, body.end_sites)
    return Clip(odd, clip.rotations, clip.root_positions, clip.fps, name=name)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Three such clips."""
    (tmp_path / "odd").mkdir()
    for name in ("walk", "stop", "start"):
        save(nameless(name), tmp_path / "odd" / f"{name}.bvh")
    return tmp_path / "odd"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with their roles."""
    found = roles(sample("walk").skeleton)
    path = tmp_path / "roles.toml"
    path.write_text("".join(f'{role} = "J{joint}"\n' for role, joint in found.items()), "utf-8")
    return path


def test_load_takes_a_file_or_a_mapping(odd: Path, path: Path) -> None:
    """Both set the roles and leave the file's unit as found."""
    plain = load(odd / "walk.bvh")
    by_file, by_mapping = (
        load(odd / "walk.bvh", roles=path),
        load(odd / "walk.bvh", roles={"left_knee": "J2"}),
    )
    assert "left_knee" not in roles(plain.skeleton)
    assert set(roles(by_file.skeleton).how.values()) == {"given"}
    assert by_mapping.skeleton.roles_given == (("left_knee", "J2"),)
    assert by_file.source is not None
    assert plain.source is not None
    assert by_file.source.metres_per_unit == plain.source.metres_per_unit


def test_load_names_file_and_joint(odd: Path) -> None:
    """A joint that does not exist is reported with the nearest names."""
    with pytest.raises(
        FileError, match=r"walk.bvh: its roles cannot be set as given: no joint is called 'J77'; nearest"
    ):
        package.load(odd / "walk.bvh", roles={"left_knee": "J77"})


def test_a_walk_needs_and_keeps_them(segue: Callable, odd: Path, path: Path) -> None:
    """Without roles the walk is refused; with them it is made, and its record replays it without the file."""
    words = ("wander", odd, "--seconds", 3, "--threshold", "50", "--no-check", "-o", "out.bvh")
    without = segue(*words)
    assert without.code == 2
    assert "role" in without.err
    result = segue(*words, "--roles", path)
    assert result.code == 0, result.err
    record = json.loads((odd.parent / "out.origin.json").read_text("utf-8"))
    assert record["settings"]["make"]["roles"]["left_knee"].startswith("J")
    path.unlink()
    again = segue("replay", "out.origin.json", "-o", "again.bvh")
    assert again.code == 0, again.err
    assert "the same motion" in again.out
    assert segue("measure", "out.bvh").code == 0
    found = measure_file(odd.parent / "out.bvh")
    assert set(roles(found.motion.skeleton).how.values()) == {"given"}


def test_every_command_that_reads_takes_them(segue: Callable, odd: Path, path: Path) -> None:
    """info reports them; stitch, compare, convert and measure need them, and film accepts them."""
    info = segue("info", odd, "--no-copies", "--json")
    assert all("left_knee" not in clip["roles"] for clip in info.document["clips"])
    info = segue("info", odd, "--no-copies", "--json", "--roles", path)
    assert {clip["scheme"] for clip in info.document["clips"]} == {"given"}
    pair = (odd / "walk.bvh", odd / "stop.bvh")
    one = (odd / "walk.bvh", "--roles", path)
    for words in (
        ("stitch", *pair, "--roles", path, "-o", "s.bvh"),
        ("compare", *pair, "--roles", path, "--threshold", "50"),
        ("convert", odd, "--roles", path, "--skeleton", "sample:walk", "-o", "out"),
        ("measure", *one),
        ("film", *one, "--count", 3, "-o", "f.png"),
    ):
        result = segue(*words)
        assert result.code == 0, (words, result.err)
        if words[0] != "film":
            result = segue(*[word for word in words if word not in ("--roles", path)], *_force(words))
            assert result.code == 2, words
            assert "role" in result.err


def test_sequences_need_and_keep_them(segue: Callable, odd: Path, path: Path) -> None:
    """Cutting takes and making sequences, offline and live, fail without roles; records replay both."""
    (odd.parent / "dance.toml").write_text(
        'sources = ["moves.toml"]\n[[motions]]\nmotion = "walk 1"\nat = 1.0\n[[motions]]\nmotion = "walk 2"\n',
        "utf-8",
    )
    (odd.parent / "asked.csv").write_text("seconds,command,motion\n0.5,play,walk 1\n", "utf-8")
    live = (
        "sequence",
        "live",
        "moves.toml",
        "--script",
        "asked.csv",
        "--idle",
        odd / "stop.bvh",
        "--seconds",
        4,
    )
    for words in (
        ("sequence", "propose", odd / "walk.bvh", "-o", "moves.toml"),
        ("sequence", "info", "moves.toml"),
        ("sequence", "make", "dance.toml", "-o", "dance.bvh"),
        (*live, "-o", "live.bvh"),
    ):
        without = segue(*words)
        assert without.code == 2, words
        assert "role" in without.err
        result = segue(*words, "--roles", path)
        assert result.code == 0, (words, result.err)
    path.unlink()
    for name in ("dance", "live"):
        again = segue("replay", f"{name}.origin.json", "-o", f"{name} again.bvh")
        assert again.code == 0, again.err
        assert "the same motion" in again.out
        assert segue("measure", f"{name}.bvh").code == 0


def _force(words: tuple) -> tuple[str, ...]:
    return ("--force",) if "-o" in words else ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("left_knee = 3", "a role takes one joint name in quotes"),
        ('knee = "LeftLeg"', "'knee' is no role; nearest:"),
        ("", "gives no role"),
        ("\x00", "is no TOML"),
        ('left_knee = "Joint7"', "no body has a joint called 'Joint7'; nearest:"),
        ('left_knee = "LeftLeg"\nright_knee = "Joint7"', "no joint is called 'Joint7'"),
        ('left_knee = "LeftLeg"\nright_knee = "LeftLeg"', "it can fill one"),
    ],
)
def test_a_wrong_file_is_one_sentence(segue: Callable, tmp_path: Path, text: str, sentence: str) -> None:
    """The error comes before anything is written."""
    (tmp_path / "roles.toml").write_text(text, "utf-8")
    for words in (
        ("wander", "sample:walk", "-o", "x.bvh"),
        ("info", "sample:walk"),
        ("film", "sample:walk"),
        ("sequence", "propose", "sample:walk"),
    ):
        result = segue(*words, "--roles", "roles.toml")
        assert result.code == 2
        assert sentence in result.err
        assert len(result.err.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["roles.toml"]


def test_other_bodies_keep_what_was_found(tmp_path: Path) -> None:
    """Bodies without these joints keep the roles found, with a note."""
    save(sample("walk"), tmp_path / "walk.bvh")
    walk, odd_one = with_roles([load(tmp_path / "walk.bvh"), nameless("stop")], {"head": "J4"})
    assert walk.skeleton.roles_given == ()
    assert walk.source is not None
    assert "roles: as found; this body has none of the joints set by the user" in walk.source.notes
    assert odd_one.skeleton.roles_given == (("head", "J4"),)
    with pytest.raises(SettingError, match="no body has a joint called 'J4'"):
        with_roles([walk], {"head": "J4"})
    assert with_roles([walk], {"head": "J4"}, needed=False)[0].skeleton is walk.skeleton


def test_roles_outlast_npz(tmp_path: Path) -> None:
    """An NPZ file stores them."""
    walk = sample("walk")
    body = given(walk.skeleton, {"head": "", "left_toe": "LeftFoot", "left_ankle": ""})
    save(walk.with_skeleton(body), tmp_path / "walk.npz")
    assert load(tmp_path / "walk.npz").skeleton.roles_given == body.roles_given
