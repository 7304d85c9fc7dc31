"""Equations as MathML, which browsers render natively: no script, no font, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

log = logging.getLogger(__name__)


def inline(translator: Any, node: nodes.math) -> None:
    """Write an inline equation."""
    translator.body.append(_written(node, as_block=False))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """Write a display equation."""
    translator.body.append(f'<div class="equation">{_written(node, as_block=True)}</div>')
    raise nodes.SkipNode


def _written(node: nodes.Element, *, as_block: bool) -> str:
    try:
        written: str = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        log.warning("equation %r: %s", node.astext(), error, location=node)
        return ""
    return written


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer and choose it."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
