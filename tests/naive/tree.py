"""Lengths in a tree of bones, by walking every path."""

from __future__ import annotations


def paths_down(parents, lengths, tips, joint):
    """Every path from a joint down to a leaf or a tip, as (length, joints)."""
    paths = [(tips[joint], [joint])]
    for child in range(len(parents)):
        if parents[child] == joint:
            for length, joints in paths_down(parents, lengths, tips, child):
                paths.append((lengths[child] + length, [joint, *joints]))
    return paths


def longest_down(parents, lengths, tips, joint):
    """The longest path down, as (length, joints)."""
    best = paths_down(parents, lengths, tips, joint)[0]
    for length in paths_down(parents, lengths, tips, joint):
        if length[0] > best[0]:
            best = length
    return best


def ancestors(parents, joint):
    """A joint and everything above it, from the joint up."""
    out = [joint]
    while parents[out[-1]] >= 0:
        out.append(parents[out[-1]])
    return out


def distance(parents, lengths, a, b):
    """Length of the path from one joint to another through the tree."""
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
    """Longest path between two joints or tips."""
    best = 0.0
    for a in range(len(parents)):
        for b in range(len(parents)):
            length = distance(parents, lengths, a, b) + (tips[a] + tips[b] if a != b else tips[a])
            best = max(best, length)
    return best
