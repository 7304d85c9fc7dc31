"""Cache of recently used objects: clips, made motions, comparisons, graphs."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from threading import RLock
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Objects by number or name, of which the most recently used are kept.

    Examples
    --------
    >>> recent = Recent(2)
    >>> for word in ("a", "b", "c"):
    ...     recent.put(word, word.upper())
    >>> recent.get("a") is None, recent.get("c")
    (True, 'C')
    """

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, RLock()
        self._kept: OrderedDict[Any, T] = OrderedDict()
        self._numbers = itertools.count(1)

    def get(self, key: Any) -> T | None:
        """Return the object of a key, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Any, thing: T) -> None:
        """Keep an object under a key."""
        with self._lock:
            self._kept[key] = thing
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def add(self, thing: T) -> int:
        """Keep an object under a new number, and return the number."""
        number = next(self._numbers)
        self.put(number, thing)
        return number

    def newest(self) -> list[tuple[Any, T]]:
        """Return keys and objects, the most recently used first."""
        with self._lock:
            return list(reversed(self._kept.items()))

    def drop(self, key: Any) -> None:
        """Remove the object of a key, if there is one."""
        with self._lock:
            self._kept.pop(key, None)
