"""The server of a study: access, messages, and no hints about conditions or people."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from segue.app.studies.design import Part, Session, View, read_design
from segue.app.studies.motions import clips_of, make_plan
from segue.app.studies.people import PeopleRun
from segue.app.studies.stimuli import make_stimuli
from segue.library.answers import participants
from segue.library.library import Library
from segue.studio.packing import unpacked
from shown import shown

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Browser:
    """A participant's browser: cookies and requests."""

    port: int
    token: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: bytes | None = None, **more: str) -> tuple[int, bytes]:
        """Status and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"host": f"127.0.0.1:{self.port}", "origin": f"http://127.0.0.1:{self.port}"}
        headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, {**headers, **more})
        answer = connection.getresponse()
        content = answer.read()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.split(";")[0].strip('"')
                assert "HttpOnly" in value
                assert "samesite=strict" in value.lower()
        connection.close()
        return answer.status, content

    def call(self, name: str, /, **ask: Any) -> Any:
        """Answer of a successful call."""
        status, body = self.ask("POST", f"/api/{name}", json.dumps(ask).encode())
        assert status == 200, body
        return json.loads(body)

    def enters(self) -> Browser:
        """Open the address."""
        assert self.ask("GET", f"/?token={self.token}")[0] == 303
        return self


@dataclass(frozen=True)
class Served:
    """A study on its own port."""

    run: PeopleRun
    server: Any

    def browser(self) -> Browser:
        """A browser without cookies."""
        return Browser(self.server.guard.port, self.server.guard.token)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study of differences: its stimuli are pairs, and the right answer is known."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from segue.study.server import Stimuli, opened

    room = tmp_path_factory.mktemp("study")
    (room / "page").mkdir()
    (room / "page/index.html").write_text("<title>page</title>")
    session = Session(training=1, asked=("age group",), gap_seconds=0.0)
    design = replace(read_design("jnd-centre-aligned"), parts=(Part("", 1, "any"),), session=session)
    clips = clips_of(design)
    run = PeopleRun(make_plan(design, clips), room / "a.segue")
    stimuli = Stimuli(run.plan, make_stimuli(run.plan, clips))
    with shown("_studio").in_thread(
        lambda ready: opened(run, stimuli, page=room / "page", ready=ready)
    ) as server:
        yield Served(run, server)


def test_the_page_has_these_messages() -> None:
    """The page's type declarations are those generated from the server's messages."""
    from segue.study.messages import declarations

    assert (ROOT / "client/study/src/wire.ts").read_text("utf-8") == declarations()


def test_the_token_is_needed(served: Served) -> None:
    """Without the address nothing is served, and the refusal says to use the complete address."""
    stranger = served.browser()
    for method, path in (("GET", "/"), ("POST", "/api/study"), ("GET", "/api/body"), ("POST", "/api/join")):
        status, body = stranger.ask(method, path, b"{}" if method == "POST" else None)
        assert status == 403
        assert b"complete address that you were given" in body
    assert stranger.enters().ask("GET", "/") == (200, b"<title>page</title>")
    assert stranger.ask("POST", "/api/study", b"{}", origin="http://evil.example")[0] == 403
    assert stranger.ask("POST", "/api/study", b"{}", host="evil.example")[0] == 421


def test_two_people_have_sittings_of_their_own(served: Served) -> None:
    """Each browser has its own code and trials; leaving frees the browser for the next person, and answers are kept."""
    one, other = served.browser().enters(), served.browser().enters()
    assert one.call("study") == {
        "kind": "jnd",
        "consent": "",
        "asked": [{"name": "age group", "choices": []}],
        "longest": 80,
        "begun": False,
    }
    assert one.call("join", about={"age group": "30"})["trial"]["purpose"] == "training"
    other.call("join")
    turn = one.call("answer", number=0, given="first", seconds=0.7)
    assert (turn["answered"], other.call("turn")["answered"]) == (1, 0)
    assert turn["was_right"] in {True, False}
    assert one.call("study")["begun"]
    assert one.call("answer", number=1, given="second", seconds=0.7)["was_right"] is None
    assert not one.call("leave")["begun"]
    assert one.ask("POST", "/api/turn", b"{}")[0] == 422
    with Library.open(served.run.path, mode="r") as library:
        counts = sorted(len(two.answers) for two in participants(library.store, "jnd-centre-aligned"))
    assert counts[-1] == 2


def test_nothing_that_is_sent_tells_conditions_apart(served: Served) -> None:
    """A trial holds positions and no names, right answers or levels; all of its motions have one header."""
    one = served.browser().enters()
    turn = one.call("join")
    trial = turn["trial"]
    assert trial["shown"] == [[0, 1], [2, 3]]
    text = json.dumps(turn)
    assert not any(word in text for word in ("k10", "shorter", "longer", "seed", 'motion":', 'right":true'))
    heads, arrays = zip(
        *(unpacked(one.ask("GET", f"/api/stimulus/0/{place}")[1]) for place in range(4)), strict=True
    )
    assert all(head == heads[0] for head in heads)
    assert set(heads[0]) == {"fps", "frames", "joints", "arrays"}
    poses = [each["poses"] for each in arrays]
    same = [bool(np.array_equal(poses[a], poses[b])) for a, b in ((0, 1), (2, 3))]
    assert sorted(same) == [False, True]  # the motions themselves show which pair differs
    for path in ("/api/stimulus/0/4", "/api/stimulus/0/999"):
        assert one.ask("GET", path)[0] == 422
    assert one.ask("GET", "/api/stimulus/1/0")[0] == 409
    assert served.browser().enters().ask("GET", "/api/stimulus/0/0")[0] == 422


def test_what_makes_no_sense_is_one_sentence(served: Served) -> None:
    """Wrong fields, answers that were not offered and invalid numbers are refused, and nothing is stored."""
    one = served.browser().enters()
    one.call("join")
    for name, body in (
        ("answer", b"{"),
        ("answer", b"\xff"),
        ("answer", b'{"number": 0, "given": "third", "seconds": 1}'),
        ("answer", b'{"number": 5, "given": "first", "seconds": 1}'),
        ("answer", b'{"number": 0, "given": "first", "seconds": -1}'),
        ("answer", b'{"number": 0, "given": "first", "seconds": 1e999}'),
        ("join", b'{"about": {"name": "Jo"}}'),
        ("join", b'{"about": {"age group": 3}}'),
    ):
        status, answer = one.ask("POST", f"/api/{name}", body)
        assert status == 422, (name, body)
        assert json.loads(answer)["error"]
    assert one.call("turn")["answered"] == 0


@pytest.mark.parametrize("figure", ["mannequin", "capsules"])
def test_the_figure_is_the_one_that_the_design_names(
    served: Served, figure: Literal["mannequin", "capsules"]
) -> None:
    """A design chooses between a human body and capsules; every motion of the study has that figure."""
    from segue.io.mannequin import mannequin
    from segue.study.server import Stimuli

    plan = served.run.plan
    made = make_stimuli(plan, clips_of(plan.design))
    shown = Stimuli(replace(plan, design=replace(plan.design, view=View(figure=figure))), made)
    skeleton = next(iter(made.values())).skeleton
    drawn = {"mannequin": mannequin(skeleton), "capsules": mannequin(skeleton, human=False)}
    assert shown.body["vertices"] == len(drawn[figure].positions)
    assert len(drawn["mannequin"].positions) != len(drawn["capsules"].positions)


def test_too_many_at_once_are_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate of participants is bounded, so a page out of control cannot fill the disk."""
    from segue.studio.limits import Bucket

    monkeypatch.setattr(Bucket, "take", lambda self: False)
    assert served.browser().enters().ask("POST", "/api/join", b"{}")[0] == 429


def test_nothing_that_names_anybody_is_kept(served: Served) -> None:
    """A participant's row holds a code, a seed and the answers about the person: no address, browser or time of day."""
    one = served.browser().enters()
    one.call("join", about={"age group": "30"})
    with Library.open(served.run.path, mode="r") as library, library.store.reading() as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(participant)")]
        assert columns == ["id", "study_id", "code", "seed", "about", "seal"]
        *_, last = db.execute("SELECT about FROM participant ORDER BY id")
    assert json.loads(last[0]) == {"age group": "30"}


def test_a_page_that_was_not_built_is_told(tmp_path: Path) -> None:
    """Without its page the server reports how to build it."""
    pytest.importorskip("starlette")
    import asyncio

    from segue.study.server import StudyRoutes

    routes = StudyRoutes(None, None, 1, tmp_path)  # type: ignore[arg-type]
    assert asyncio.run(routes.index(None)).status_code == 503  # type: ignore[arg-type]
