"""The convert command: output, streams and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from segue.cli import app
from segue.cli.convert import trim_of, unit_of
from segue.errors import SettingError
from segue.io import load, save
from segue.motion.samples import sample


def run(*words: str) -> Result:
    """Run `segue convert` with these words."""
    return CliRunner().invoke(app, ["convert", *words])


def test_one_document_and_notes_apart(tmp_path: Path) -> None:
    """Good files are listed on stdout and bad ones on stderr; exit code 2 means that some failed."""
    save(sample("walk"), tmp_path / "walk.bvh")
    (tmp_path / "bad.bvh").write_text("HTML")
    done = run(str(tmp_path), "-o", str(tmp_path / "out"), "--to", "npz", "--fps", "30", "--json")
    assert done.exit_code == 2
    document = json.loads(done.stdout)
    assert [Path(one["to"]).name for one in document["written"]] == ["walk.npz"]
    assert document["written"][0]["fps"] == 30
    assert "HIERARCHY" in document["failed"][0]["why"]
    assert "bad.bvh:1" in done.stderr
    assert "1 of 2 motions could not be converted" in done.stderr


def test_a_stretch_in_another_unit(tmp_path: Path) -> None:
    """All options apply together."""
    out = tmp_path / "part.bvh"
    words = (
        "--trim",
        "0.5:1",
        "--unit",
        "m",
        "--up",
        "z",
        "--in-place",
        "--fps",
        "24",
        "--skeleton",
        "sample:run",
    )
    done = run("sample:walk", "-o", str(out), *words)
    assert done.exit_code == 0, done.output
    assert "13 frames" in done.stdout
    assert "24 fps" in done.stdout
    clip = load(out)
    assert clip.source is not None
    assert (clip.source.metres_per_unit, clip.source.up, clip.n_frames) == (1.0, "Z", 13)


def test_load_options_reach_the_file(cases: Path, tmp_path: Path) -> None:
    """Options correct a wrong rate and names in another encoding."""
    slow, names = cases / "case166-bvh-time-fps-override.bvh", cases / "case065-bvh-names-shift-jis.bvh"
    assert run(str(slow), "-o", str(tmp_path / "fast.bvh"), "--in-fps", "120").exit_code == 0
    assert load(tmp_path / "fast.bvh").fps == 120
    assert run(str(names), "-o", str(tmp_path / "no.bvh")).exit_code == 2
    assert run(str(names), "-o", str(tmp_path / "yes.bvh"), "--encoding", "cp932").exit_code == 0
    assert load(tmp_path / "yes.bvh").skeleton.n_joints == 3
    words = ("--in-unit", "cm", "--in-up", "Y", "--root-position", "absolute")
    assert run(str(slow), "-o", str(tmp_path / "said.bvh"), *words).exit_code == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("0.5:2", (0.5, 2.0)), ("1:", (1.0, None)), (":.5", (None, 0.5)), (None, (None, None))],
)
def test_stretches_as_people_write_them(text: str | None, wanted: tuple[float | None, float | None]) -> None:
    """Either end may be left out."""
    assert trim_of(text) == wanted


@pytest.mark.parametrize("text", ["", ":", "5", "a:b", "1:2:3", "-1:2", "1..2:3"])
def test_other_stretches_are_refused(text: str) -> None:
    """The error shows the three valid forms."""
    with pytest.raises(SettingError, match=r"0\.5:2, 0\.5: or :2"):
        trim_of(text)


def test_units_by_name_or_number() -> None:
    """A unit is a short name or metres; the error lists the names."""
    assert [unit_of(text, "--unit") for text in ("cm", "IN", "0.05", None)] == [0.01, 0.0254, 0.05, None]
    with pytest.raises(SettingError, match="dm, cm, mm"):
        unit_of("furlong", "--unit")


def test_root_motion_comes_back_on_the_command_line(tmp_path: Path) -> None:
    """Clips in place travel; others are written unchanged and named."""
    walk = sample("walk")
    spot = walk.with_motion(root_positions=walk.root_positions * [0.0, 1.0, 0.0], name="spot")
    (tmp_path / "in").mkdir()
    for clip in (walk, spot):
        save(clip, tmp_path / "in" / f"{clip.name}.npz")
    done = run(str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--root-motion", "--json")
    rows = {Path(row["from"]).stem: row["root_motion"] for row in json.loads(done.stdout)["written"]}
    assert rows == {"spot": True, "walk": False}
    assert "walk.npz: is not in place; its root stays as it is" in done.stderr
    assert abs(load(tmp_path / "out" / "spot.bvh").root_positions[-1, 2]) > 7.0
