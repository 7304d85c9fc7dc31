"""Source stretches of examples, from which every blended frame gets its origin."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats
from segue.locomotion.examples import Example, TransitionExample


@dataclass(frozen=True)
class Piece:
    """A stretch of a clip in an example: ``begins`` seconds into the example, the clip plays from ``seconds`` on."""

    clip: str
    begins: float
    seconds: float


def pieces_of(example: Example | TransitionExample) -> tuple[Piece, ...]:
    """Return the pieces of an example: one if it was captured, one a clip if it was made of several.

    Where two clips are blended, the one with the larger weight counts.

    Examples
    --------
    >>> import segue
    >>> from segue.locomotion.build import find_examples
    >>> example = find_examples([segue.sample("walk")]).examples[0]
    >>> example.name, [(piece.clip, round(piece.seconds, 3)) for piece in pieces_of(example)]
    ('walk:65-131', [('walk', 1.083)])
    """
    origin, fps = example.clip.origin, example.clip.fps
    rows = np.arange(example.clip.n_frames)
    column = np.argmax(origin.weight, axis=1)
    number, frame = origin.clip[rows, column], origin.frame[rows, column]
    edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(rows)]
    out = []
    for start, stop in itertools.pairwise(edges):
        # source frames per example frame give the source's own rate
        rate = fps * float(np.median(np.diff(frame[start:stop]))) if stop - start > 1 else fps
        out.append(Piece(origin.clips[int(number[start])], start / fps, float(frame[start]) / rate))
    return tuple(out)


def traced(pieces: Sequence[Piece], rates: Floats, at: float) -> tuple[str, float]:
    """Return clip and second in it at a generic time, for an example of ``rates`` (I,) intervals a second."""
    into = np.concatenate([[0.0], np.cumsum(1.0 / rates)])
    gone = float(np.interp(at, np.arange(len(into)), into))
    piece = [one for one in pieces if one.begins <= gone + 1e-9][-1]
    return piece.clip, piece.seconds + gone - piece.begins
