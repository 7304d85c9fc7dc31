"""Half-second windows as numbers, low feet, and the area under the ROC curve, by loops."""

from __future__ import annotations

import math

CUTOFFS = (2.0, 6.0)
BANDS = ("below 2 Hz", "2 to 6 Hz", "above 6 Hz")
EITHER = (
    "slide a frame",
    "least slide below 6 Hz",
    "slide below 6 Hz",
    "spread",
    "drift",
    "tremor above 6 Hz",
)


def area(scores, positive):
    """Share of pairs of a positive and a negative in which the positive has the higher score; equal ones count half."""
    won = total = 0.0
    for one, first in zip(scores, positive, strict=True):
        for other, second in zip(scores, positive, strict=True):
            if first and not second:
                total += 1.0
                won += 1.0 if one > other else 0.5 if one == other else 0.0
    return won / total


def percentile(values, share):
    """Percentile by linear interpolation between sorted values, as numpy computes it."""
    order = sorted(values)
    at = share / 100.0 * (len(order) - 1)
    below = min(int(at), len(order) - 2) if len(order) > 1 else 0
    above = min(below + 1, len(order) - 1)
    return order[below] + (order[above] - order[below]) * (at - below)


def rest(heights):
    """Height at which a point rests."""
    return percentile(heights, 2.0)


def low(track, fps):
    """Flags of one point (F, 3): less than 3 cm above its rest, and slower than 0.3 m/s before or after."""
    base = rest([at[1] for at in track])
    span = min(max(1, round(fps / 15.0)), len(track) // 2)
    out = []
    for k, at in enumerate(track):
        speeds = []
        for one, other in ((k - span, k), (k, k + span)):
            if one >= 0 and other < len(track):
                gone = math.hypot(track[other][0] - track[one][0], track[other][2] - track[one][2])
                speeds.append(gone * fps / span)
        slow = min(speeds) < 0.3 if span else True
        out.append(at[1] - base < 0.03 and slow)
    return out


def smoothed(values, cutoff, fps):
    """One series after a Gaussian filter that halves the energy of a frequency; the end values continue."""
    sigma = math.sqrt(math.log(2.0)) / (2.0 * math.pi * cutoff) * fps
    half = math.ceil(3.0 * sigma)
    weights = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(-half, half + 1)]
    out = []
    for t in range(len(values)):
        total = 0.0
        for k, weight in zip(range(-half, half + 1), weights, strict=True):
            total += weight * values[min(max(t + k, 0), len(values) - 1)]
        out.append(total / sum(weights))
    return out


def bands(values, fps):
    """One series split into three bands that add up to it."""
    slow, quick = (smoothed(values, cutoff, fps) for cutoff in CUTOFFS)
    return [
        slow,
        [b - a for a, b in zip(slow, quick, strict=True)],
        [c - b for b, c in zip(quick, values, strict=True)],
    ]


def _angle(a, b, c):
    """Angle at b between a and c."""
    one, other = [p - q for p, q in zip(a, b, strict=True)], [p - q for p, q in zip(c, b, strict=True)]
    cos = sum(p * q for p, q in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))
    return math.acos(max(-1.0, min(1.0, cos)))


def _turned(angle):
    """The same angle between -pi and pi."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def _series(places, fps, names, moving, known):
    """Velocities of every point: its joint and word, and one series for each coordinate."""
    steps = range(len(places) - 1)
    out = {}
    for j in moving:
        out[names[j], ""] = [[(places[t + 1][j][c] - places[t][j][c]) * fps for t in steps] for c in range(3)]
    root = out[names[0], ""]
    for j in moving[1:]:
        own = out[names[j], ""]
        out[names[j], "beside the root"] = [
            [a - b for a, b in zip(own[c], root[c], strict=True)] for c in range(3)
        ]
    left, right = known["left_hip"], known["right_hip"]
    heading = [math.atan2(p[left][0] - p[right][0], p[left][2] - p[right][2]) for p in places]
    along = [math.hypot(root[0][t], root[2][t]) for t in steps]
    out[names[0], "height"] = [root[1]]
    out[names[0], "heading"] = [[_turned(heading[t + 1] - heading[t]) * fps for t in steps]]
    out[names[0], "speed along the ground"] = [[0.1 * fps * (along[t] - along[max(t - 1, 0)]) for t in steps]]
    for side in ("left", "right"):
        hip, knee, ankle = (known[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        bend = [_angle(p[hip], p[knee], p[ankle]) for p in places]
        out[names[knee], "bend"] = [[(bend[t + 1] - bend[t]) * fps for t in steps]]
    return out


def _in_the_middle(offset, order, fps):
    return abs(offset + order / 2) <= fps / 12.0


def _band_features(places, fps, row, names, moving, known):
    half = round(0.25 * fps)
    out = {}
    for (joint, of), series in _series(places, fps, names, moving, known).items():
        split = [bands(one, fps) for one in series]
        for number, band in enumerate(BANDS):
            inside, outside = [], []
            for offset in range(-half, half):
                energy = sum(each[number][row + offset] ** 2 for each in split)
                (inside if _in_the_middle(offset, 1, fps) else outside).append(energy)
            values = [0.5 * math.log10(sum(v) / len(v) + 1e-8) for v in (inside, outside)]
            for word, value in (
                ("in the middle", values[0]),
                ("in the rest", values[1]),
                ("middle over rest", values[0] - values[1]),
            ):
                out[joint, band, f"{of} {word}".strip()] = value
    return out


def _derivative_features(places, fps, row, names):
    half = round(0.25 * fps)
    out = {}
    signs = {1: (-1, 1), 2: (1, -2, 1), 3: (-1, 3, -3, 1)}
    for order, word in ((1, "speed"), (2, "acceleration"), (3, "jerk")):
        for j, name in enumerate(names):
            every, inside, outside = [], [], []
            for offset in range(-half, half + 1 - order):
                vector = [
                    sum(sign * places[row + offset + k][j][c] for k, sign in enumerate(signs[order]))
                    for c in range(3)
                ]
                value = math.hypot(*vector) * fps**order
                every.append(value)
                (inside if _in_the_middle(offset, order, fps) else outside).append(value)
            out[name, word, "mean"] = math.log10(sum(every) / len(every) + 1e-4)
            most, rest_of = math.log10(max(inside) + 1e-4), math.log10(max(outside) + 1e-4)
            out[name, word, "largest in the middle"] = most
            out[name, word, "largest, middle over rest"] = most - rest_of
    return out


def _line(points):
    """Spread about the mean, and drift of a fitted line, of positions (t, x, z)."""
    n = len(points)
    if n < 2:
        return math.nan, math.nan
    mean = [sum(p[k] for p in points) / n for k in range(3)]
    spread = math.sqrt(sum((p[1] - mean[1]) ** 2 + (p[2] - mean[2]) ** 2 for p in points) / n)
    time = sum((p[0] - mean[0]) ** 2 for p in points)
    slope = [sum((p[0] - mean[0]) * (p[k] - mean[k]) for p in points) / time for k in (1, 2)]
    return spread, math.hypot(*slope)


def _one_foot(track, fps, row):
    """Features of one foot point (F, 3), and its lowest height in the window."""
    half = round(0.25 * fps)
    flags, base = low(track, fps), rest([at[1] for at in track])
    velocity = [[(track[t + 1][c] - track[t][c]) * fps for t in range(len(track) - 1)] for c in range(3)]
    split = [bands(one, fps) for one in velocity]
    slides, slow, heights, points = [], [], [], []
    speeds: list[list[float]] = [[], [], []]
    every = []
    for k, offset in enumerate(range(-half, half)):
        t = row + offset
        every.append(track[t + 1][1] - base)
        if not (flags[t] and flags[t + 1]):
            continue
        slides.append(math.hypot(track[t + 1][0] - track[t][0], track[t + 1][2] - track[t][2]))
        slow.append(math.hypot(*(split[c][0][t] + split[c][1][t] for c in (0, 2))))
        for band in range(3):
            speeds[band].append(math.hypot(*(split[c][band][t] for c in range(3))))
        heights.append(track[t + 1][1] - base)
        points.append((k, track[t + 1][0], track[t + 1][2]))

    def mean(values):
        return sum(values) / len(values) if values else math.nan

    def ten(value, least):
        return math.log10(value + least)

    def end(choose, values):
        return choose(values) if values else math.nan

    spread, drift = _line(points)
    return {
        "share of frames": len(slides) / (2 * half),
        "slide": sum(slides) if slides else math.nan,
        "slide a frame": ten(mean(slides), 1e-6),
        "least slide a frame": ten(end(min, slides), 1e-6),
        "largest slide a frame": ten(end(max, slides), 1e-6),
        "speed below 2 Hz": ten(mean(speeds[0]), 1e-4),
        "least speed below 2 Hz": ten(end(min, speeds[0]), 1e-4),
        "speed 2 to 6 Hz": ten(mean(speeds[1]), 1e-4),
        "tremor above 6 Hz": 0.5 * ten(mean([v**2 for v in speeds[2]]), 1e-8),
        "slide below 6 Hz": ten(mean(slow), 1e-4),
        "least slide below 6 Hz": ten(end(min, slow), 1e-4),
        "largest slide below 6 Hz": ten(end(max, slow), 1e-4),
        "spread": ten(spread, 1e-4),
        "drift": ten(drift, 1e-4),
        "height": mean(heights),
        "rise": end(max, heights) - end(min, heights),
    }, min(every)


def _foot_features(places, fps, row, names, known):
    roles = [f"{side}_{part}" for side in ("left", "right") for part in ("ankle", "toe")]
    out, feet = {}, []
    for joint in [known[role] for role in roles if role in known]:
        numbers, lowest = _one_foot([p[joint] for p in places], fps, row)
        feet.append(numbers)
        out |= {(names[joint], "low", value): number for value, number in numbers.items()}
        out[names[joint], "height", "lowest"] = lowest
    for value in EITHER:
        there = [numbers[value] for numbers in feet if not math.isnan(numbers[value])]
        out["feet", "low", f"least {value}"] = min(there) if there else math.nan
        out["feet", "low", f"most {value}"] = max(there) if there else math.nan
    return out


def features(places, fps, middle, *, names, moving, known):
    """All features of one window by joint, band and value.

    ``places`` (F, J, 3) are the positions of all joints of a complete motion, ``moving`` the joints that do not
    coincide with their parent.
    """
    stride = max(1, round(fps / 60.0))
    places, rate, row = places[::stride], fps / stride, middle // stride
    return {
        **_band_features(places, rate, row, names, moving, known),
        **_derivative_features(places, rate, row, names),
        **_foot_features(places, rate, row, names, known),
    }


def slips(places, flags, shown, sources):
    """Plants of flags (F, 4): part, start, stop, path along the ground, and the path of the source frames shown.

    ``places`` (F, 4, 3) are the motion's positions, ``shown`` a name and row for each frame, ``sources`` positions by
    name.
    """
    out = []
    for part in range(4):
        t = 0
        while t < len(flags):
            if not flags[t][part]:
                t += 1
                continue
            start = t
            while t < len(flags) and flags[t][part]:
                t += 1
            path = own = 0.0
            for k in range(start + 1, t):
                a, b = places[k - 1][part], places[k][part]
                path += math.hypot(b[0] - a[0], b[2] - a[2])
                name, row = shown[k]
                a, b = sources[name][max(row - 1, 0)][part], sources[name][row][part]
                own += math.hypot(b[0] - a[0], b[2] - a[2])
            out.append((part, start, t, path, own))
    return out
