"""Tables and drawings that ended in a traceback, in hours of work or in gigabytes."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.directing import DirectRequest, read_asked
from segue.app.steer_record import ground_words
from segue.app.steering import read_script, steer_chase, steer_path, steer_script
from segue.errors import FileError, NoTransitionError, SegueError, SettingError
from segue.graph.goals import Goals
from segue.graph.search.directed import direct
from segue.io.ground_paths import read_ground_path
from segue.learning.labels import read_labels
from segue.library.labels import Extent
from segue.library.labels import read_labels as read_label_table
from segue.library.transition_files import read_mogra
from segue.locomotion.build import build_locomotion
from segue.locomotion.model import Locomotion
from segue.maths.paths import GroundPath
from segue.runtime.heights import bumps
from segue.runtime.steered.player import Command, LocomotionPlayer

LONG = ("9" * 5000, "1" + "0" * 400, "²", "1e300", "nan", "a" * 140_000, '"1', "\0", "1_0", "0x1F")


@pytest.fixture(scope="module")
def model() -> Locomotion:
    """A locomotion model that walks and stands."""
    return build_locomotion([segue.sample(name) for name in ("walk", "walk_slow", "start", "stop")])


def bounded(read: Callable[[], object], size: int) -> None:
    """A call gives one sentence or a result, within bounds of time and memory."""
    tracemalloc.start()
    begun = time.process_time()
    text = ""
    try:
        read()
    except SegueError as error:
        text = str(error)
    finally:
        peak, seconds = tracemalloc.get_traced_memory()[1], time.process_time() - begun
        tracemalloc.stop()
    assert "\n" not in text
    assert len(text) < 600
    assert peak <= 64e6 + 30 * size
    assert seconds <= 4 * (2.0 + size / 1e6)  # tracing memory takes time


@pytest.mark.parametrize("word", LONG)
def test_every_table_refuses_an_odd_cell_with_its_line(tmp_path: Path, word: str, model: Locomotion) -> None:
    """Paths, scripts, pointers, grounds and both kinds of labels follow the same rules."""
    file = tmp_path / "a.csv"

    def refused(text: str, read: Callable[[Path], object]) -> None:
        file.write_text(text, "utf-8")
        with pytest.raises(FileError, match=r"a\.csv:2: ") as error:
            read(file)
        assert len(str(error.value)) < 500

    refused(f"x,z\n0,{word}\n1,2\n", read_ground_path)
    refused(f"seconds,type,speed,turn\n0,walk,{word},0\n", lambda path: read_script(path, model))
    refused(f"x,z,type,speed\n0,{word},walk,1\n0,3,walk,1\n", lambda path: steer_path(model, path))
    refused(f"seconds,x,z\n0,{word},1\n1,2,3\n", lambda path: steer_chase(model, path))
    refused(f"x,z,height\n0,0,{word}\n", lambda path: ground_words(str(path)))
    refused(f"clip,frame,clip,frame,good|bad\nwalk,{word},run,3,good\n", read_labels)
    refused(
        f"clip,start_frame,stop_frame,label\nwalk,{word},9,x\n",
        lambda path: read_label_table(path, {"walk": Extent(100, 30.0)}),
    )
    refused(f"Transitions: 1 walk run\n{word} 3\n", lambda path: read_mogra(path, {"walk": 9, "run": 9}))


@pytest.mark.parametrize(
    ("drawn", "size"),
    [
        ("T1 1 ", 500_000),
        ("z", 500_000),
        ("M1 1", 200_000),
        ("l1 1 ", 200_000),
        ("A1 1 0 0 0 1 1 ", 200_000),
        (" ", 1_000_000),
        ("9", 1_000_000),
        ("1 ", 200_000),
    ],
)
def test_drawings_of_many_pieces_are_bounded(tmp_path: Path, drawn: str, size: int) -> None:
    """Four megabytes of curves took two gigabytes."""
    file = tmp_path / "a.svg"
    file.write_text(f"<svg><path d='M0 0 {drawn * (size // len(drawn))}'/></svg>")
    bounded(lambda: read_ground_path(file), size)


@pytest.mark.parametrize(
    "text",
    [
        "<svg>" + "<g>" * 200_000,
        "<svg>" + "<g/>" * 200_000 + "</svg>",
        '<!DOCTYPE s [<!ENTITY a "b">]><svg><path d="M0 0L1 &a;"/></svg>',
        "<svg><path d='M0 0L1e300 1'/></svg>",
        "<svg><path d='M0 0" + "l1e12 1" * 4000 + "'/></svg>",
        "<svg><path d='M0 0A1e-300 1e-300 1e300 0 0 1 1'/></svg>",
        "<svg><path id='" + "x" * 100_000 + "'/></svg>",
        "<svg>" + "".join(f"<path id='p{k}'/>" for k in range(20_000)) + "</svg>",
        "<svg",
        "",
    ],
)
def test_drawings_of_odd_elements_are_bounded(tmp_path: Path, text: str) -> None:
    """Depth, numbers, names and entities are limited to what a drawing can need."""
    file = tmp_path / "a.svg"
    file.write_text(text)
    bounded(lambda: read_ground_path(file), len(text))
    bounded(lambda: read_ground_path(f"{file}#none"), len(text))


def test_an_arc_that_is_nearly_straight_keeps_its_end(tmp_path: Path) -> None:
    """Arcs with zero radii, with equal ends and with turns of many rounds are arcs too."""
    file = tmp_path / "a.svg"
    for arc, end in (
        ("A1e-320 5 0 0 1 300 0", 3.0),
        ("A5 5 1e11 1 0 300 0", 3.0),
        ("a0 0 0 0 0 300 0", 3.0),
    ):
        file.write_text(f"<svg><path d='M0 0{arc}'/></svg>")
        points = read_ground_path(file).points
        assert np.isfinite(points).all()
        assert points[-1].tolist() == [end, 0.0]


def test_paths_that_nobody_gets_along_are_refused_before_long_work(tmp_path: Path) -> None:
    """Ten kilometres were searched without end, and 1e300 m ended in a traceback."""
    file = tmp_path / "p.csv"
    for far in ("1e300", "1e7", "-1e12", "60000"):
        file.write_text(f"0,0\n{far},0\n")
        with pytest.raises(SegueError, match=r"give a number|lies within|nobody gets farther"):
            read_asked(DirectRequest(path=str(file)))
    with pytest.raises(SettingError, match="finite metres"):
        GroundPath.through([[0, 0], [1e300, 1e300]])
    graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_turn_left")])
    with pytest.raises(
        NoTransitionError, match=r"10,000 m long: the fastest motion .* a walk lasts up to 3600"
    ):
        direct(graph, Goals(path=GroundPath.through([[0, 0], [0, 10_000]])), budget=0.1)


def test_a_long_path_ends_soon_after_its_budget() -> None:
    """A coarse round reaches the end of 200 m in the time that the first round took for a part of it."""
    graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_turn_left")], feet="free")
    direct(graph, Goals(path=GroundPath.through([[0, 0], [0, 3]])), budget=0.1)
    begun = time.process_time()
    made = direct(graph, Goals(path=GroundPath.through([[0, 0], [0, 200]])), budget=0.1)
    assert time.process_time() - begun < 5.0
    assert made.off.mean() < 0.3
    again = direct(
        graph, Goals(path=GroundPath.through([[0, 0], [0, 200]])), budget=None, most_states=made.best_at
    )
    assert again.walk.plan == made.walk.plan


def test_a_path_is_steered_in_time_proportional_to_it(model: Locomotion) -> None:
    """Five kilometres took hours; a path that takes longer than a steered motion may last is refused with the time."""
    head = "x,z,type,speed\n0,0,walk,1.2\n"
    steer_path(model, "p.csv", text=f"{head}0,5,walk,1.2\n")
    taken = []
    for far in (50, 250):
        begun = time.process_time()
        made = steer_path(model, "p.csv", text=f"{head}0,{far},walk,1.2\n")
        taken.append((time.process_time() - begun) / made.clip.n_frames)
        assert made.standing[-1].place[1] == pytest.approx(far, abs=0.5)
    assert taken[1] < 3 * taken[0]
    with pytest.raises(FileError, match=r"p\.csv:3: 'stand' gets nowhere"):
        steer_path(model, "p.csv", text=f"{head}0,2,stand,1\n0,4,walk,1\n")
    for far, why in ((5000, "takes this walker"), (900_000, "100,000 m at most")):
        with pytest.raises(FileError, match=why):
            steer_path(model, "p.csv", text=f"{head}0,{far},walk,1.2\n")


@pytest.mark.parametrize(
    "rows",
    [
        "0,walk,9e29,20",
        "0,walk,1,1e308",
        "1e9,walk,1,0",
        "0,walk,-101,0",
        "-1,walk,1,0",
        "0,walk,1,0\n0,stand,0,0",
    ],
)
def test_wishes_that_nobody_can_have_are_refused(model: Locomotion, rows: str) -> None:
    """Speeds, turns and times are bounded where they are read, and the line is named."""
    with pytest.raises(FileError, match=r"^s\.csv:[23]: "):
        read_script("s.csv", model, text=f"seconds,type,speed,turn\n{rows}\n")


def test_the_wildest_wishes_that_are_read_give_rotations(model: Locomotion) -> None:
    """For any wish that is read, every pose holds unit quaternions."""
    rows = "0,walk,100,3600\n0.3,stand,-100,-3600\n0.5,walk,-100,3600\n0.500001,walk,0.000001,0"
    commands = read_script("s.csv", model, text=f"seconds,type,speed,turn\n{rows}\n")
    made = steer_script(model, commands, fps=30.0)
    assert np.allclose(np.linalg.norm(made.clip.rotations, axis=-1), 1.0, atol=1e-9)
    for speed in (9e29, float("nan"), -2e6):
        with pytest.raises(SettingError, match="a command holds finite numbers up to 1e"):
            LocomotionPlayer(model).step(0.1, Command("walk", speed))


@pytest.mark.parametrize(
    ("seconds", "fps"), [(1.0, 1e9), (1.0, 0.0), (3600.0, 1000.0), (1e9, 60.0), (1.0, float("nan"))]
)
def test_frames_of_a_steered_motion_are_counted_before_they_are_made(
    model: Locomotion, seconds: float, fps: float
) -> None:
    """A rate of a billion frames a second asked for endless arrays."""
    with pytest.raises(SettingError, match="a steered motion"):
        steer_script(model, [(0.0, Command("walk"))], fps=fps, seconds=seconds)


def test_grounds_are_grids_of_finite_heights(tmp_path: Path) -> None:
    """Repeated, missing and invalid heights are named; the size of bumps is bounded."""
    file = tmp_path / "g.csv"
    for rows, why in (
        ("0,0,0\n0,1,0\n1,0,0\n1,1,1e9\n", r"g\.csv:5: height is '1e9'"),
        ("0,0,0\n0,1,0\n1,0,0\n1,1,0\n1,1,2\n", r"g\.csv:6: there is a height at x 1, z 1 already"),
        ("0,0,0\n0,1,0\n1,0,0\n", "no height at x 1, z 1"),
        ("".join(f"{k},{k},0\n" for k in range(3000)), "no height at x 0, z 1"),
    ):
        file.write_text(f"x,z,height\n{rows}")
        with pytest.raises(FileError, match=why):
            ground_words(str(file))
    for height, length in ((0.0, 1e-320), (1e300, 1e301), (float("nan"), 1.0)):
        with pytest.raises(SettingError, match="bumps are"):
            bumps(height, length)
