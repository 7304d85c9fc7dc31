"""Machine code was read from a folder in the system's shared temporary folder, whoever had put it there.

Damaged files of machine code ended in a traceback or an abort, and the caller's compiler settings were changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from segue.accel import compiler

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="kernels run interpreted")

CODE = """
import hashlib, segue
print(hashlib.sha256(segue.world_positions(segue.sample("walk", 30)).tobytes()).hexdigest())
"""
BOMB = b"cos\nmkdir\n(S'%s'\ntR."
"""A pickle that creates a folder in the process that loads it."""


def run(code: str, cache: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in its own process with a machine code folder."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "XDG_CACHE_HOME": str(cache), **settings},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Folder of machine code as a first process leaves it, and the output of that process."""
    cache = tmp_path_factory.mktemp("machine-code")
    first = run(CODE, cache)
    assert first.returncode == 0, first.stderr
    assert list(cache.rglob("*.kernel"))
    return cache, first.stdout


def planted(folder: Path, names: list[str], mark: Path) -> None:
    """Put a pickle in place of machine code, with the digest that its reader expects."""
    import hashlib

    folder.mkdir(parents=True)
    bomb = BOMB % str(mark).encode()
    for name in names:
        (folder / name).write_bytes(hashlib.sha256(bomb).digest() + bomb)
        (folder / name).with_suffix(".nbi").write_bytes(bomb)


def test_reading_machine_code_loads_nothing_that_only_compiling_needs(compiled: tuple[Path, str]) -> None:
    """Half a second of every command went into compiler support for numpy, random numbers and dictionaries."""
    cache, expected = compiled
    heavy = ("numba.np.linalg", "numba.np.arraymath", "numba.typed.typeddict", "scipy.linalg")
    done = run(f"import sys\n{CODE}\nprint([name for name in {heavy} if name in sys.modules])", cache)
    assert done.stdout == f"{expected}[]\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root makes files of others")
@pytest.mark.parametrize("owned", ["segue", "kernels"])
def test_code_planted_by_another_user_is_refused_and_reported(
    owned: str, compiled: tuple[Path, str], tmp_path: Path
) -> None:
    """Machine code in another user's folder is not loaded, and the command still works."""
    cache, expected = compiled
    names = [file.name for file in cache.rglob("*.kernel")]
    kernels = next(cache.glob("segue/kernels-*")).name
    shared, mark = tmp_path / "shared", tmp_path / "mark"
    planted(shared / "segue" / kernels, names, mark)
    for place in [shared / "segue" / kernels, *([shared / "segue"] if owned == "segue" else [])]:
        os.chown(place, 12345, 12345)
    run_again = run(CODE, shared)
    assert run_again.stdout == expected, run_again.stderr
    assert not mark.exists()
    assert "belongs to another user" in run_again.stderr
    assert "XDG_CACHE_HOME" in run_again.stderr


@pytest.mark.parametrize("place", ["segue", "segue/kernels", "."])
def test_a_folder_that_everybody_can_write_is_not_used(
    place: str, compiled: tuple[Path, str], tmp_path: Path
) -> None:
    """A folder whose parent others can write to is not used either."""
    cache, expected = compiled
    shared, mark = tmp_path / "shared", tmp_path / "mark"
    kernels = next(cache.glob("segue/kernels-*")).name
    planted(shared / "segue" / kernels, [file.name for file in cache.rglob("*.kernel")], mark)
    (shared / place.replace("kernels", kernels)).chmod(0o777)
    again = run(CODE, shared)
    assert again.stdout == expected, again.stderr
    assert not mark.exists()
    assert "others can write" in again.stderr


def test_a_folder_with_the_sticky_bit_holds_a_private_one(tmp_path: Path) -> None:
    """In a sticky folder, such as the system's temporary folder, nobody can move another user's folder."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    again = run("from segue.accel.compiler import folder; print(folder())", shared)
    folder = Path(again.stdout.strip())
    assert folder.is_relative_to(shared), again.stderr
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.parent.stat().st_mode & 0o777 == 0o700


def test_nothing_is_read_from_the_shared_temporary_folder(compiled: tuple[Path, str], tmp_path: Path) -> None:
    """If the cache folder cannot be created, kernels are compiled for the process, and this is reported."""
    cache, expected = compiled
    mark, temporary, blocked = tmp_path / "mark", tmp_path / "tmp", tmp_path / "a-file"
    blocked.write_text("no folder", "utf-8")
    kernels = next(cache.glob("segue/kernels-*")).name
    planted(temporary / f"segue-{kernels}", [file.name for file in cache.rglob("*.kernel")], mark)
    again = run(CODE, blocked, TMPDIR=str(temporary))
    assert again.stdout == expected, again.stderr
    assert not mark.exists()
    assert "cannot be cached" in again.stderr
    assert [path.name for path in temporary.iterdir()] == [f"segue-{kernels}"]


def damaged(kind: str, file: Path) -> None:
    """Apply one kind of damage to a file of machine code."""
    content = file.read_bytes()
    file.unlink()
    if kind == "folder":
        file.mkdir()
        return
    made = {
        "cut": content[: len(content) // 2],
        "one bit": content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
        "garbage": bytes(range(256)) * 50,
        "empty": b"",
        "digest alone": content[:32],
        "head gone": content[40:],
    }[kind]
    file.write_bytes(made)


@pytest.mark.parametrize(
    "kind", ["cut", "one bit", "garbage", "empty", "digest alone", "head gone", "folder"]
)
def test_damaged_machine_code_is_compiled_again(
    kind: str, compiled: tuple[Path, str], tmp_path: Path
) -> None:
    """Recompilation is silent with an equal result, and damaged files are repaired where possible."""
    cache, expected = compiled
    copy = tmp_path / "cache"
    shutil.copytree(cache, copy)
    files = list(copy.rglob("*.kernel"))
    for file in files:
        damaged(kind, file)
    again = run(CODE, copy)
    assert again.returncode == 0, again.stderr
    assert again.stdout == expected
    assert not again.stderr
    if kind != "folder":
        assert all(
            file.read_bytes()[:32] == (cache / file.relative_to(copy)).read_bytes()[:32]
            or file.stat().st_size > 1000
            for file in files
        )
    assert sorted(path.name for path in files[0].parent.iterdir()) == sorted(file.name for file in files)


def test_settings_of_the_compiler_stay_the_callers(tmp_path: Path) -> None:
    """The caller's own compiled functions are cached where the caller chose, for the processor numba detects."""
    (tmp_path / "mine.py").write_text(
        "import numba\n@numba.njit(cache=True)\ndef double(x):\n    return x + x\n", "utf-8"
    )
    code = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
import numba
from numba.core.codegen import get_host_cpu_features
before = {{name: getattr(numba.config, name) for name in dir(numba.config) if name.isupper()}}
import segue, mine
segue.world_positions(segue.sample("walk", 30))
mine.double(2.0)
after = {{name: getattr(numba.config, name) for name in dir(numba.config) if name.isupper()}}
assert before == after, [name for name in after if before.get(name) != after[name]]
assert mine.double.targetctx.codegen().magic_tuple()[2] == get_host_cpu_features()
"""
    again = run(code, tmp_path / "cache", NUMBA_CACHE_DIR=str(tmp_path / "theirs"))
    assert again.returncode == 0, again.stderr
    assert list((tmp_path / "theirs").rglob("*double*"))
    assert not list((tmp_path / "theirs").rglob("*forward*"))
    assert not list((tmp_path / "cache").rglob("*double*"))


def test_machine_code_that_nobody_uses_is_removed(tmp_path: Path) -> None:
    """A new version of the kernels removes old folders when it creates its own; other folders and recent ones stay."""
    base = tmp_path / "segue"
    names = {
        "kernels-0123456789abcdef": 90,
        "kernels-fedcba9876543210": 5,
        "kernels-of-mine": 90,
        "other": 90,
    }
    for name, days in names.items():
        (base / name).mkdir(parents=True)
        (base / name / "file").touch()
        then = time.time() - days * 86400
        os.utime(base / name, (then, then))
    base.chmod(0o700)
    again = run("from segue.accel.compiler import folder; print(folder())", tmp_path)
    made = Path(again.stdout.strip()).name
    assert {path.name for path in base.iterdir()} == {*names, made} - {"kernels-0123456789abcdef"}


def test_a_relative_cache_folder_is_not_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative XDG_CACHE_HOME is ignored, as its specification requires."""
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.chdir(tmp_path)
    assert not compiler.wanted_folder().is_relative_to(tmp_path)
