"""The studio when empty or after an error: each tab reports what happened and what to do.

Shows: every tab over an empty library, one clip and a body without legs; a server that stops; files that are not
    motion; a job that fails; a wrong token; `--pictures FOLDER` saves a picture of each
Bars: the message is on the page in every state; no page error; no internal term
Needs: Chromium installed
Group: Other programs and long runs
"""

from __future__ import annotations

from contextlib import ExitStack

from _browser import worked
from _runner import PICTURES, Show, run
from _states import (
    TABS,
    Visit,
    empty_library,
    missing_sentences,
    no_legs,
    not_motion,
    one_clip,
    stopped,
    write_tail,
    wrong_token,
)
from _studio import in_process, studio_of

import segue


def main(show: Show) -> None:
    room = show.folder
    for name, clips in (("empty", []), ("one", [segue.sample("walk")])):
        with segue.Library.open(room / f"{name}.segue") as library:
            if clips:
                library.add(clips)
    write_tail(room / "tail")
    pictures = show.options.pictures
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    with ExitStack() as open_now:
        out = room / "out"
        urls = {
            name: open_now.enter_context(studio_of(place, out)).url
            for name, place in (
                ("empty", room / "empty.segue"),
                ("one", room / "one.segue"),
                ("tail", room / "tail"),
                ("samples", None),
            )
        }
        visits: list[Visit] = [
            empty_library(urls["empty"]),
            one_clip(urls["one"]),
            no_legs(urls["tail"]),
            not_motion(urls["samples"]),
            wrong_token(urls["samples"]),
            *(stopped(*open_now.enter_context(in_process("--exports", out)), tab) for tab in TABS),
        ]
        order = {"visits": [visit for visit, _ in visits], "pictures": pictures and str(pictures.resolve())}
        seen = worked("steps.mjs", order)
    lost = missing_sentences(visits, seen["words"])
    for one in (*lost, *seen["faults"]):
        show.note(one)
    show.check("states checked", sum(map(len, seen["words"].values())), ">= 27")
    show.check("messages missing from the page, and internal terms", len(lost), "= 0")
    show.check("faults of the pages", len(seen["faults"]), "= 0")


if __name__ == "__main__":
    run(main, "messages of the studio when it is empty or after errors", PICTURES)
