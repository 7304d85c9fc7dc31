"""Every kernel has a naive twin, is compiled to machine code, and is cached under a digest of all kernels."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.accel.compiler import KERNELS
from segue.costs.pruned import near
from segue.graph.search._kernels import follow
from segue.locomotion._kernels import blend_at, weights_at
from segue.locomotion.build import build_locomotion
from segue.maths._kernels import into_hull
from segue.maths.sequences import time_warp
from segue.runtime.steered._kernels import go_on, step, step_apart
from segue.runtime.steered.crowd import Crowd
from segue.runtime.steered.packing import in_blocks

PACKAGE = Path(segue.__file__).parent
FILES = sorted(PACKAGE.rglob("_kernels.py"))
for _path in FILES:
    import_module("segue." + ".".join(_path.relative_to(PACKAGE).with_suffix("").parts))

# Kernel: its loop in tests/naive, in the order of the formula.
TWINS = {
    "blending.fast_bands": "band.fast_band",
    "blending.raise_fast_band": "band.with_fast_band",
    "blending.seams_of_lengths": "foreseen.seam",
    "blending.warped_costs": "blend_lengths.timewarped",
    "costs.squared_gaps": "quaternions.matrix_product",
    "costs.slide": "dynamics.dynamics",
    "costs.absolute_sums": "costs.relative_distance",
    "costs.near_tiles": "engine.near_tiles",
    "costs.low_tiles": "engine.low_tiles",
    "costs.joint_angles": "joint_angle.summed",
    "search.follow": "follow.follow_path",
    "io.number_lines": "numbers.rows_of",
    "io.turned": "numbers.turn",
    "locomotion.blend_at": "steered.pose_at",
    "locomotion.weights_at": "steered.weights",
    "maths.cheapest_path": "sequences.cheapest",
    "maths.cheapest_in_band": "sequences.cheapest_in_band",
    "maths.into_hull": "steered.into_hull",
    "steered.go_on": "steered.Character",
    "steered.step": "steered.Character",
    "steered.step_apart": "steered.Character",
    "steered.step_many": "steered.crowd",
    "motion.attach": "quaternions.rotated",
    "motion.reach_ankles": "feet.reach",
    "motion.forward": "quaternions.world_by_matrices",
    "transitions.sector_minima": "minima.sector_minima",
    "feet.move_feet": "foot_moves.moves",
    "feet.slips": "foot_moves.slides",
    "feet.creeps": "foot_moves.farthest",
    "measures.seam_peaks": "seams.made_peaks",
    "transitions.keep_first": "minima.keep_first",
}
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def test_every_kernel_has_a_twin() -> None:
    """The table above names each kernel that other code calls, and no other."""
    assert set(TWINS) == {name for name in KERNELS if not name.split(".")[1].startswith("_")}


@pytest.mark.parametrize("kernel", TWINS)
def test_the_twin_exists_and_knows_nothing_of_the_package(kernel: str) -> None:
    """The twin is a function of a file that imports nothing of segue."""
    module, name = TWINS[kernel].split(".")
    twin = import_module(f"naive.{module}")
    assert callable(getattr(twin, name))


def test_twins_import_nothing_of_the_package() -> None:
    """A twin that called what it checks would prove nothing."""
    for path in (Path(__file__).parents[1] / "naive").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "segue"], path


def test_kernel_files_hold_only_kernels() -> None:
    """A decorator of `segue.accel` compiles every function of a kernel file, or inlines it into a compiled one."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                decorated = {ast.unparse(d) for d in node.decorator_list} & {
                    "kernel",
                    "fast_kernel",
                    "formula",
                }
                assert bool(decorated) == (path in FILES), f"{path}:{node.lineno}"


def test_fast_arithmetic_stays_in_cost_kernels() -> None:
    """Reordered sums are allowed only in cost kernels, where an error is stated."""
    for path in FILES:
        assert "fast_kernel" not in path.read_text("utf-8") or "costs" in path.relative_to(PACKAGE).parts, (
            path
        )


def test_fast_kernels_that_kernels_call_become_a_part_of_them() -> None:
    """Their names begin with an underscore; otherwise freshly compiled code and loaded code would differ."""
    functions = [
        node
        for path in FILES
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    fast = {node.name for node in functions if "fast_kernel" in {ast.unparse(d) for d in node.decorator_list}}
    called = {
        call.func.id
        for node in functions
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    assert fast & called, "no kernel calls another: this test sees nothing"
    assert all(name.startswith("_") for name in fast & called), sorted(fast & called)


def test_functions_of_accel_become_a_part_of_their_callers_too() -> None:
    """For the same reason kernels call them only by `register`, which inlines them."""
    calls = {}
    for path in (PACKAGE / "accel").glob("*.py"):
        names = {
            ast.unparse(n.func)
            for n in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(n, ast.Call)
        }
        calls[path.stem] = names & {"register", "overload", "intrinsic", "type_callable", "_lower"}
    written = {"formulas", "tiles", "cloud_tiles", "rotations"}
    assert {name for name, used in calls.items() if used == {"register"}} == written
    assert {name for name, used in calls.items() if used - {"register"}} == {"emitter"}


def test_the_page_lists_what_is_used() -> None:
    """The table of the page on compiled code names exactly the functions that other packages import from accel."""
    page = (Path(__file__).parents[2] / "docs/how/compiled-code.md").read_text("utf-8")
    cells = [row.split("|")[2] for row in page.splitlines() if row.startswith("| ") and "`" in row]
    listed = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    used = {
        alias.name
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "accel"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("segue.accel.")
        for alias in node.names
        if not alias.name.isupper()
    }
    assert listed == used


def test_tiles_stand_beside_their_meaning() -> None:
    """The code generator of a function follows its numpy definition directly."""
    seen = set()
    for name in ("tiles", "cloud_tiles", "rotations"):
        body = ast.parse((PACKAGE / f"accel/{name}.py").read_text("utf-8")).body
        for before, node in pairwise(body):
            for decorator in getattr(node, "decorator_list", []):
                if isinstance(decorator, ast.Call) and "register" in ast.unparse(decorator.func):
                    assert ast.unparse(decorator.args[0]) == getattr(before, "name", None), (
                        f"{name}:{node.lineno}"
                    )
                    seen.add(before.name)
    assert len(seen) >= 12


@pytest.mark.skipif(INTERPRETED, reason="kernels run interpreted")
def test_kernels_are_machine_code(tmp_path: Path) -> None:
    """After one pass over sample clips every kernel has a compiled signature and none fell back to object mode."""
    walk, stop = segue.sample("walk"), segue.sample("stop")
    for name in ("point_cloud", "joint_angle", "relative_distance"):
        for method in ("local", "sectors"):
            segue.transition_points(walk, stop, cost=segue.cost(name), method=method, threshold=1e9)
    stand = segue.sample("stand")
    for clip in (walk, stand):
        segue.cost_matrix(clip, clip, cost=segue.cost("point_cloud", weighting="dynamics"))
    clouds = [segue.cost("point_cloud").prepare(clip) for clip in (walk, stop)]
    near.low_pairs(clouds, cost=segue.cost("point_cloud"), threshold=0.01)
    segue.cost_matrix(walk, walk, cost=segue.cost("features"))
    centred = segue.cost("point_cloud", align="centre")
    centred.matrix(*(centred.prepare(clip) for clip in (walk, walk)))
    segue.save(walk, tmp_path / "walk.bvh")
    segue.load(tmp_path / "walk.bvh")
    segue.splice(
        walk, stop, segue.transition_points(walk, stop, threshold=1e9, mode="source")[0], length="timewarped"
    )
    segue.splice(walk, stop, segue.transition_points(walk, stop)[0], length="auto")
    segue.splice(walk, stop, segue.transition_points(walk, stop)[0], way="registration", feet="natural")
    time_warp([1.0, 2.0], [1.0, 2.0])
    crowd = Crowd(build_locomotion([walk]), 1)
    crowd.step(1 / 60)
    laid, state, command = crowd._packed, crowd._states[0], crowd._commands[0]
    out = np.empty(4 * walk.skeleton.n_joints + 3)
    step(laid.data, laid.index, state, command, 1 / 60, out)
    go_on(laid.data, laid.index, state, command, 1 / 60)
    step_apart(laid.data, laid.index, state, command, 1 / 60, np.empty((len(out) // 4, 4)), np.empty(3))
    row, ones, turn = (
        laid.index[laid.index[6] :][:16],
        np.ones(laid.most),
        in_blocks(np.eye(4)[:, :1], 16).ravel(),
    )
    weights_at(laid.data, row, np.ones(2), np.empty(laid.most), np.empty(laid.most), 0.1)
    full = np.tile(turn, laid.padded // 16)
    blend_at(laid.data, row, 0.5, ones, ones, full, np.empty(3 * laid.padded), np.empty(16))
    into_hull(np.zeros(2), np.eye(2), np.ones(2), np.zeros(2), 0.0)
    follow(
        np.zeros((1, 2), int),
        np.zeros((1, 5)),
        np.arange(2),
        np.ones((1, 4)),
        np.zeros(1, int),
        np.eye(2),
        np.zeros(2, int),
        1.0,
    )
    idle = [name for name in TWINS if not KERNELS[name].nopython_signatures]
    assert not idle
    assert not [n for n in TWINS if len(KERNELS[n].signatures) != len(KERNELS[n].nopython_signatures)]


def test_a_changed_kernel_changes_the_cache_folder(tmp_path: Path) -> None:
    """A kernel that calls code of another file must not load machine code compiled with the old version."""
    shutil.copytree(PACKAGE, tmp_path / "segue", ignore=shutil.ignore_patterns("__pycache__"))

    def folder() -> str:
        code = (
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
            "import segue.accel.compiler as cache; print(cache.wanted_folder())"
        )
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        return run.stdout.strip()

    before = folder()
    assert before == folder()
    seen = {before}
    for name in ("motion/_kernels.py", "accel/tiles.py", "accel/formulas.py"):
        with (tmp_path / "segue" / name).open("a", encoding="utf-8") as file:
            file.write("\n# changed\n")
        seen.add(folder())
    (tmp_path / "segue/accel/tiles.py").rename(
        tmp_path / "segue/accel/tiles_moved.py"
    )  # code on disk names modules
    seen.add(folder())
    assert len(seen) == 5
