"""Pages that play motions: safe, small, repeatable; and the HTML for notebooks."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import FileError
from segue.motion.samples import sample
from segue.pictures.player import page as pages
from segue.pictures.player.notebook import motion_of, notebook_html
from segue.pictures.player.page import as_json, film_page
from segue.synthesis.loop import loop

ROOT = Path(__file__).resolve().parents[3]
NASTY = "</script><img src=x onerror=alert(1)>\"'&\u2028"


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """Build the client if its sources are newer."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "client.py")], check=True)
    pages.script.cache_clear()


def test_a_page_holds_everything_and_forbids_the_network(tmp_path: Path) -> None:
    """The page names no address; its policy allows two scripts and one style by their digests and nothing else."""
    text = film_page([sample("walk")], tmp_path / "walk.html")
    assert (tmp_path / "walk.html").read_text("utf-8") == text
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    loader = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    for code in (loader, pages.script()):
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "http:" not in outside
    assert "https:" not in outside
    assert len(text) < 400_000


def test_the_script_carries_the_notice_of_three() -> None:
    """A page with three.js contains its copyright and permission notice."""
    assert "three.js authors" in pages.script()[:2000]
    assert "Permission is hereby granted" in pages.script()[:2000]


def test_the_same_motion_gives_the_same_page() -> None:
    """A page contains no date and no random value."""
    assert film_page([sample("walk")]) == film_page([sample("walk")])


def test_names_with_markup_stay_text() -> None:
    """A name cannot close the element around it, in the page or in the frame of a notebook."""
    clip = sample("walk").with_motion(name=NASTY)
    text = film_page([clip])
    assert "<img src=x" not in text
    assert text.count("<script") == text.count("</script>") == 3
    shown = notebook_html(clip)
    assert "<img src=x" not in shown
    assert shown.count("<iframe") == 1


@given(st.text())
def test_json_in_a_script_is_json_and_no_markup(name: str) -> None:
    """Any name is restored unchanged, and no markup character is left."""
    text = as_json({"name": name})
    assert json.loads(text) == {"name": name}
    assert not set("<>&\u2028\u2029") & set(text)


def test_without_the_built_client_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the client the error says what to do."""
    monkeypatch.setattr(pages, "_BUILT", "built/nothing.js")
    pages.script.cache_clear()
    with pytest.raises(FileError, match=r"python scripts/client\.py"):
        film_page([sample("walk")])
    assert notebook_html(sample("walk")) is None
    pages.script.cache_clear()


def test_a_notebook_gets_a_frame_over_a_picture() -> None:
    """A clip and a loop have HTML: a still picture, and over it a frame that may only run scripts."""
    for thing in (sample("walk"), loop(sample("walk"))):
        shown = thing._repr_html_()
        assert shown.index("data:image/png;base64,") < shown.index("<iframe")
        assert 'sandbox="allow-scripts"' in shown
        assert len(shown) < 500_000


def test_what_has_no_motion_keeps_its_text() -> None:
    """An object without a clip has no HTML."""
    assert motion_of("text") is None
    assert notebook_html("text") is None


def test_importing_segue_loads_no_player() -> None:
    """The player is registered by `import segue` and loaded when a notebook first needs it."""
    code = "import segue, sys; print([m for m in sys.modules if 'pictures' in m or m in ('numpy', 'matplotlib')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
