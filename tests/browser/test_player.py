"""The player in a real browser, opened from disk with the network off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from browser_pages import PLAYER, visit, visited
from segue.motion.clip import Origin
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.motion.samples import sample
from segue.pictures.player.notebook import notebook_html
from segue.pictures.player.page import film_page
from segue.synthesis.splice import splice
from segue.transitions.selection import transition_points

MOVES = (
    f"new Promise(done => {{ const {{ clock }} = {PLAYER};"
    " const look = () => clock.frame > 0 ? done() : setTimeout(look, 20); look(); })"
)
BACK = (
    "new Promise(done => { kept.addEventListener('ready', () => done(kept.player.clock.frame), { once: true });"
    " document.body.append(kept); })"
)
NASTY = "<img src=x onerror=document.title=1><b>run</b>"


@pytest.fixture(scope="module")
def spliced():
    walk, turn = sample("walk"), sample("walk_turn_left")
    turn = turn.with_motion(name=NASTY, origin=Origin.of(NASTY, turn.n_frames))
    return splice(walk, turn, transition_points(walk, turn)[0])


@pytest.fixture(scope="module")
def page(spliced, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("player") / "spliced.html"
    film_page([spliced], path, title=NASTY)
    return path


def test_joints_stand_where_they_stand_here(spliced, page: Path) -> None:
    """At ten times, on frames and between them, every joint of the page is within 0.1 mm of the one computed here."""
    times = np.linspace(0.0, spliced.seconds, 10)
    answer = visit(page, *(f"{PLAYER}.worldPositions(0, {seconds!r})" for seconds in times.tolist()))
    fine = resampled(spliced, 8 * spliced.fps)
    ours = world_positions(fine)
    for seconds, values in zip(times, answer["values"], strict=True):
        theirs = np.array(values).reshape(-1, 3)
        place = seconds * fine.fps
        low = min(int(place), fine.n_frames - 1)
        high = min(low + 1, fine.n_frames - 1)
        expected = ours[low] + (place - low) * (ours[high] - ours[low])
        assert np.linalg.norm(theirs - expected, axis=1).max() < 1e-4


def test_keys_play_step_scrub_and_switch(page: Path, spliced) -> None:
    """Space, arrows, Home, End, N, brackets, L, T, P, O, F, X and the question mark do what the list of keys states."""
    state = (
        "(({ clock, trails, planted, onion }) => [clock.playing, clock.frame, clock.looping, trails, planted, onion, "
        f"clock.ranged])({PLAYER})"
    )
    seam = film_seam(spliced)
    steps = [
        f"document.querySelector('segue-player').focus(), {PLAYER}.clock.playing = false",
        {"press": "Home"},
        {"press": "ArrowRight"},
        {"press": "ArrowRight"},
        {"press": "ArrowLeft"},
        state,
        *({"press": key} for key in ("l", "t", "p", "o", "n")),
        state,
        {"press": "]"},
        {"press": "End"},
        state,
        {"press": "x"},
        "document.querySelector('segue-player').dataset.theme",
        {"press": "?"},
        "document.querySelector('segue-player').shadowRoot.querySelector('.help').hidden",
        {"press": " "},
        MOVES,
        state,
    ]
    answer = visit(page, *steps)
    _, stepped, switched, ended, theme, hidden, _, played = answer["values"]
    assert stepped == [False, 1, True, True, True, False, False]
    assert switched == [False, seam, False, False, False, True, False]
    assert ended == [False, spliced.n_frames - 1, False, False, False, True, True]
    assert (theme, hidden) == ("light", False)
    assert played[0]
    assert 0 < played[1] < seam


def film_seam(clip) -> int:
    from segue.pictures.origins import joins

    return joins(clip)[0].frame


def test_names_with_markup_are_shown_as_text(page: Path) -> None:
    """Title, lanes, list of seams and badge show the name letter by letter; no element is created, no script runs."""
    root = "document.querySelector('segue-player').shadowRoot"
    answer = visit(
        page,
        f"[{root}.querySelectorAll('img, header b').length, document.title]",
        f"[...{root}.querySelectorAll('.title, .named, .names')].map(one => one.textContent)",
    )
    (images, title), texts = answer["values"]
    assert images == 0
    assert title == NASTY
    assert texts.count(NASTY) == 2
    assert f"walk → {NASTY}" in texts


def test_a_body_is_drawn_and_stays_in_view(page: Path, tmp_path: Path) -> None:
    """The stage shows orange, blue and grey, at every size; no joint ever leaves the picture, also during playback."""
    inside = (
        "(p => { let worst = 0; for (let k = 0; k <= 20; k++) { p.worldPositions(0, p.clock.length * k / 20);"
        " const { stage } = p.seats[0]; stage.look(); const camera = stage.view.camera; camera.updateMatrixWorld();"
        " for (let j = 0; j < p.reels[0].body.skeleton.names.length; j++) {"
        " const at = stage.view.target.clone().set(...stage.jointPosition(p.seats[0].character, j)).project(camera);"
        f" worst = Math.max(worst, Math.abs(at.x), Math.abs(at.y)); }} }} return worst; }})({PLAYER})"
    )
    for width, height in ((960, 540), (390, 700)):
        picture = tmp_path / f"{width}.png"
        answer = visit(page, inside, width=width, height=height, picture=str(picture))
        assert answer["values"][0] < 0.97
        assert picture.stat().st_size > 20_000


def test_two_motions_play_in_step(tmp_path: Path) -> None:
    """Two bodies share one clock and one camera; the shorter motion waits at its end."""
    film_page([sample("walk", seconds=2.0), sample("run", seconds=3.0)], tmp_path / "ab.html")
    answer = visit(
        tmp_path / "ab.html",
        f"{PLAYER}.worldPositions(0, 3.0).slice(0, 3)",
        f"{PLAYER}.turn(0.4, 0.1)",
        f"{PLAYER}.seats.map(one => one.stage.view.heading)",
        "document.querySelector('segue-player').shadowRoot.querySelectorAll('canvas').length",
    )
    last, _, headings, canvases = answer["values"]
    assert last == pytest.approx(sample("walk", seconds=2.0).root_positions[-1].tolist(), abs=1e-4)
    assert headings[0] == headings[1]
    assert canvases == 2


def test_a_notebook_cell_plays_and_keeps_a_picture_without_scripts(tmp_path: Path) -> None:
    """The frame of a cell plays the clip; without scripts the still picture is displayed."""
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><body>{notebook_html(sample('walk'))}</body>", "utf-8")
    seen = "document.querySelector('img').naturalWidth"
    on, off = visited(
        [
            {"url": cell.as_uri(), "steps": [seen], "wait": "document.querySelector('iframe') != null"},
            {"url": cell.as_uri(), "scripts": False, "picture": str(tmp_path / "off.png")},
        ]
    )
    assert on["faults"] == off["faults"] == []
    assert on["values"][0] > 0
    assert not [line for line in on["console"] if "Content Security Policy" in line]


def test_a_stage_gives_everything_back(page: Path) -> None:
    """Removed from the page the player stops and releases its stage; put back it starts again where it was."""
    steps = (
        f"{PLAYER}.seek(1.0)",
        "window.kept = document.querySelector('segue-player'); kept.remove(); kept.player === null",
        BACK,
    )
    answer = visit(page, *steps)
    assert answer["values"][1] is True
    assert answer["values"][2] >= 60


def test_a_hundred_dancers_share_one_mesh(page: Path) -> None:
    """A hundred characters are added, posed and drawn in one draw call a pass, and poses allocate no geometry."""
    code = f"""(async p => {{
        const {{ stage, reel }} = p.seats[0];
        const many = Array.from({{ length: 99 }}, () => stage.addCharacter(reel.body, {{ watched: false }}));
        const pose = reel.motion.poses.slice(0, 3 + 4 * reel.motion.joints);
        const before = stage.renderer.info.memory.geometries;
        many.forEach((one, k) => {{
            pose[0] = k % 10 - 5;
            pose[2] = Math.floor(k / 10) - 5;
            stage.setPose(one, pose);
        }});
        stage.draw();
        const calls = stage.renderer.info.render.calls;
        for (let k = 0; k < 3; k++) many.forEach(one => stage.setPose(one, pose));
        stage.draw();
        const after = stage.renderer.info.memory.geometries;
        many.forEach(one => stage.removeCharacter(one));
        stage.draw();
        return [calls, after - before];
    }})({PLAYER})"""
    calls, grown = visit(page, code, width=240, height=160)["values"][0]
    assert calls < 20
    assert grown == 0
