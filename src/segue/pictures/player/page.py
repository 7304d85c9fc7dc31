"""One page that plays a motion: script, style and motion are inside, and its policy forbids any network access.

The script is deflated like the motion. A loader of a few lines inflates it; the page's policy names the digests of both
and lets nothing else run. Names are in a JSON document whose markup is escaped, and the player shows them as text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from segue.arrays import Bools
from segue.errors import FileError
from segue.io.text import write_whole
from segue.motion.clip import Clip
from segue.pictures.player.film import film

_BUILT = "built/player.js"
_STYLE = (
    "html,body{margin:0;height:100%;background:#14171c}segue-player{height:100%}"
    "noscript{color:#eef1f5;font:15px system-ui}"
)
_LOADER = (
    'const one=document.getElementById("segue-script"),'
    "bytes=Uint8Array.from(atob(one.textContent),c=>c.charCodeAt(0));"
    'new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text().then(code=>{'
    'const made=document.createElement("script");made.textContent=code;document.head.append(made)})'
)
_WITHOUT = "This page plays a motion with its own script; scripts are disabled here."


@lru_cache(maxsize=1)
def script() -> str:
    """Return the code of the player, which includes the stage.

    Raises
    ------
    FileError
        If the client was left out when segue was installed.
    """
    file = resources.files("segue.pictures.player").joinpath(_BUILT)
    if not file.is_file():
        raise FileError(
            str(file),
            "the player is not there: it is built when segue is installed (in a source tree: python scripts/client.py)",
        )
    return file.read_text("utf-8")


def film_page(
    clips: Sequence[Clip],
    path: str | Path | None = None,
    *,
    title: str = "",
    contacts: Sequence[Bools | None] = (),
    compact: bool = False,
    still: bytes = b"",
    overwrite: bool = True,
) -> str:
    """Write a page that plays motions side by side in step, and return it.

    Parameters
    ----------
    clips
        One to four motions.
    path
        File to write (.html); none by default.
    title
        Heading; by default the names of the motions.
    contacts
        For each motion (F, 4) flags of heels and toes that should be on the ground; by default detected.
    compact
        Whether to leave out the heading and the list of seams, as in a notebook.
    still
        PNG that is shown until the motion plays.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    SettingError
        If there is no motion or too many.
    FileError
        If the player is missing or the file cannot be written.

    Examples
    --------
    >>> import segue
    >>> page = film_page([segue.sample("walk")])
    >>> len(page) < 500_000
    True
    """
    document = film(clips, title=title, contacts=contacts)
    page = page_of(document, compact=compact, still=still)
    if path is not None:
        write_whole(Path(path), page.encode(), overwrite=overwrite)
    return page


def page_of(document: dict[str, Any], *, compact: bool = False, still: bytes = b"") -> str:
    """Return the page around a film's document."""
    code = script()
    packed = base64.b64encode(zlib.compress(code.encode(), 9)).decode()
    allowed = " ".join(f"'{_digest(each)}'" for each in (_LOADER, code))
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src '{_digest(_STYLE)}'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    title = html.escape(str(document["title"]))
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="segue"><title>{title}</title><style>{_STYLE}</style></head>\n<body>'
        f"{element(document, compact=compact, still=still)}\n<noscript>{_WITHOUT}</noscript>\n"
        f'<script type="text/plain" id="segue-script">{packed}</script>\n<script>{_LOADER}</script></body></html>\n'
    )


def element(
    document: dict[str, Any], *, compact: bool = False, still: bytes = b"", attributes: str = "autoplay"
) -> str:
    """Return an element that plays a film wherever the player's script runs; ``still`` is a PNG shown until then."""
    picture = ""
    if still:
        words = html.escape(f"Still picture of {document['title']}", quote=True)
        picture = f'<img alt="{words}" src="data:image/png;base64,{base64.b64encode(still).decode()}">'
    kind = "compact " if compact else ""
    return (
        f'<segue-player {kind}{attributes}><script type="application/json">{as_json(document)}</script>'
        f"{picture}</segue-player>"
    )


def as_json(document: dict[str, Any]) -> str:
    """Return JSON that is safe inside a script element: no markup can end it."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, code in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        text = text.replace(sign, code)
    return text


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
