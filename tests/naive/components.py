"""Strongly connected components by trying every pair of nodes, and the automatic threshold by trying every cost."""


def reachable(start, edges):
    """All nodes that can be reached from a node, including itself."""
    seen, todo = {start}, [start]
    while todo:
        node = todo.pop()
        for head, tail in edges:
            if head == node and tail not in seen:
                seen.add(tail)
                todo.append(tail)
    return seen


def components(n_nodes, edges):
    """Sets of nodes that all reach each other, ordered by their first node."""
    reach = [reachable(node, edges) for node in range(n_nodes)]
    parts = []
    for node in range(n_nodes):
        part = {other for other in reach[node] if node in reach[other]}
        if part not in parts:
            parts.append(part)
    return parts


def largest_component(n_nodes, pieces, jumps):
    """Nodes and frames of the component with most frames; pieces are (from, to, frames), jumps (from, to)."""
    edges = [(head, tail) for head, tail, _ in pieces] + list(jumps)
    best, most = set(), 0
    for part in components(n_nodes, edges):
        held = sum(frames for head, tail, frames in pieces if head in part and tail in part)
        if held > most:
            best, most = part, held
    return best, most


def frames_held(jumps):
    """Frames in the largest component that jumps (from clip, from frame, to clip, to frame) form by their own nodes."""
    nodes = sorted({(jump[0], jump[1]) for jump in jumps} | {(jump[2], jump[3]) for jump in jumps})
    pieces = [
        (k, k + 1, nodes[k + 1][1] - nodes[k][1])
        for k in range(len(nodes) - 1)
        if nodes[k][0] == nodes[k + 1][0]
    ]
    edges = [(nodes.index((jump[0], jump[1])), nodes.index((jump[2], jump[3]))) for jump in jumps]
    return largest_component(len(nodes), pieces, edges)[1]


def auto_threshold(jumps, costs, share):
    """Lowest cost whose jumps hold the given share of the frames that all jumps hold."""
    most = frames_held(jumps)
    for threshold in sorted(costs):
        allowed = [jump for jump, cost in zip(jumps, costs, strict=True) if cost <= threshold]
        if most and frames_held(allowed) >= share * most:
            return threshold
    return None
