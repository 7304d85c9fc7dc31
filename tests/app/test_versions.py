"""Records name the versions that made a motion, and replay reports those that differ."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

from segue.app import versions
from segue.app.record import read_record, sample_digest
from segue.app.replay import write_again
from segue.app.versions import Differing, differing, in_words, installed
from segue.errors import FileError
from segue.motion.samples import sample
from segue.settings import Settings


def edited(record, change):
    """Return the path of a record after a change to its document."""
    document = json.loads(record.read_text("utf-8"))
    change(document)
    record.write_text(json.dumps(document))
    return record


def test_a_record_names_the_versions(record):
    """Besides segue's version these are numpy, scipy and numba, as pip names them."""
    document = json.loads(record.read_text("utf-8"))
    assert document["libraries"] == {name: version(name) for name in ("numpy", "scipy", "numba")}
    assert read_record(record).libraries == document["libraries"]


def test_no_difference_where_the_same_versions_run(record, tmp_path):
    again = write_again(record, tmp_path / "again.bvh")
    assert again.same
    assert again.differing == ()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"segue": "0.0.9"}, ["segue"]),
        ({"libraries": {"numpy": "1.26.4"}}, ["numpy"]),
        (
            {"libraries": {"numpy": "1.26.4", "scipy": "1.9.0", "numba": "0.1.0"}},
            ["numpy", "scipy", "numba"],
        ),
        ({"segue": "", "libraries": {"numpy": ""}}, ["segue", "numpy"]),
        ({"libraries": {"torch": "1.0", "cupy": "13"}}, []),
        ({"libraries": {}}, []),
    ],
)
def test_replay_names_what_differs(record, tmp_path, given, names):
    """Each differing version is reported; libraries that no motion depends on are ignored."""
    again = write_again(edited(record, lambda d: d.update(given)), tmp_path / "again.bvh")
    assert again.same
    assert [one.name for one in again.differing] == names
    for one in again.differing:
        assert one.runs == (versions.__version__ if one.name == "segue" else version(one.name))
    written = json.loads((tmp_path / "again.origin.json").read_text("utf-8"))
    assert written["libraries"] == dict(installed())


def test_records_of_earlier_versions_are_read(record, tmp_path):
    """They name no libraries, and the motion is the same."""
    again = write_again(edited(record, lambda d: d.pop("libraries")), tmp_path / "again.bvh")
    assert again.same
    assert again.libraries == {}
    assert again.differing == ()


@pytest.mark.parametrize(
    "libraries", [["numpy"], {"numpy": 2}, {"numpy": None}, {"numpy": "9" * 65}, "numpy"]
)
def test_versions_that_are_none_are_refused(record, libraries):
    """A version is a short text; the error names the key."""
    with pytest.raises(FileError, match="libraries"):
        read_record(edited(record, lambda d: d.update(libraries=libraries)))


def test_a_library_without_metadata_is_left_out(monkeypatch):
    """A program that bundles numpy without its metadata makes records without its version."""

    def lost(name):
        if name == "numpy":
            raise versions.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(versions, "version", lost)
    found = installed.__wrapped__()
    assert dict(found) == {"scipy": "1.0", "numba": "1.0"}
    monkeypatch.setattr(versions, "installed", lambda: found)
    gone = differing(versions.__version__, {"numpy": "2.0.0", "scipy": "1.0"})
    assert in_words(gone) == "numpy 2.0.0 (here none)"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, ""),
        (1, "a 1 (here 2)"),
        (2, "a 1 (here 2) and b 1 (here 2)"),
        (3, "a 1 (here 2), b 1 (here 2) and c 1 (here 2)"),
    ],
)
def test_differences_in_words(count, words):
    assert in_words(tuple(Differing(name, "1", "2") for name in "abc"[:count])) == words


def test_what_a_terminal_obeys_is_escaped():
    """Records are edited by hand; a version must not control the terminal."""
    assert "\x1b" not in in_words((Differing("numpy", "1\x1b[2J", "2"),))


def test_versions_are_looked_up_without_importing():
    """Reading the versions loads none of numba, scipy and numpy."""
    code = (
        "import sys; from segue.app.versions import installed; assert len(installed()) == 3; "
        "assert not {'numba', 'scipy', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def of_samples(out, change):
    """Record of a motion made from embedded clips, with its first source changed."""
    from segue.app import stages

    collection = stages.read_in_order(["sample:walk", "sample:stop"])
    settings = Settings()
    _, motion = stages.make_stitch(collection, settings)
    record = stages.write(
        motion,
        out,
        collection=collection,
        command="wander",
        settings={"make": settings.document(), "walk": {"seconds": 2.0}},
    )
    return edited(record, lambda document: change(document, collection.clips[0]))


@pytest.mark.parametrize("signed", [False, True])
def test_samples_are_those_of_either_sign_of_zero(tmp_path, signed):
    """numpy 1.26 and 2 differ in the signs of zeros, which digests of earlier versions of segue distinguish."""

    def as_then(document, clip):
        document["sources"][0]["sha256"] = sample_digest(clip, signed=signed)

    record = of_samples(tmp_path / "made.bvh", as_then)
    assert write_again(record, tmp_path / "again.bvh").motion.n_frames


def test_no_zero_has_a_sign_in_the_digest_of_a_sample():
    """Minus zero and zero count as equal."""
    clip = sample("walk")
    rotations = np.round(clip.rotations, 9)
    assert (np.signbit(rotations) & (rotations == 0.0)).any()
    other = clip.with_motion(rotations=np.where(rotations == 0.0, 0.0, clip.rotations))
    assert sample_digest(other) == sample_digest(clip)
    assert sample_digest(other, signed=True) != sample_digest(clip, signed=True)


def test_another_sample_is_refused_by_the_versions(tmp_path):
    """The error names the versions that made it, if the record has them."""

    def changed(document, _):
        document["sources"][0]["sha256"] = "0" * 64
        document["libraries"]["numpy"] = "1.0"

    with pytest.raises(FileError, match=r"sample:walk: numpy 1\.0 \(here .*\) made the sample differently"):
        write_again(of_samples(tmp_path / "made.bvh", changed), tmp_path / "again.bvh")
