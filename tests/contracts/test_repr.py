"""The repr of an object is one line that identifies it."""

from __future__ import annotations

import pytest

import segue
from segue.synthesis.feet.seams import with_feet

OBJECTS = (
    "clip", "skeleton", "pose", "origin", "contacts", "graph", "report", "walk", "plan", "points", "matrix",
    "planted", "loop", "faults", "measures", "repaired", "prepared", "joins", "feet", "point", "roles", "seam",
    "threshold", "locomotion", "steered", "player", "crowd", "library", "entry", "checked",
)  # fmt: skip


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """One object of each type that a public function returns or a public object holds."""
    walk, stop = segue.sample("walk", 30.0), segue.sample("stop", 30.0)
    graph = segue.MotionGraph.build([walk, stop, segue.sample("start", 30.0)])
    walk_made, cost = graph.wander(seconds=4, seed=1), segue.cost("point_cloud")
    free = segue.render(walk_made, feet="free")
    points, walker = segue.transition_points(walk, stop), segue.build_locomotion([walk, stop])
    with segue.Library.open(tmp_path_factory.mktemp("repr") / "moves.segue") as library:
        library.add("sample:walk")
        entry, checked = library.entry("walk"), library.check()
    return {
        "clip": walk,
        "skeleton": walk.skeleton,
        "pose": walk.pose(0),
        "origin": free.origin,
        "contacts": segue.contacts(walk),
        "graph": graph,
        "report": graph.report,
        "walk": walk_made,
        "plan": walk_made.plan,
        "points": points,
        "point": points[0],
        "roles": segue.roles(walk.skeleton),
        "seam": segue.measure(free, sources=graph.clips).seams[0],
        "threshold": graph.report.threshold,
        "locomotion": walker,
        "steered": segue.LocomotionPlayer(walker),
        "player": segue.GraphPlayer(graph),
        "crowd": segue.GraphCrowd(graph, 2),
        "library": library,
        "entry": entry,
        "checked": checked,
        "matrix": segue.cost_matrix(walk, stop, cost=cost),
        "planted": segue.plant_feet(walk),
        "loop": segue.loop(walk),
        "faults": segue.find_faults(walk),
        "measures": segue.measure(walk),
        "repaired": segue.repair(walk),
        "prepared": cost.prepare(walk),
        "joins": graph.joins,
        "feet": with_feet(free, graph.clips, "natural"),
    }


@pytest.mark.parametrize("name", OBJECTS)
def test_a_repr_is_one_line(objects: dict[str, object], name: str) -> None:
    """It is in angle brackets, begins with the class name, and is short."""
    shown = repr(objects[name])
    assert shown.startswith(f"<{type(objects[name]).__name__}")
    assert shown.endswith(">")
    assert "\n" not in shown
    assert len(shown) <= 160
    assert set(objects) == set(OBJECTS)


def test_a_clip_says_how_long_it_is(objects: dict[str, object]) -> None:
    """The repr has its name, frames, rate and joints."""
    assert repr(objects["clip"]) == "<Clip 'walk' 181 frames, 30 fps, 21 joints>"
    assert repr(objects["skeleton"]) == "<Skeleton of 21 joints: Hips, Spine, Spine1 and 18 more>"


def test_a_point_says_where_it_leads(objects: dict[str, object]) -> None:
    """The repr has both clips with their frames, and the cost; roles count those found, locomotion its examples."""
    assert repr(objects["point"]).startswith("<TransitionPoint 'walk' frame ")
    assert repr(objects["roles"]) == "<Roles: 21 of 21, by Mixamo>"
    assert repr(objects["locomotion"]).startswith(
        "<Locomotion by speed and turn, examples: stand (1), walk ("
    )
