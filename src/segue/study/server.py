"""Routes of the page of a study, its sessions, and start and stop of the process.

The token in the address admits a browser, as in the studio. A participant is identified only by a cookie of this page,
which holds the code of the answers; identity, address and time of a participant are not stored.

All motions are packed for the page with the same body, camera and header, so that only their frames differ.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.applications import Starlette
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from segue.app.studies.motions import StudyPlan
from segue.app.studies.people import LONGEST_ANSWER, PeopleRun, Turn
from segue.app.studies.stimuli import shots
from segue.app.studies.trials import Trial
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.pictures.player.bodies import packed_body
from segue.studio.guard import Guard
from segue.studio.limits import Bucket
from segue.studio.messages import Failure, Message
from segue.studio.packing import packed, packed_poses
from segue.studio.process import CUT_OFF, Opened, answer_of, bound, configured, tried
from segue.study.messages import CALLS, AnswerAsk, Asked, CameraView, JoinAsk, StudyView, TrialView, TurnView

if TYPE_CHECKING:
    from starlette.requests import Request


PAGE = Path(__file__).parent / "page"
"""The page, built from ``client/study``."""
LOOPBACK = "127.0.0.1"
_HINT = "open the complete address that you were given: this request has no valid token"
_MONTH = 30 * 24 * 3600
_log = logging.getLogger("segue.study")


@dataclass
class StudyRoutes:
    """Routes behind the guard.

    Parameters
    ----------
    run
        The study, and the storage of its answers.
    stimuli
        Its motions.
    port
        Port of the server, part of the cookie's name.
    page
        Folder of the page.
    """

    run: PeopleRun
    stimuli: Stimuli
    port: int
    page: Path = PAGE
    joining: Bucket = field(default_factory=lambda: Bucket(rate=2.0, most=60.0))

    def app(self) -> Starlette:
        """Return the application."""
        routes: list[Any] = [
            Route("/", self.index),
            Route("/api/body", self.body),
            Route("/api/stimulus/{number:int}/{place:int}", self.stimulus),
        ]
        routes += [Route(f"/api/{name}", partial(self.call, name), methods=["POST"]) for name in CALLS]
        app = Starlette(routes=routes, exception_handlers=CUT_OFF)
        if self.page.is_dir():
            app.mount("/", StaticFiles(directory=self.page))
        return app

    @property
    def cookie(self) -> str:
        """Name of the cookie that holds a participant's code."""
        return f"segue-study-{self.port}"

    async def index(self, request: Request) -> Response:
        """Return the page."""
        del request
        path = self.page / "index.html"
        if path.is_file():
            return FileResponse(path)
        return answer_of(Failure("the page of studies is not built: python scripts/client.py builds it"), 503)

    async def call(self, name: str, request: Request) -> Response:
        """Answer one of the calls; an error is answered with one sentence."""
        ask_kind = CALLS[name][0]
        body = await request.body()
        code = request.cookies.get(self.cookie, "")

        def work() -> Response:
            try:
                ask = msgspec.json.decode(body or b"{}", type=ask_kind)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                return answer_of(Failure(f"the page sent what this server does not take: {error}"), 422)
            return self._done(name, ask, code)

        return await tried(work)

    def _done(self, name: str, ask: Message, code: str) -> Response:
        if isinstance(ask, JoinAsk):
            if not self.joining.take():
                return answer_of(Failure("too many begin at once; try again in a minute"), 429)
            code = self.run.join(ask.about)
            reply = answer_of(self.stimuli.turn_view(self.run.turn(code)))
            reply.set_cookie(self.cookie, code, max_age=_MONTH, httponly=True, samesite="strict")
            return reply
        if name == "leave":
            reply = answer_of(self._study(begun=False))
            reply.delete_cookie(self.cookie, httponly=True, samesite="strict")
            return reply
        if name == "study":
            return answer_of(self._study(begun=self._is_known(code)))
        if isinstance(ask, AnswerAsk):
            return answer_of(self._answered(ask, code))
        return answer_of(self.stimuli.turn_view(self.run.turn(code)))

    def _answered(self, ask: AnswerAsk, code: str) -> TurnView:
        before = self.run.turn(code).trial
        turn = self.run.answer(code, ask.number, ask.given, seconds=ask.seconds)
        right = None
        if (
            before is not None
            and before.number == ask.number
            and before.purpose == "training"
            and before.right
        ):
            right = ask.given == before.right
        return self.stimuli.turn_view(turn, was_right=right)

    def _study(self, *, begun: bool) -> StudyView:
        design = self.run.plan.design
        session = design.session
        asked = [Asked(name, list(session.choices.get(name, ()))) for name in session.asked]
        return StudyView(design.kind, session.consent, asked, LONGEST_ANSWER, begun)

    def _is_known(self, code: str) -> bool:
        try:
            self.run.turn(code)
        except SettingError:
            return False
        return True

    async def body(self, request: Request) -> Response:
        """Return the figure shared by all motions."""
        del request
        return Response(msgspec.json.encode(self.stimuli.body), media_type="application/json")

    async def stimulus(self, request: Request) -> Response:
        """Return a motion of the participant's current trial."""
        number, place = request.path_params["number"], request.path_params["place"]
        code = request.cookies.get(self.cookie, "")

        def work() -> Response:
            turn: Turn = self.run.turn(code)
            if turn.trial is None or turn.trial.number != number:
                return answer_of(Failure("this trial is not asked now"), 409)
            return Response(self.stimuli.shown(turn.trial, place), media_type="application/octet-stream")

        return await tried(work)


def opened(
    run: PeopleRun,
    stimuli: Stimuli,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    page: Path = PAGE,
    ready: Callable[[str], None] | None = None,
) -> Opened:
    """Bind a port and return the guarded server of a study.

    Parameters
    ----------
    run, stimuli
        The study.
    host
        Name or address of this machine under which participants open the page.
    port
        0 takes the port of the last run, or a free one, so that addresses given to participants stay valid.
    page
        Folder of the page.
    ready
        Called with the address once the server listens.

    Raises
    ------
    SettingError
        If the port or the host cannot be used.
    """
    last, token = run.address()
    try:
        listening = bound(port or last, host)
    except SettingError:
        if port or not last:
            raise
        listening = bound(0, host)  # another process has taken the port of the last run
        _log.warning(
            "the port of the last time, %d, is taken: addresses that were given out do not work", last
        )
    number = listening.getsockname()[1]
    run.keep_address(number, token)
    names = (LOOPBACK, "localhost") if host == LOOPBACK else (host.lower(),)
    guard = Guard(StudyRoutes(run, stimuli, number, page).app(), number, hosts=names, token=token, hint=_HINT)
    server = configured(guard)
    url = f"http://{host}:{number}/?token={token}"
    if ready is not None:
        server.ready = lambda: ready(url)
    return Opened(server, listening, url, guard)


class Stimuli:
    """Every motion of a study as bytes, with its camera.

    Parameters
    ----------
    plan
        The study.
    made
        Its motions by name, as returned by `segue.app.studies.stimuli.make_stimuli`; all of one body.
    """

    def __init__(self, plan: StudyPlan, made: Mapping[str, Clip]) -> None:
        self.plan = plan
        self.body: dict[str, Any] = packed_body(
            next(iter(made.values())).skeleton, human=plan.design.view.figure == "mannequin"
        )
        self._bytes = {name: packed_stimulus(clip) for name, clip in made.items()}
        self._shots = shots(plan, made)

    def shown(self, trial: Trial, place: int) -> bytes:
        """Return the packed motion at a place of a trial.

        Raises
        ------
        SettingError
            If the trial shows fewer motions.
        """
        names = [name for pair in trial.shown for name in pair]
        if not 0 <= place < len(names):
            raise SettingError(f"this trial shows {len(names)} motions")
        return self._bytes[names[place]]

    def camera(self, trial: Trial) -> CameraView:
        """Return the camera of a trial; an attention check, which shows no motion, gets any."""
        view = self.plan.design.view
        shot = self._shots.get(trial.motion) or next(iter(self._shots.values()))
        return CameraView(shot.centre, shot.half, radians(view.camera_turn), view.camera_height, view.ground)

    def turn_view(self, turn: Turn, *, was_right: bool | None = None) -> TurnView:
        """Return the state of a participant as a message."""
        gap = self.plan.design.session.gap_seconds
        if turn.trial is None:
            return TurnView(turn.answered, turn.total or 0, gap, False, None, was_right)
        one, places = turn.trial, iter(range(1000))
        view = TrialView(
            one.number,
            one.purpose,
            one.text,
            list(one.choices),
            [[next(places) for _ in pair] for pair in one.shown],
            self.camera(one),
            turn.is_seen,
            self.plan.design.session.timed_from,
        )
        return TurnView(turn.answered, turn.total or 0, gap, turn.is_break, view, was_right)


def packed_stimulus(clip: Clip) -> bytes:
    """Return the packed frames of a motion, with a header that does not reveal their origin."""
    head = {"fps": clip.fps, "frames": clip.n_frames, "joints": len(clip.skeleton.names)}
    return packed(head, {"poses": packed_poses(clip.rotations, clip.root_positions)})
