"""A few threads for long files: compiled loops let other Python code run meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")

MOST = 4
"""More threads read no faster: memory is what they wait for."""


@lru_cache(maxsize=1)
def pool() -> ThreadPoolExecutor:
    """Threads that are made once."""
    return ThreadPoolExecutor(max_workers=MOST, thread_name_prefix="segue-io")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # a forked process has none of its parent's threads


def workers() -> int:
    """How many threads this process may run at once, at most `MOST`."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)


def each(function: Callable[[T], U], parts: Sequence[T]) -> list[U]:
    """Results of a function for each part, the first made in this thread and the others beside it."""
    later = [pool().submit(function, part) for part in parts[1:]]
    return [function(parts[0]), *(result.result() for result in later)]
