"""Compiled kinematics: one pass over frames and joints; formulas of a leg that reaches."""

from segue.accel.compiler import kernel
from segue.accel.formulas import formula, maximum, minimum, sqrt, where
from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.maths._kernels import Four, Three, conjugate, cross, dot, from_to, multiply, rotate, swing

_STRAIGHT = 0.05  # of thigh times shank: below this bend the axis given says where the knee points
_ROUNDING = 1e-9  # square metres: a straight leg's bones span less
_TINY = 1e-12  # square metres: bones whose product is less bend nowhere


@formula
def _turn(turns: Quaternions, frame: int, joint: int) -> Four:
    return (turns[frame, joint, 0], turns[frame, joint, 1], turns[frame, joint, 2], turns[frame, joint, 3])


@formula
def _turn_above(turns: Quaternions, frame: int, joint: int) -> Four:
    """World rotation of the joint above another; above the root, which is numbered -1, there is none."""
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
    """Place point p of a frame, fixed to joint j."""
    offset = (offsets[p, 0], offsets[p, 1], offsets[p, 2])
    at = _sum(_place(places, f, j), rotate(_turn(turns, f, j), offset))
    for c in range(3):
        out[f, p, c] = at[c]


@formula
def _hang(
    rotations: Quaternions, up: int, offsets: Floats, world: Quaternions, places: Positions, f: int, j: int
) -> None:
    """Turn and place a joint of a frame below the one above it."""
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
    """World rotations (F, J, 4) and positions (F, J, 3) below the root, whose own are laid in already."""
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
    """Unit axis about which a knee bends more, or nothing where neither its bones nor the axis given tell.

    It is square to both bones; the axis given is mixed in, and counts where they are straight.
    """
    spanned = cross(thigh, shank)
    lean = _STRAIGHT * sqrt(dot(thigh, thigh) * dot(shank, shank))
    mixed = (spanned[0] + lean * axis[0], spanned[1] + lean * axis[1], spanned[2] + lean * axis[2])
    size = sqrt(dot(mixed, mixed))
    share = where(size < _ROUNDING, 0.0, 1.0 / maximum(size, _ROUNDING))
    return (share * mixed[0], share * mixed[1], share * mixed[2])


@formula
def _bend(thigh: Three, shank: Three, hinge: Three, square: float) -> Four:
    """Turn of a shank about a hinge after which thigh and shank together have a length, given by its square.

    Turned by b about the hinge h, the shank s has the product A cos b + B sin b + C with the thigh t, where
    C = (t h)(h s), A = t s - C and B = t (h x s): the length of the leg gives b, without a trigonometric function. Of
    both bends that give it, it is the one from the straightest knee on with the hinge. Where none does, the nearest
    length is taken.
    """
    along = dot(thigh, hinge) * dot(hinge, shank)
    level, side = dot(hinge, hinge) * dot(thigh, shank) - along, dot(thigh, cross(hinge, shank))
    most = sqrt(level * level + side * side)
    wanted = 0.5 * (square - dot(thigh, thigh) - dot(shank, shank)) - along
    wanted = minimum(maximum(wanted, -most), most)
    rest = sqrt((most - wanted) * (most + wanted))
    share = 1.0 / maximum(most * most, _TINY * _TINY)
    cos, sin = (level * wanted - side * rest) * share, (side * wanted + level * rest) * share
    # Half the angle, by whichever formula does not divide what is left of a difference.
    larger = sqrt(0.5 + 0.5 * abs(cos))
    smaller = 0.5 * sin / larger
    bends = most > _TINY  # a leg with a bone of no length does not
    w = where(bends, where(cos > 0.0, larger, smaller), 1.0)
    s = where(bends, where(cos > 0.0, smaller, larger), 0.0)
    return (w, s * hinge[0], s * hinge[1], s * hinge[2])


@formula
def reach(
    bones: tuple[Three, Three], axis: Three, goal: Three, square: float, turns: tuple[Four, Four, Four, Four]
) -> tuple[Four, Four, Four]:
    """Local rotations of hip and knee that bring an ankle to a goal, and by what the shank has turned.

    Thigh and shank, the axis mixed into the knee's hinge (`_hinge`) and the goal seen from the hip are world vectors;
    the leg gets as long as the square of a length says. World rotations are those of what is above the hip, the hip,
    what is above the knee, the knee.
    """
    thigh, shank = bones
    bent = _bend(thigh, shank, _hinge(thigh, shank, axis), square)
    raised = swing(_sum(thigh, rotate(bent, shank)), goal)
    hip = multiply(conjugate(turns[0]), multiply(raised, turns[1]))
    knee = multiply(conjugate(turns[2]), multiply(bent, turns[3]))
    return hip, knee, multiply(raised, bent)


@formula
def _bones(places: Positions, frame: int, leg: tuple[int, int, int]) -> tuple[Three, Three]:
    """Thigh and shank of a frame, hip, knee and ankle given."""
    hip, knee, ankle = (_place(places, frame, joint) for joint in leg)
    return from_to(hip, knee), from_to(knee, ankle)


@formula
def _add_axis(
    turns: Quaternions, places: Positions, frame: int, leg: tuple[int, int, int], total: Floats
) -> None:
    """Add what thigh and shank of a frame span, seen from the thigh."""
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
    """Write the local rotations of a leg in a frame, hip, knee and ankle, from a place in ``out`` on."""
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
    """Fill local rotations of hips, knees and ankles of L legs in N frames (L, N, 3, 4), laid flat, that reach.

    World rotations (F, J, 4) and positions (F, J, 3); hip, knee and ankle of each leg and the joints above them (L, 6);
    the frames (N,); where hips are (L, N, 3), where ankles are to be and how feet are turned (L, N, 4). The knee's mean
    hinge over all frames, fixed to the thigh, counts where the leg is straight: three numbers are worked in.
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
