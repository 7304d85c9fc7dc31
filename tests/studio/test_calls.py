"""The calls of the page, over HTTP."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

import segue
from segue.blending.ways import WAYS
from segue.costs.registry import COSTS
from segue.studio.calls import CALLS, PACKED_CALLS
from segue.studio.packing import unpacked

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_has_these_messages() -> None:
    """The page's type declarations are those generated from the server's messages."""
    from segue.studio.typescript import declarations

    assert (ROOT / "client/studio/src/wire.ts").read_text("utf-8") == declarations()


@pytest.mark.parametrize("name", PACKED_CALLS)
def test_a_packed_call_takes_what_it_says(name: str) -> None:
    """The function takes the message of the table and answers with bytes."""
    call = PACKED_CALLS[name]
    hints = get_type_hints(call.function)
    assert (hints["ask"], hints["return"]) == (call.ask, bytes)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_takes_and_gives_what_it_says(name: str) -> None:
    """The function's annotations are the messages of the table."""
    call = CALLS[name]
    hints = get_type_hints(call.function)
    assert (hints["ask"], hints["return"]) == (call.ask, call.answer)


def test_the_choices_are_those_of_the_registries(studio) -> None:
    """Costs, their weights and blend methods are those of the lower packages."""
    view = studio.call("project")
    assert [cost["name"] for cost in view["costs"]] == list(COSTS)
    assert view["methods"] == list(WAYS)
    for cost in view["costs"]:
        for word in cost["choices"]:
            assert segue.cost(cost["name"], **{cost["setting"]: word}).name == cost["name"]


def test_a_motion_comes_as_it_is(studio) -> None:
    """Poses are root and rotations of every frame, to float32 precision."""
    head, arrays = unpacked(studio.ask("GET", "/api/motion/clip:walk")[1])
    walk = segue.sample("walk")
    assert head["names"] == list(walk.skeleton.names)
    assert head["frames"] == walk.n_frames
    assert np.abs(arrays["poses"][:, :3] - walk.root_positions).max() < 1e-5
    assert np.abs(arrays["poses"][:, 3:].reshape(walk.rotations.shape) - walk.rotations).max() < 1e-6
    assert head["contacts"]["left_heel"]
    body = json.loads(studio.ask("GET", "/api/body/clip:walk")[1])
    assert body["vertices"] > 1000
    assert studio.ask("GET", "/api/thumbnail/clip:walk")[1].startswith(b"<svg")


def test_a_transition_is_found_made_measured_and_exported(studio) -> None:
    """Calls alone lead from two clips to a file with its record."""
    view = studio.call("compare", a="walk", b="walk_fast")
    values = unpacked(studio.ask("GET", f"/api/matrix/{view['id']}")[1])[1]["values"]
    assert values.shape == (view["rows"], view["columns"])
    point = view["points"][0]
    row, column = view["a_frames"].index(point["a_frame"]), view["b_frames"].index(point["b_frame"])
    assert values[row, column] == pytest.approx(point["cost"], abs=1e-5)
    at = {"id": view["id"], "a_frame": point["a_frame"], "b_frame": point["b_frame"]}
    made = studio.call("cross", **at)
    assert made["seam"]["start"] < made["seam"]["stop"]
    curves = studio.call("curves", **at)
    assert len(curves["foreseen"]) == len(curves["lengths"])
    assert {joint["role"] for joint in curves["joints"]} >= {"left_hip", "right_knee"}
    assert studio.call("poses", **at)["cost"] == pytest.approx(point["cost"])
    higher = studio.call("threshold", id=view["id"], threshold=1e9)
    assert len(higher["points"]) >= len(view["points"])
    assert higher["reach"] >= view["reach"]
    lanes = studio.call("measures", word=made["motion"]["word"])
    assert [lane["unit"] for lane in lanes["lanes"]] == ["cm/s", "cm/s", "m/s²", "m/s³"]
    done = studio.call("export", word=made["motion"]["word"], name="walk to fast", format=".bvh")
    assert done["files"] == ["walk to fast.bvh", "walk to fast.origin.json"]
    assert segue.load(studio.exports / "walk to fast.bvh").n_frames == made["motion"]["frames"]
    assert studio.ask("GET", "/exports/walk%20to%20fast.bvh")[0] == 200
    body = json.dumps({"word": made["motion"]["word"], "name": "walk to fast", "format": ".bvh"}).encode()
    status, answer, _ = studio.ask("POST", "/api/export", body)
    assert status == 422
    assert b"there already" in answer


def test_a_graph_is_built_as_a_job_and_walked(studio) -> None:
    """The job reports its stages; the walk's record reproduces the motion."""
    number = studio.call("build", clips=["walk", "walk_fast", "walk_slow"])["job"]
    for _ in range(600):
        job = next(one for one in studio.call("jobs")["jobs"] if one["id"] == number)
        if job["state"] != "running":
            break
        time.sleep(0.05)
    assert job["state"] == "done", job
    graph = studio.call("graph", graph=int(job["result"]))
    assert graph["reached"]
    assert graph["edges"]
    assert len(graph["nodes"]) > 2
    walk = studio.call("walk", graph=graph["graph"], seconds=5.0, seed=3)
    assert walk["motion"]["seconds"] == 5.0
    assert walk["stretches"][0]["at"] == 0.0
    studio.call("export", word=walk["motion"]["word"], name="walked", format=".bvh")
    from segue.app.replay import replay

    assert replay(studio.exports / "walked.origin.json")[3]
    floor = studio.call("floor", graph=graph["graph"], count=3, seconds=2.0)
    assert len(floor["motions"]) == 3


def test_a_file_that_is_dropped_is_a_clip(studio, tmp_path: Path) -> None:
    """A BVH is listed with its motion; an invalid file gives one sentence that names the file and no folder."""
    segue.save(segue.sample("run"), tmp_path / "dropped.bvh")
    answer = studio.ask("PUT", "/api/import/dropped.bvh", (tmp_path / "dropped.bvh").read_bytes())[1]
    assert json.loads(answer) == {"added": ["dropped"], "skipped": []}
    assert studio.call("clip", clip="dropped")["frames"] == segue.sample("run").n_frames
    status, answer, _ = studio.ask("PUT", "/api/import/broken.bvh", b"HIERARCHY\nnothing")
    assert status == 422
    assert "broken.bvh" in json.loads(answer)["error"]
    assert "/" not in json.loads(answer)["error"]
    assert studio.ask("PUT", "/api/import/tool.exe", b"MZ")[0] == 422


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("clip", {"clip": "<b>none</b>"}),
        ("compare", {"a": "walk", "b": "walk", "cost": "none"}),
        ("cross", {"id": 99, "a_frame": 0, "b_frame": 0}),
        ("label", {"clip": "walk", "text": "x", "start": 0, "stop": 5}),
        ("measures", {"word": "made:999"}),
        ("export", {"word": "clip:walk", "name": "x", "format": ".exe"}),
        ("cancel", {"job": 999}),
        ("walk", {"graph": 99}),
    ],
)
def test_what_cannot_be_done_is_one_sentence(studio, name: str, ask: dict[str, object]) -> None:
    """Every refusal carries a sentence for the user."""
    status, body, _ = studio.ask("POST", f"/api/{name}", json.dumps(ask).encode())
    assert status == 422
    assert len(json.loads(body)["error"]) > 20


def test_words_that_do_not_fit_are_refused(studio) -> None:
    """A call with a wrong or an unknown field is refused with the reason."""
    assert studio.ask("POST", "/api/clip", b'{"clip": 5}')[0] == 400
    assert studio.ask("POST", "/api/clip", b'{"clip": "walk", "more": 1}')[0] == 400
    assert studio.ask("POST", "/api/nothing", b"{}")[0] in {404, 405}
    assert studio.ask("GET", "/api/project")[0] in {404, 405}
