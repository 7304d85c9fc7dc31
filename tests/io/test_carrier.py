"""Which joint carries a body: on trees of every shape, and on the samples under additional roots."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segue.io.carrier import carrying_chain, folded_note
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

BODY = sample("walk").skeleton


def under(count: int) -> Skeleton:
    """The sample body under ``count`` additional joints on the ground."""
    parents = [*range(-1, count - 1), *(p + count if p >= 0 else count - 1 for p in BODY.parents)]
    names = [*(f"Ground{k}" for k in range(count)), *BODY.names]
    return Skeleton(names, parents, np.vstack([np.zeros((count, 3)), BODY.offsets]))


@given(st.integers(0, 4), st.floats(0.02, 5.0), st.integers(0, 3))
def test_the_hips_carry_the_body_whatever_stands_above(count: int, far: float, more: int) -> None:
    """The chain reaches the hips where they move in their frame, and never below."""
    body = under(count)
    moves = np.zeros(body.n_joints)
    moves[: count + 1] = far
    for name in ("Spine", "LeftUpLeg", "Head")[:more]:
        moves[body.index(name)] = far
    assert carrying_chain(body, moves) == list(range(count + 1))


@given(st.integers(1, 4))
def test_hips_that_do_not_move_in_their_frame_stay_where_they_are(count: int) -> None:
    """A root that alone carries the motion stays joint 0, also where other joints slide only by rounding."""
    body = under(count)
    assert carrying_chain(body, np.zeros(body.n_joints)) == [0]
    moves = np.full(body.n_joints, 1e-3)
    moves[0] = 5.0
    assert carrying_chain(body, moves) == [0]


@given(st.integers(2, 30), st.integers(0, 10_000))
def test_any_tree_gives_a_chain_from_the_root(count: int, seed: int) -> None:
    """Each joint is the parent of the next; on a tree without legs at most one joint is folded."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, k)) for k in range(1, count))]
    body = Skeleton([f"x{k}" for k in range(count)], parents, rng.normal(size=(count, 3)))
    chain = carrying_chain(body, rng.random(count) * 10)
    assert chain[0] == 0
    assert all(parents[below] == above for above, below in pairwise(chain))
    links = Skeleton(
        [f"x{k}" for k in range(count)], list(range(-1, count - 1)), np.tile([0.0, 0.0, 1.0], (count, 1))
    )
    assert len(carrying_chain(links, np.ones(count))) <= 2


def test_the_sentence_names_both() -> None:
    assert folded_note(["Root", "Ref"], "Hips") == (
        "the motion of 'Root', 'Ref' was folded into 'Hips', which carries the body"
    )
