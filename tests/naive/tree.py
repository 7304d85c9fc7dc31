"""Lengths in a tree of bones, by walking every way there is."""

from __future__ import annotations


def ways_down(parents, lengths, tips, joint):
    """Every way from a joint down to a leaf or a tip, as (length, joints)."""
    ways = [(tips[joint], [joint])]
    for child in range(len(parents)):
        if parents[child] == joint:
            for length, joints in ways_down(parents, lengths, tips, child):
                ways.append((lengths[child] + length, [joint, *joints]))
    return ways


def longest_down(parents, lengths, tips, joint):
    """Longest of them."""
    best = ways_down(parents, lengths, tips, joint)[0]
    for way in ways_down(parents, lengths, tips, joint):
        if way[0] > best[0]:
            best = way
    return best


def ancestors(parents, joint):
    """A joint and everything above it, from below."""
    out = [joint]
    while parents[out[-1]] >= 0:
        out.append(parents[out[-1]])
    return out


def distance(parents, lengths, a, b):
    """Length of the way from one joint to another through the tree."""
    above = ancestors(parents, a)
    total = 0.0
    while b not in above:
        total += lengths[b]
        b = parents[b]
    while a != b:
        total += lengths[a]
        a = parents[a]
    return total


def size(parents, lengths, tips):
    """Longest way between two joints or tips."""
    best = 0.0
    for a in range(len(parents)):
        for b in range(len(parents)):
            way = distance(parents, lengths, a, b) + (tips[a] + tips[b] if a != b else tips[a])
            best = max(best, way)
    return best
