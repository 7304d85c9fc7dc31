"""Files that hold several animations: how they are named, listed and chosen."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gltf_files import chain, pack_of, turned
from segue.errors import FileError
from segue.io import gltf_document, load, load_folder, motion_files
from segue.io.animation_names import Animations, split_fragment, typed, without_prefix
from segue.io.formats import as_kept, in_full, one_animation

needs_fbx = pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")
PARTS = st.lists(st.text("ab|", min_size=1, max_size=6), min_size=1, max_size=8, unique=True)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Three animations with a common prefix."""
    return pack_of(("start", "walk", "stop"), tmp_path / "pack.glb")


@given(PARTS, st.sampled_from(["", "Rig|", "a|b|"]))
def test_short_names_are_unique_and_mean_what_full_ones_do(parts: list[str], prefix: str) -> None:
    """Both names find the same animation; a prefix is cut only if every name has it and it ends in a bar."""
    names = [prefix + part for part in parts]
    short = without_prefix(names)
    cut = len(names[0]) - len(short[0])
    assert len({name[:cut] for name in names}) == 1
    assert [name[cut:] for name in names] == short
    assert all(short)
    assert not cut or names[0][cut - 1] == "|"
    found = Animations(tuple(names), (True,) * len(names))
    for index, pair in enumerate(zip(names, short, strict=True)):
        assert {found.index(Path("a.glb"), word) for word in pair} == {index}


def test_only_a_prefix_up_to_a_bar_is_cut() -> None:
    """Common letters without a bar stay, as does a prefix that one name lacks or consists of."""
    assert without_prefix(["Walk_A", "Walk_B"]) == ["Walk_A", "Walk_B"]
    assert without_prefix(["Rig|Walk", "Rig|Run", "Idle"]) == ["Rig|Walk", "Rig|Run", "Idle"]
    assert without_prefix(["Rig|", "Rig|Run"]) == ["Rig|", "Rig|Run"]
    assert without_prefix(["Rig|Rig|Run", "Rig|Run"]) == ["Rig|Rig|Run", "Rig|Run"]
    assert without_prefix(["Rig|Walk"]) == ["Rig|Walk"]
    assert without_prefix([]) == []


def test_a_file_stands_for_all_its_animations(pack: Path) -> None:
    """Named directly or in a folder, a file gives all its animations; each has a short name and a path of its own."""
    paths = [Path(f"{pack}#{name}") for name in ("start", "walk", "stop")]
    assert motion_files([pack]) == motion_files([pack.parent]) == paths
    clips, skipped = load_folder([pack])
    assert [clip.name for clip in clips] == ["pack#start", "pack#walk", "pack#stop"]
    assert [clip.source.path for clip in clips] == list(map(str, paths))
    assert [clip.source.extra["animation"] for clip in clips] == ["Rig|start", "Rig|walk", "Rig|stop"]
    assert not skipped


def test_an_animation_named_twice_is_read_once(pack: Path) -> None:
    """It may be named by its full name, by its short name and with the complete file."""
    assert len(motion_files([f"{pack}#Rig|walk", f"{pack}#walk", pack])) == 3
    assert load(f"{pack}#Rig|walk").name == load(f"{pack}#walk").name == "pack#walk"
    assert in_full(Path(f"{pack}#walk")) == Path(f"{pack}#Rig|walk")


def test_one_clip_of_several_must_be_named(pack: Path) -> None:
    """The choices are listed as they can be typed, the nearest first if a name was wrong."""
    for path in (pack, f"{pack}#"):
        with pytest.raises(FileError) as error:
            load(path)
        assert str(error.value) == (
            f"{pack}: holds 3 animations; name one of them, as {pack}#start: start, walk, stop"
        )
        with pytest.raises(FileError, match="holds 3 animations"):
            one_animation(Path(pack))
    with pytest.raises(FileError, match=r"has no animation 'wlk'; it holds 3; .*#walk: walk, sta"):
        load(f"{pack}#wlk")
    many = Animations(tuple(f"A|Move {k}" for k in range(15)), (True,) * 15)
    with pytest.raises(FileError, match=r'holds 15 animations.*, as "p.glb#Move 0": Move 0, .* and 9 more$'):
        many.index(Path("p.glb"), None)


def test_names_with_slashes_are_found(tmp_path: Path) -> None:
    """Slashes that a path would normalise are kept in the names."""
    names = ("Moves/Walk", "Moves//Run/", "a/b", ".hidden", "Walk.001")
    file = chain()
    for name in names:
        file.json["animations"][-1]["name"] = name
        file.move(1, "rotation", [0, 1], turned("z", [0, 30]))
        file.json["animations"].append({"name": "", "channels": [], "samplers": []})
    file.json["animations"].pop()
    clips, skipped = load_folder([file.glb(tmp_path / "a.glb")])
    assert not skipped
    assert [clip.name for clip in clips] == [f"a#{name}" for name in names]


def test_a_file_of_one_animation_needs_no_name(tmp_path: Path) -> None:
    """Its name is also accepted, with or without the part before the bar; another name is refused."""
    path = pack_of(("walk",), tmp_path / "one.glb")
    assert motion_files([path]) == [path]
    assert load(path).name == load(f"{path}#walk").name == load(f"{path}#Rig|walk").name == "one"
    with pytest.raises(
        FileError, match=r"has no animation 'run'; it holds one, 'Rig\|walk', and needs no #NAME"
    ):
        load(f"{path}#run")
    with pytest.raises(FileError, match="no name follows the #"):
        load(f"{path}#")


def test_a_file_in_which_one_animation_moves_is_that_animation(tmp_path: Path) -> None:
    """Animations that move nothing are not offered."""
    file = chain()
    file.json["animations"].append({"name": "nod", "channels": [], "samplers": []})
    file.move(2, "rotation", [0, 2], turned("x", [0, 30]))
    path = file.glb(tmp_path / "a.glb")
    assert motion_files([path]) == [path]
    clip = load(path)
    assert (clip.name, clip.seconds, clip.source.extra["animation"]) == ("a", 2.0, "nod")
    assert "animation 'nod'; the file also holds move" in clip.source.notes
    with pytest.raises(FileError, match="moves no node"):
        load(f"{path}#move")


def test_what_was_kept_without_a_name_is_the_first_that_moves(pack: Path) -> None:
    """Records and libraries of earlier versions mean that animation."""
    assert as_kept(pack) == f"{pack}#start"
    assert as_kept(f"{pack}#Rig|walk") == f"{pack}#Rig|walk"
    assert as_kept("walk.bvh") == "walk.bvh"


def test_names_that_a_shell_would_take_apart_are_quoted() -> None:
    """Other names stay unquoted."""
    assert typed("a b.glb#Walk") == '"a b.glb#Walk"'
    assert typed("clips/a.glb#T-Pose") == "clips/a.glb#T-Pose"


def test_a_name_behind_a_file_of_one_motion_is_explained(tmp_path: Path) -> None:
    """Only some formats hold several animations; a missing file is reported as missing."""
    path = tmp_path / "walk.bvh"
    path.write_text("")
    for read in (load, lambda word: motion_files([word])):
        with pytest.raises(FileError, match=r"walk\.bvh holds one motion, and #NAME is for \.fbx, \.glb"):
            read(f"{path}#x")
        with pytest.raises(FileError, match="no such file"):
            read(f"{tmp_path}/run.bvh#x")
    odd = tmp_path / "a.glb#b.glb"
    odd.write_bytes(b"")
    assert split_fragment(odd) == (odd, None)


def test_a_file_is_parsed_once_however_many_animations_it_holds(
    pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clips are the same as if read one by one, and a changed file is parsed again."""
    parsed: list[Path] = []
    known = gltf_document._parsed
    monkeypatch.setattr(gltf_document, "_parsed", lambda *given: parsed.append(given[0]) or known(*given))
    clips, _ = load_folder([pack])
    assert len(clips) == 3
    assert parsed == [pack]
    for clip in clips:
        monkeypatch.setattr(gltf_document, "_last", None)
        alone = load(clip.source.path)
        assert (alone.rotations == clip.rotations).all()
        assert (alone.root_positions == clip.root_positions).all()
    parsed.clear()
    pack_of(("run", "walk", "stop"), pack)
    assert [clip.name for clip in load_folder([pack])[0]] == ["pack#run", "pack#walk", "pack#stop"]
    assert len(parsed) == 1


def test_real_files(data: Path) -> None:
    """KayKit's names lose their rig; the fox keeps its names."""
    fox = [path.name for path in motion_files([data / "gltf/bevy/Fox.glb"])]
    assert fox == ["Fox.glb#Survey", "Fox.glb#Walk", "Fox.glb#Run"]
    clips, _ = load_folder([data / "gltf/kaykit"])
    assert len(clips) == len({clip.name for clip in clips}) == 53
    assert clips[6].name == "Med_General#Idle_A"
    assert not any("|" in clip.name for clip in clips)


@needs_fbx
def test_takes_of_an_fbx_file(data: Path) -> None:
    """Each animation stack is a clip; where one clip is asked for, one must be named."""
    path = data.parent / "found/public/c2-014-f06_two_clips.fbx"
    clips, skipped = load_folder([path])
    assert [clip.name.partition("#")[2] for clip in clips] == ["Walk", "Run"]
    assert [clip.n_frames for clip in clips] == [31, 46]
    assert not skipped
    assert load(f"{path}#Run").seconds == 1.5
    with pytest.raises(FileError, match=r"holds 2 animations; name one of them, as .*#Walk: Walk, Run"):
        load(path)
    with pytest.raises(FileError, match=r"has no animation 'Rum'; it holds 2; .*: Run, Walk"):
        load(f"{path}#Rum")


@needs_fbx
def test_an_fbx_file_of_one_take_needs_no_name(data: Path) -> None:
    """The name is accepted if given; another is refused."""
    path = data / "fbx/assimp/huesitos.fbx"
    assert motion_files([path]) == [path]
    assert load(path).name == load(f"{path}#Action").name == "huesitos"
    with pytest.raises(FileError, match=r"has no animation 'x'; it holds one, 'Armature\|Action'"):
        load(f"{path}#x")
