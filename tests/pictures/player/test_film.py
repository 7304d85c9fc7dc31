"""The document of a film: seams, feet, trails, and refusals."""

from __future__ import annotations

import base64
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from segue.errors import SettingError
from segue.io.mannequin import mannequin
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.pictures.player.bodies import packed_body
from segue.pictures.player.film import MOST, film
from segue.synthesis.splice import splice
from segue.transitions.selection import transition_points

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def spliced():
    walk, run = sample("walk"), sample("walk_turn_left")
    return splice(walk, run, transition_points(walk, run)[0])


def test_seams_and_pieces_are_those_of_the_origin(spliced) -> None:
    """One splice has one seam between two pieces, which cover the motion."""
    given = film([spliced])["motions"][0]
    assert [(seam["from"], seam["to"]) for seam in given["seams"]] == [("walk", "walk_turn_left")]
    assert [piece["name"] for piece in given["pieces"]] == ["walk", "walk_turn_left"]
    assert given["pieces"][0]["start"] == 0
    assert given["pieces"][0]["stop"] == given["pieces"][1]["start"] == given["seams"][0]["frame"]
    assert given["pieces"][1]["stop"] == spliced.n_frames


def test_planted_feet_stand_on_the_floor_of_the_sample() -> None:
    """The sample's feet are planted on a floor at 0, left and right alternately, along the body's path."""
    given = film([sample("walk")])["motions"][0]
    assert abs(given["floor"]) < 0.005
    assert {plant["side"] for plant in given["planted"]} == {"left", "right"}
    assert all(plant["start"] < plant["stop"] for plant in given["planted"])


def test_motions_of_one_body_share_it() -> None:
    """Two motions of one skeleton contain its mesh once."""
    walk = sample("walk")
    made = film([walk, walk.with_motion(name="again")])
    assert len(made["bodies"]) == 1
    assert [one["body"] for one in made["motions"]] == [0, 0]
    assert made["title"] == "walk and again"


@pytest.mark.parametrize("count", [0, MOST + 1])
def test_none_and_too_many_are_refused(count: int) -> None:
    """A page plays one to four motions."""
    with pytest.raises(SettingError, match="1 to 4 motions"):
        film([sample("walk")] * count)


def test_a_body_without_legs_is_shown_too() -> None:
    """A non-human skeleton has bones, no planted feet and no trails."""
    from segue.motion.clip import Clip

    arm = Skeleton(("base", "tip"), [-1, 0], [[0, 0, 0], [0, 0.5, 0]])
    clip = Clip(arm, np.tile([1.0, 0, 0, 0], (3, 2, 1)), np.zeros((3, 3)), 30)
    given = film([clip])["motions"][0]
    assert (given["planted"], given["trails"], given["floor"]) == ([], [], 0.0)


def test_the_packed_body_is_the_mannequin() -> None:
    """The packed bytes hold its positions, joints, weights, parts and triangles, to rounding."""
    skeleton = sample("walk").skeleton
    figure, given = mannequin(skeleton), packed_body(skeleton)
    raw = zlib.decompress(base64.b64decode(given["data"]))
    count, triangles = given["vertices"], given["triangles"]
    kinds = (("<i2", 3 * count), ("<i1", 3 * count), ("<u2", 2 * count), ("u1", count), ("u1", count))
    at, arrays = 0, []
    for kind, length in (*kinds, ("<u2", 3 * triangles)):
        arrays.append(np.frombuffer(raw, kind, length, at))
        at += arrays[-1].nbytes
    assert at == len(raw)
    assert arrays[0].reshape(-1, 3) * given["step"] == pytest.approx(figure.positions, abs=given["step"])
    assert (arrays[2].reshape(-1, 2) == figure.joints).all()
    assert arrays[3] / 255 == pytest.approx(figure.weights[:, 0], abs=0.002)
    assert (arrays[4] == figure.parts).all()
    assert (arrays[5].reshape(-1, 3) == figure.triangles).all()


def test_left_limbs_are_the_left_ones() -> None:
    """Vertices on joints of left limbs are part 1, of right limbs part 2, of the head part 0."""
    skeleton = sample("walk").skeleton
    figure, found = mannequin(skeleton), roles(skeleton)
    for role, part in (
        ("left_knee", 1),
        ("right_elbow", 2),
        ("left_wrist", 1),
        ("right_ankle", 2),
        ("head", 0),
    ):
        assert set(figure.parts[figure.joints[:, 0] == found[role]].tolist()) == {part}


def fields(source: str, interface: str) -> set[str]:
    body = re.search(rf"interface {interface} {{(.*?)\n}}", source, re.DOTALL)
    assert body is not None, interface
    return set(re.findall(r"readonly (\w+)\??:", re.sub(r"\{[^{}]*\}", "", body[1])))


def test_the_page_declares_the_same_document(spliced) -> None:
    """Every name that Python writes is declared in TypeScript, and every declared name is written."""
    made = film([spliced])
    given = made["motions"][0]
    source = (ROOT / "client" / "player" / "src" / "film.ts").read_text("utf-8")
    stage = "".join(file.read_text("utf-8") for file in (ROOT / "client" / "stage" / "src").glob("*.ts"))
    assert fields(source, "Film") == set(made)
    assert fields(source, "FilmMotion") == set(given)
    assert fields(source, "Seam") == set(given["seams"][0])
    assert fields(source, "Piece") == set(given["pieces"][0])
    assert fields(source, "Planted") == set(given["planted"][0])
    assert fields(stage, "PackedBody") == set(made["bodies"][0])
    assert fields(stage, "PackedMotion") | {"error"} == set(given["motion"])
