"""Compiled kernels: forward kinematics in one pass over frames and joints, inverse kinematics of a leg."""

from segue.accel.compiler import kernel
from segue.accel.formulas import formula, maximum, minimum, sqrt, where
from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.maths._kernels import Four, Three, conjugate, cross, dot, from_to, multiply, rotate, swing

_STRAIGHT = 0.05  # share of thigh times shank: weight of the given axis, which dominates for a smaller bend
_ROUNDING = 1e-9  # square metres: a smaller cross product of thigh and shank is a straight leg's
_TINY = 1e-12  # square metres: below this a bone has no length, and the knee does not bend


@formula
def _turn(turns: Quaternions, frame: int, joint: int) -> Four:
    return (turns[frame, joint, 0], turns[frame, joint, 1], turns[frame, joint, 2], turns[frame, joint, 3])


@formula
def _turn_above(turns: Quaternions, frame: int, joint: int) -> Four:
    """World rotation of a parent joint; the identity for -1, the parent of the root."""
    turn, none = _turn(turns, frame, maximum(joint, 0)), joint < 0
    return (
        where(none, 1.0, turn[0]),
        where(none, 0.0, turn[1]),
        where(none, 0.0, turn[2]),
        where(none, 0.0, turn[3]),
    )


@formula
def _place(places: Positions, frame: int, point: int) -> Three:
    return (places[frame, point, 0], places[frame, point, 1], places[frame, point, 2])


@formula
def _sum(a: Three, b: Three) -> Three:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@formula
def _attach(
    turns: Quaternions, places: Positions, f: int, j: int, offsets: Positions, out: Positions, p: int
) -> None:
    """Write the world position of point p in frame f, fixed to joint j."""
    offset = (offsets[p, 0], offsets[p, 1], offsets[p, 2])
    at = _sum(_place(places, f, j), rotate(_turn(turns, f, j), offset))
    for c in range(3):
        out[f, p, c] = at[c]


@formula
def _hang(
    rotations: Quaternions, up: int, offsets: Floats, world: Quaternions, places: Positions, f: int, j: int
) -> None:
    """Write the world rotation and position of joint j in frame f, given those of its parent ``up``."""
    _attach(world, places, f, up, offsets, places, j)
    turned = multiply(_turn(world, f, up), _turn(rotations, f, j))
    for c in range(4):
        world[f, j, c] = turned[c]


@kernel
def forward(
    rotations: Quaternions,
    parents: Ints,
    offsets: Floats,
    world: Quaternions,
    places: Positions,
) -> None:
    """Fill world rotations (F, J, 4) and positions (F, J, 3) of all joints but the root, whose own are set already."""
    for f in range(rotations.shape[0]):
        for j in range(1, rotations.shape[1]):
            _hang(rotations, parents[j], offsets, world, places, f, j)


@kernel
def attach(turns: Quaternions, places: Positions, joints: Ints, offsets: Positions, out: Positions) -> None:
    """Fill world positions (F, P, 3) of points fixed to P joints, offsets (P, 3) in their frames."""
    for f in range(len(out)):
        for p in range(len(joints)):
            _attach(turns, places, f, joints[p], offsets, out, p)


@formula
def _hinge(thigh: Three, shank: Three, axis: Three) -> Three:
    """Unit axis about which a knee bends further; zero if neither its bones nor the given axis determine it.

    It is perpendicular to both bones; the given axis is mixed in and dominates if the leg is straight.
    """
    spanned = cross(thigh, shank)
    lean = _STRAIGHT * sqrt(dot(thigh, thigh) * dot(shank, shank))
    mixed = (spanned[0] + lean * axis[0], spanned[1] + lean * axis[1], spanned[2] + lean * axis[2])
    size = sqrt(dot(mixed, mixed))
    share = where(size < _ROUNDING, 0.0, 1.0 / maximum(size, _ROUNDING))
    return (share * mixed[0], share * mixed[1], share * mixed[2])


@formula
def _bend(thigh: Three, shank: Three, hinge: Three, square: float) -> Four:
    """Rotation of a shank about a hinge that gives the leg a length, of which the square is given.

    Rotated by b about the hinge h, the shank s has the dot product A cos b + B sin b + C with the thigh t, where
    C = (t h)(h s), A = t s - C and B = t (h x s): the length of the leg gives b without trigonometric functions. Of
    both solutions the one is taken that bends in the hinge's direction from the straightest knee. A length out of reach
    is clamped to the nearest.
    """
    along = dot(thigh, hinge) * dot(hinge, shank)
    level, side = dot(hinge, hinge) * dot(thigh, shank) - along, dot(thigh, cross(hinge, shank))
    most = sqrt(level * level + side * side)
    wanted = 0.5 * (square - dot(thigh, thigh) - dot(shank, shank)) - along
    wanted = minimum(maximum(wanted, -most), most)
    rest = sqrt((most - wanted) * (most + wanted))
    share = 1.0 / maximum(most * most, _TINY * _TINY)
    cos, sin = (level * wanted - side * rest) * share, (side * wanted + level * rest) * share
    # Half-angle formulas that avoid cancellation.
    larger = sqrt(0.5 + 0.5 * abs(cos))
    smaller = 0.5 * sin / larger
    bends = most > _TINY  # false for a bone of zero length
    w = where(bends, where(cos > 0.0, larger, smaller), 1.0)
    s = where(bends, where(cos > 0.0, smaller, larger), 0.0)
    return (w, s * hinge[0], s * hinge[1], s * hinge[2])


@formula
def reach(
    bones: tuple[Three, Three], axis: Three, goal: Three, square: float, turns: tuple[Four, Four, Four, Four]
) -> tuple[Four, Four, Four]:
    """Local rotations of hip and knee that bring an ankle to a goal, and the world rotation applied to the shank.

    Thigh and shank, the axis mixed into the knee's hinge (`_hinge`) and the goal relative to the hip are world vectors.
    ``square`` is the square of the leg length to reach. ``turns`` are the world rotations of the hip's parent, the hip,
    the knee's parent and the knee.
    """
    thigh, shank = bones
    bent = _bend(thigh, shank, _hinge(thigh, shank, axis), square)
    raised = swing(_sum(thigh, rotate(bent, shank)), goal)
    hip = multiply(conjugate(turns[0]), multiply(raised, turns[1]))
    knee = multiply(conjugate(turns[2]), multiply(bent, turns[3]))
    return hip, knee, multiply(raised, bent)


@formula
def _bones(places: Positions, frame: int, leg: tuple[int, int, int]) -> tuple[Three, Three]:
    """Thigh and shank vectors of a frame, for ``leg`` hip, knee and ankle."""
    hip, knee, ankle = (_place(places, frame, joint) for joint in leg)
    return from_to(hip, knee), from_to(knee, ankle)


@formula
def _add_axis(
    turns: Quaternions, places: Positions, frame: int, leg: tuple[int, int, int], total: Floats
) -> None:
    """Add the cross product of thigh and shank of a frame, in the frame of the thigh, to ``total``."""
    thigh, shank = _bones(places, frame, leg)
    seen = rotate(conjugate(_turn(turns, frame, leg[0])), cross(thigh, shank))
    for c in range(3):
        total[c] = total[c] + seen[c]


@formula
def _reach_frame(
    turns: Quaternions,
    places: Positions,
    frame: int,
    leg: tuple[int, int, int],
    above: tuple[int, int, int],
    axis: Floats,
    goal: Three,
    foot: Four,
    out: Floats,
    at: int,
) -> None:
    """Write the local rotations of hip, knee and ankle in a frame to ``out``, from index ``at``."""
    hip = _turn(turns, frame, leg[0])
    hip_above, knee_above, ankle_above = (_turn_above(turns, frame, joint) for joint in above)
    world = hip_above, hip, knee_above, _turn(turns, frame, leg[1])
    turned = rotate(hip, (axis[0], axis[1], axis[2]))
    *local, moved = reach(_bones(places, frame, leg), turned, goal, dot(goal, goal), world)
    ankle = multiply(conjugate(multiply(moved, ankle_above)), foot)
    for k, each in enumerate((*local, ankle)):
        for c in range(4):
            out[at + 4 * k + c] = each[c]


@kernel
def reach_ankles(
    world: tuple[Quaternions, Positions],
    legs: Ints,
    rows: Ints,
    goals: tuple[Positions, Positions, Quaternions],
    axis: Floats,
    out: Floats,
) -> None:
    """Fill local rotations (L, N, 3, 4), flattened, of hips, knees and ankles of L legs in N frames that reach goals.

    ``world`` holds rotations (F, J, 4) and positions (F, J, 3); ``legs`` hip, knee and ankle of each leg and their
    parents (L, 6); ``rows`` the frames (N,); ``goals`` the hips' positions (L, N, 3), the ankles' target positions
    (L, N, 3) and the feet's target rotations (L, N, 4). The knee's mean hinge over all frames, fixed to the thigh,
    determines the bend of a straight leg; ``axis`` is its buffer of three numbers.
    """
    turns, places = world
    hips, ankles, feet = goals
    for k in range(len(legs)):
        leg = (legs[k, 0], legs[k, 1], legs[k, 2])
        above = (legs[k, 3], legs[k, 4], legs[k, 5])
        for c in range(3):
            axis[c] = 0.0
        for n in range(len(rows)):
            _add_axis(turns, places, rows[n], leg, axis)
        size = _length(axis)
        for c in range(3):
            axis[c] = axis[c] / size if size >= _ROUNDING else 0.0
        for n in range(len(rows)):
            goal = from_to(_place(hips, k, n), _place(ankles, k, n))
            at = 12 * (k * len(rows) + n)
            _reach_frame(turns, places, rows[n], leg, above, axis, goal, _turn(feet, k, n), out, at)


@formula
def _length(v: Floats) -> float:
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
