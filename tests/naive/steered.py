"""A steered character by loops: one joint, one example, one keytime at a time, from the definitions."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np


def times(a, b):
    """Product of two quaternions."""
    aw, av, bw, bv = a[0], np.asarray(a[1:]), b[0], np.asarray(b[1:])
    return np.concatenate([[aw * bw - av @ bv], aw * bv + bw * av + np.cross(av, bv)])


def inverse(q):
    return np.array([q[0], -q[1], -q[2], -q[3]])


def turned(q, v):
    return times(times(q, np.concatenate([[0.0], v])), inverse(q))[1:]


def up(angle):
    return np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])


def log(q):
    q = q / np.linalg.norm(q)
    if q[0] < 0:
        q = -q
    size = np.linalg.norm(q[1:])
    return q[1:] * (math.atan2(size, q[0]) / size if size > 1e-15 else 1.0)


def exp(v):
    size = np.linalg.norm(v)
    return np.concatenate([[math.cos(size)], v * (math.sin(size) / size if size > 1e-15 else 1.0)])


def spline(x):
    x = abs(x)
    if x < 1:
        return 2 / 3 - x**2 + x**3 / 2
    return (2 - x) ** 3 / 6 if x < 2 else 0.0


def weights(places, place):
    """Pose weights: a plane plus bumps for its remainder. Timewarp weights: nearby examples, the rest evenly."""
    places = np.asarray(places)
    count = len(places)
    apart = [[float(np.linalg.norm(a - b)) for b in places] for a in places]
    reach = [min([d for j, d in enumerate(row) if j != i], default=1.0) for i, row in enumerate(apart)]
    middle = places.mean(axis=0)
    plane = np.linalg.pinv(np.column_stack([np.ones(count), places - middle]))
    bumps = np.array([[spline(apart[i][j] / reach[j]) for j in range(count)] for i in range(count)])
    left = np.eye(count) - np.column_stack([np.ones(count), places - middle]) @ plane
    radial = np.linalg.solve(bumps, left)
    away = [float(np.linalg.norm(place - other)) for other in places]
    pose = np.concatenate([[1.0], place - middle]) @ plane
    pose = pose + np.array([spline(away[j] / reach[j]) for j in range(count)]) @ radial
    support = np.array([spline(2 * away[j] / reach[j]) / spline(0) for j in range(count)])
    if support.sum() > 1:
        support = support / support.sum()
    return pose, support + (1 - support.sum()) / count


def into_hull(place, normals, limits):
    """Nearest point within half-spaces, by general optimisation."""
    from scipy.optimize import minimize

    found = minimize(
        lambda x: 0.5 * np.sum((x - place) ** 2),
        place,
        jac=lambda x: x - place,
        constraints={"type": "ineq", "fun": lambda x: limits - normals @ x, "jac": lambda _: -normals},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


def rate(rates, at, warp):
    """Intervals per second (eq. 9)."""
    return sum(w * r for w, r in zip(warp, rates[min(int(at), len(rates) - 1)], strict=True))


def pose_at(one, at, pose, warp, reference, per_interval):
    """Pose by logarithms about a reference (eq. 13 to 15), and the linear channels."""
    k = min(int(at * per_interval), len(one.rotations) - 2)
    u = at * per_interval - k
    joints = one.rotations.shape[-1]
    out = np.empty((4, joints))
    for j in range(joints):
        total = np.zeros(3)
        for i, w in enumerate(pose):
            q = (1 - u) * one.rotations[k, i, :, j] + u * one.rotations[k + 1, i, :, j]
            total += w * log(times(inverse(reference[:, j]), q))
        out[:, j] = times(reference[:, j], exp(total))
        out[:, j] /= np.linalg.norm(out[:, j])
    beside = np.zeros(16)
    for i in range(len(pose)):
        value = (1 - u) * one.beside[k, i] + u * one.beside[k + 1, i]
        beside[:12] += pose[i] * value[:12]
        beside[12:] += warp[i] * value[12:]
    return out, beside


def spring(value, speed, target, rate_, dt):
    """Critically damped spring, from its matrix exponential."""
    from scipy.linalg import expm

    move = expm(np.array([[0.0, 1.0], [-(rate_**2), -2 * rate_]]) * dt)
    gap, speed = move @ np.array([value - target, speed])
    return target + gap, speed


class Character:
    """One character. ``model`` holds nodes, transitions, hops and body; the test makes it."""

    def __init__(self, model, kind, place, reference):
        self.m = model
        self.kind, self.at, self.over, self.over_at, self.over_from = kind, 0.0, None, 0.0, 0.0
        self.mode = "staying"
        self.place, self.pace = np.array(place, float), np.zeros(len(place))
        self.x = self.z = self.heading = self.drop = self.raised = self.rising = 0.0
        self.ground, self.grade = (0.0, 0.0), (0.0, 0.0)  # height under each foot, and slope angle ahead
        self.base = 0.0  # ground height above which the body is held
        self.refs = [reference.copy() for _ in range(3)]
        pose, _ = self.node_weights(kind)
        self.speeds = np.array([0.0, *(pose @ model.nodes[kind].beside[0, :, 4:6])])
        self.feet = [SimpleNamespace(known=False) for _ in range(2)]

    def node_weights(self, kind):
        node = self.m.nodes[kind]
        place = self.place / node.scale
        limits = node.limits + (1 - node.flat) * self.m.settings.beyond
        if np.any(node.normals @ place > limits):
            place = into_hull(place, node.normals, limits)
        return weights(node.places, place)

    def begin(self, command):
        hop = self.m.hops[self.kind][command.kind]
        if hop in (-1, self.kind):
            return False
        best = None
        for edge in self.m.transitions:
            if (edge.source, edge.target) != (self.kind, hop):
                continue
            node = self.m.nodes[self.kind]
            at = (self.at - edge.from_interval) % len(node.rates) if node.steps else 0.0
            if at <= edge.before - min(self.m.settings.left_over, edge.before) and (
                best is None or at > best[1]
            ):
                best = (edge, at)
        if best is None:
            return False
        self.over, self.over_at = best
        self.over_from, self.mode = self.over_at, "leaving"
        both = np.concatenate([self.place, command.parameters]) / self.over.scale
        if np.any(self.over.normals @ both > self.over.limits):
            both = into_hull(both, self.over.normals, self.over.limits)
        self.over_weights = weights(self.over.places, both)
        self.refs[1] = self.refs[2].copy()
        return True

    def share(self):
        if self.mode == "leaving":
            b = (self.over_at - self.over_from) / (self.over.before - self.over_from)
            return 0.5 * math.cos(min(b, 1) * math.pi) + 0.5
        if self.mode == "arriving":
            e = (self.over_at - len(self.over.rates) + self.over.after) / self.over.after
            return 1 - (0.5 * math.cos(min(e, 1) * math.pi) + 0.5)
        return 1.0 if self.mode == "staying" else 0.0

    def go_on(self, command, dt):  # noqa: C901
        for p in range(len(self.place)):
            self.place[p], self.pace[p] = spring(
                self.place[p], self.pace[p], command.parameters[p], self.m.settings.agility, dt
            )
        left = dt
        while True:
            node = self.m.nodes[self.kind]
            count = len(node.rates)
            _, warp = self.node_weights(self.kind)
            if self.mode == "staying":
                if self.begin(command):
                    continue
                if left <= 0:
                    return
                speed = rate(node.rates, self.at, warp)
                edge = math.floor(self.at) + 1
                if (edge - self.at) / speed > left:
                    self.at += left * speed
                    return
                left -= (edge - self.at) / speed
                self.at = edge % count
                continue
            whole = len(self.over.rates)
            if self.mode == "leaving" and self.over_at >= self.over.before:
                self.mode = "between"
            if self.mode == "between" and self.over_at >= whole - self.over.after:
                self.mode, self.kind, self.at = "arriving", self.over.target, 0.0
                self.refs[0] = self.refs[2].copy()
                continue
            if node.steps and self.mode == "leaving":
                self.at = (self.over.from_interval + self.over_at) % count
            if node.steps and self.mode == "arriving":
                self.at = (self.over.to_interval + self.over_at - whole + self.over.after) % count
            if self.mode == "arriving" and self.over_at >= whole:
                self.mode = "staying"
                continue
            if left <= 0:
                return
            own = rate(node.rates, self.at, warp)
            speed = rate(self.over.rates, self.over_at, self.over_weights[1])
            if node.steps:
                speed = self.share() * own + (1 - self.share()) * speed
            edge = math.floor(self.over_at) + 1
            gone = min(left, (edge - self.over_at) / speed)
            if not node.steps and self.mode != "between":
                self.at = (self.at + gone * own) % count
            self.over_at = edge if gone < left else self.over_at + gone * speed
            left -= gone

    def step(self, dt, command):
        """Local rotations (J, 4) and root (3,) after dt seconds."""
        self.go_on(command, dt)
        share = self.share()
        per = self.m.per_interval
        if self.mode != "staying":
            self.refs[1], over = pose_at(self.over, self.over_at, *self.over_weights, self.refs[1], per)
        if self.mode != "between":
            pose, warp = self.node_weights(self.kind)
            self.refs[0], beside = pose_at(self.m.nodes[self.kind], self.at, pose, warp, self.refs[0], per)
        if self.mode == "staying":
            now = self.refs[0].copy()
        elif self.mode == "between":
            now, beside = self.refs[1].copy(), over
        else:
            now = np.empty_like(self.refs[0])
            for j in range(now.shape[1]):
                gap = log(times(inverse(self.refs[1][:, j]), self.refs[0][:, j]))
                now[:, j] = times(self.refs[1][:, j], exp(share * gap))
            beside = share * beside + (1 - share) * over
        self.refs[2] = now
        mean = (beside[3:6] + self.speeds) / 2 * dt
        self.speeds = beside[3:6]
        middle = self.heading + mean[2] / 2
        moved = turned(up(middle), np.array([mean[0], 0.0, mean[1]]))
        self.x, self.z, self.heading = self.x + moved[0], self.z + moved[2], self.heading + mean[2]
        return self.stand(now.T.copy(), beside, dt)

    def down(self, rotations, root, joint):
        """World rotation and position of a joint and of every joint above it, from the root down."""
        path = [joint]
        while self.m.parents[path[0]] >= 0:
            path.insert(0, self.m.parents[path[0]])
        turn, place = rotations[0], np.array(root)
        at = {path[0]: (turn, place)}
        for j in path[1:]:
            place = place + turned(turn, self.m.offsets[j])
            turn = times(turn, rotations[j])
            at[j] = (turn, place)
        return at

    def stand(self, rotations, beside, dt):
        settings = self.m.settings
        guide, ahead = np.array([self.x, 0.0, self.z]), up(self.heading)
        rotations[0] = times(ahead, rotations[0])
        before = self.raised
        self.raised, self.rising = spring(before, self.rising, self.base, settings.sinking, dt)
        guide = guide + np.array([0.0, self.raised, 0.0])
        root = guide + turned(ahead, beside[:3])
        goals, turns, need = [], [], 0.0
        for side, foot in enumerate(self.feet):
            hip, knee, ankle = self.m.legs[side]
            at = self.down(rotations, root, ankle)
            goal = guide + turned(ahead, beside[6 + 3 * side : 9 + 3 * side])
            down = beside[12 + 2 * side : 14 + 2 * side] > 0.5
            if foot.known:
                foot.away[1] -= self.raised - before
            goal, turn = self.hold(foot, side, goal, at[ankle][0], down, dt)
            goals.append(goal)
            turns.append(turn)
            if down.any():
                bone = np.linalg.norm(at[knee][1] - at[hip][1]) + np.linalg.norm(at[ankle][1] - at[knee][1])
                flat = (goal - at[hip][1])[[0, 2]]
                need = max(
                    need, at[hip][1][1] - goal[1] - math.sqrt(max((0.999 * bone) ** 2 - flat @ flat, 0))
                )
        self.drop = max(need, self.drop * math.exp(-settings.sinking * dt))
        root = root - np.array([0.0, self.drop, 0.0])
        for side in range(2):
            self.bend(rotations, root, side, goals[side], turns[side])
        return rotations, root

    def hold(self, foot, side, goal, turn, down, dt):  # noqa: C901
        soles = self.m.soles[2 * side : 2 * side + 2]
        along = turned(turn, soles[1] - soles[0])
        faces = math.atan2(along[0], along[2])
        settings = self.m.settings
        if not foot.known:
            foot.away, foot.drift, foot.yaw, foot.spin = np.zeros(3), np.zeros(3), 0.0, 0.0
            foot.was = np.zeros(2, bool)
            foot.held = np.zeros((2, 3))
            foot.faced = faces
            foot.tilt, foot.tip = self.grade[side], 0.0
        part = None
        if down.any():
            if down.all() and foot.was.all():
                change = faces - foot.faced
                foot.yaw -= math.atan2(math.sin(change), math.cos(change))
            part = 1 if down[1] and foot.was[1] else 0 if down[0] and foot.was[0] else None
            foot.spin = foot.drift[0] = foot.drift[2] = foot.tip = 0.0
            if part is None:
                foot.drift[1] = 0.0
        elif foot.known:
            foot.yaw, foot.spin = spring(foot.yaw, foot.spin, 0.0, settings.release, dt)
            for c in range(3):
                to = self.ground[side] - self.raised if c == 1 else 0.0
                foot.away[c], foot.drift[c] = spring(foot.away[c], foot.drift[c], to, settings.release, dt)
            foot.tilt, foot.tip = spring(foot.tilt, foot.tip, self.grade[side], settings.release, dt)
        held = times(up(foot.yaw), turn)
        ahead = turned(held, soles[1] - soles[0])
        axis = np.cross([ahead[0], 0.0, ahead[2]], [0.0, 1.0, 0.0])
        axis = math.sin(foot.tilt / 2) * axis / np.linalg.norm(axis)
        held = times(np.concatenate([[math.cos(foot.tilt / 2)], axis]), held)
        if down.any():
            lower = part if part is not None else int(down[1])
            reach = turned(held, soles[lower])
            if part is not None and foot.known:
                foot.away[[0, 2]] = (foot.held[part] - goal - reach)[[0, 2]]
            level = self.ground[side] + self.m.heights[2 * side + lower]
            natural = goal[1] + reach[1]
            if not foot.known:
                foot.away[1] = level - natural
            elif part is not None:
                lies = foot.held[part][1]
                level = max(level, lies) if part == 0 else level
                lies, foot.drift[1] = spring(lies, foot.drift[1], level, settings.landing, dt)
                foot.away[1] = lies - natural
        goal = goal + foot.away
        foot.held = np.array([goal + turned(held, sole) for sole in soles])
        foot.was, foot.faced, foot.known = down.copy(), faces, True
        return goal, held

    def bend(self, rotations, root, side, goal, foot):
        """Bend the knee by search until the leg spans the distance to the goal, then swing it there."""
        from scipy.optimize import brentq

        hip, knee, ankle = self.m.legs[side]
        at = self.down(rotations, root, ankle)
        thigh, shank = at[knee][1] - at[hip][1], at[ankle][1] - at[knee][1]
        a, b = np.linalg.norm(thigh), np.linalg.norm(shank)
        to = goal - at[hip][1]
        wanted = min(max(np.linalg.norm(to), abs(a - b) + 1e-9), (a + b) * (1 - 1e-6))
        axis = np.cross(thigh, shank) + 0.05 * a * b * turned(at[hip][0], self.m.axes[side])
        axis /= np.linalg.norm(axis)

        def bent(angle):
            return turned(np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis]), shank)

        def longer(angle):
            return np.linalg.norm(thigh + bent(angle)) - wanted

        square = np.cross(axis, thigh)
        phase = math.atan2(bent(0.0) @ square / np.linalg.norm(square), bent(0.0) @ thigh / a)
        angle = brentq(longer, -phase, math.pi - phase) if longer(-phase) > 0 else -phase
        turn = np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis])
        reached = thigh + bent(angle)
        w = np.linalg.norm(reached) * np.linalg.norm(to) + reached @ to
        lift = np.concatenate([[w], np.cross(reached, to)])
        lift /= np.linalg.norm(lift)
        parents = self.m.parents
        rotations[hip] = times(inverse(at[parents[hip]][0]), times(lift, at[hip][0]))
        rotations[knee] = times(inverse(at[parents[knee]][0]), times(turn, at[knee][0]))
        above = times(lift, times(turn, at[parents[ankle]][0]))
        rotations[ankle] = times(inverse(above), foot)


def crowd(characters, dt, commands):
    """Step many characters, each separately."""
    return [one.step(dt, command) for one, command in zip(characters, commands, strict=True)]
