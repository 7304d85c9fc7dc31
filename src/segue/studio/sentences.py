"""Messages for refused requests and errors: one sentence with the reason and a remedy."""

from __future__ import annotations

from html import escape

from segue.errors import SegueError, SkeletonError

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>segue</title>
<style>
:root {{ color-scheme: light dark; --ground: #f4f5f7; --ink: #20242b; --brand: #d6336c }}
@media (prefers-color-scheme: dark) {{ :root {{ --ground: #1d2127; --ink: #eceef1; --brand: #f06292 }} }}
body {{ min-height: 100vh; margin: 0; display: grid; place-content: center; background: var(--ground);
  color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; text-align: center }}
h1 {{ color: var(--brand); font-size: 20px; letter-spacing: .04em; margin: 0 0 10px }}
p {{ max-width: 34em; margin: 0; padding: 0 24px; overflow-wrap: anywhere }}
</style>
<main><h1>segue</h1><p>{sentence}</p></main>
"""


def with_remedy(error: SegueError) -> str:
    """Return the message of an error; for one about a skeleton, with the place where roles are set.

    Examples
    --------
    >>> with_remedy(SkeletonError("no joint fills the role 'left_hip'"))
    "no joint fills the role 'left_hip'; set the roles of its joints in the tab Clips"
    """
    more = "; set the roles of its joints in the tab Clips" if isinstance(error, SkeletonError) else ""
    return f"{error}{more}"


def refused_page(sentence: str) -> bytes:
    """Return a page with one sentence, for a refused browser.

    Examples
    --------
    >>> b"<p>This is &lt;b&gt;.</p>" in refused_page("this is <b>")
    True
    """
    return _PAGE.format(sentence=escape(f"{sentence[:1].upper()}{sentence[1:]}.")).encode()
