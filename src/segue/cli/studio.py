"""The studio command: open the studio in a browser."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from segue.cli.output import note
from segue.cli.verbs import LOOK, verb
from segue.errors import MissingExtraError


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "studio",
        studio_command,
        "See, steer and judge motion in the browser.",
        panel=LOOK,
        examples=("segue studio", "segue studio clips/ --exports made --no-browser"),
    )


def studio_command(
    place: Annotated[
        Path | None,
        typer.Argument(
            metavar="LIBRARY|FOLDER",
            help="Library or folder of motion files; the embedded clips by default.",
            show_default=False,
        ),
    ] = None,
    exports: Annotated[
        Path, typer.Option("--exports", help="Folder that motions are exported into; made when it is needed.")
    ] = Path("segue-exports"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0: any free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open the studio: one page with the clips, their transitions, graph, live characters, measures and export.

    The page is served on this machine alone, and only to whoever has the address that is printed. Ctrl-C ends it.
    """
    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "websockets")):
        raise MissingExtraError("the studio", "studio")
    from segue.studio.project import Project
    from segue.studio.server import opened
    from segue.studio.state import Studio

    project = Project(place, exports)

    def ready(url: str) -> None:
        print(url, flush=True)
        note(f"segue: the studio shows {project.name}; Ctrl-C ends it")
        if browser:
            import webbrowser

            webbrowser.open(url)

    opened(Studio(project), port=port, ready=ready).run()
    note("segue: the studio is closed")
