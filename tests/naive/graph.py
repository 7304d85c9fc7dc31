"""Motion graphs by plain loops: reachable nodes, repeats and stretches from origins, orders by full search."""

from itertools import product
from math import exp


def reachable(start, leads):
    """Nodes that depth-first search finds from a node; ``leads`` maps a node to the nodes after it."""
    seen = {start}

    def visit(node):
        for after in leads.get(node, ()):
            if after not in seen:
                seen.add(after)
                visit(after)

    visit(start)
    return seen


def all_reach_all(nodes, edges):
    """Return whether every node reaches every other along edges (from, to) between these nodes alone."""
    leads = {node: [b for a, b in edges if a == node and b in nodes] for node in nodes}
    return all(reachable(node, leads) == set(nodes) for node in nodes)


def shown(origin_clip, origin_frame, origin_weight):
    """Clip and source frame that each frame mainly shows: the heavier of its two sources, the first of equals."""
    rows = []
    for clips, frames, weights in zip(origin_clip, origin_frame, origin_weight, strict=True):
        heavier = 0 if weights[0] >= weights[1] or clips[1] < 0 else 1
        rows.append((clips[heavier], frames[heavier]))
    return rows


def repeats(rows, *, within, longer):
    """Count runs of more than ``longer`` frames that were all shown less than ``within`` frames before.

    A run ends where the motion jumps to another moment or shows something new.
    """
    last = {}
    count = run = 0
    for now, row in enumerate(rows):
        clip, frame = row
        goes_on = now > 0 and rows[now - 1][0] == clip and abs(frame - rows[now - 1][1] - 1) < 1e-6
        lately = row in last and now - last[row] < within
        run = 0 if not lately else run + 1 if goes_on else 1
        count += run == longer + 1
        last[row] = now
    return count


def longest_stretch(origin_clip, origin_frame):
    """Frames of the longest unbroken stretch of one clip, including blends at its ends."""
    best = 0
    going = {}
    for clips, frames in zip(origin_clip, origin_frame, strict=True):
        now = {}
        for clip, frame in zip(clips, frames, strict=True):
            if clip >= 0:
                now[clip, frame] = going.get((clip, frame - 1), 0) + 1
        going = now
        best = max(best, *now.values())
    return best


def probabilities(costs, sigma):
    """Probability of each transition from its cost, followed by that of playing on, which costs nothing."""
    weights = [exp(-cost / sigma) for cost in costs] + [1.0]
    return [weight / sum(weights) for weight in weights]


def best_order(steps, clip_frames, length, least):
    """Cheapest choice of one join for each step of an order, by trying all.

    A step is a list of (start in the clip left, start in the clip entered, cost, badness); ``clip_frames`` is the
    length of the last clip. Avoiding flaws (a seam out of bounds, a clip alone for less than ``least`` frames) takes
    precedence over cost; smaller flaws are preferred to larger ones.
    """
    heavy = 1.0 + sum(max(cost for _, _, cost, _ in step) for step in steps)
    best, taken = None, None
    for leads in product(*[range(len(step)) for step in steps]):
        joins = [step[k] for step, k in zip(steps, leads, strict=True)]
        arrivals = [0, *(b_start + length for _, b_start, _, _ in joins)]
        leaves = [*(a_start for a_start, _, _, _ in joins), clip_frames]
        alone = [leave - arrive for leave, arrive in zip(leaves, arrivals, strict=True)]
        if min(alone) < 0:
            continue
        total = sum(cost for _, _, cost, _ in joins)
        for _, _, _, badness in joins:
            if badness > 1.0:
                total += heavy * badness
        for frames in alone:
            if frames < least:
                total += heavy * (1.0 + (least - frames) / max(least, 1))
        if best is None or total < best:
            best, taken = total, list(leads)
    return best, taken
