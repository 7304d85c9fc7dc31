"""Hooks into the compiler."""

from __future__ import annotations

import gc
import logging
from types import SimpleNamespace

import pytest

import segue.motion._kernels  # noqa: F401 - kernels must be known
from segue.accel.compiler import KERNELS, _Compiling


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def test_compiling_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only segue's own kernels are reported, where none is cached yet, not other code that numba compiles."""
    monkeypatch.setattr("segue.accel.compiler.folder", lambda: None)
    log, kept, teller = logging.getLogger("segue.kernels"), _Kept(), _Compiling()
    log.addHandler(kept)
    level = log.level
    log.setLevel(logging.INFO)
    try:
        teller.on_start(SimpleNamespace(data={"dispatcher": object()}))
        assert not kept.messages
        for kernel in list(KERNELS.values())[:2]:
            teller.on_start(SimpleNamespace(data={"dispatcher": kernel}))
        for _ in range(3):
            teller.on_end(SimpleNamespace(data={}))
    finally:
        log.removeHandler(kept)
        log.setLevel(level)
    assert len(kept.messages) == 1
    assert "once" in kept.messages[0]


def test_garbage_is_not_looked_for_while_kernels_are_compiled() -> None:
    """Garbage collection is off during nested compilation and then restored, also to off if it was off.

    Compiling a caller's own function changes nothing.
    """
    teller = _Compiling()
    event = SimpleNamespace(data={"dispatcher": next(iter(KERNELS.values()))})
    foreign = SimpleNamespace(data={"dispatcher": object()})
    for was in (True, False):
        (gc.enable if was else gc.disable)()
        try:
            teller.on_start(foreign)
            assert gc.isenabled() == was
            for move, of in ((teller.on_start, event), (teller.on_start, foreign), (teller.on_end, foreign)):
                move(of)
                assert not gc.isenabled()
            teller.on_end(event)
            assert gc.isenabled() == was
            teller.on_end(foreign)
            assert gc.isenabled() == was
        finally:
            gc.enable()
