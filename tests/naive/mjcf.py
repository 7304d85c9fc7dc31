"""World positions of the bodies of a MuJoCo model, from the definition of its joints, one after the other."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from naive import quaternions as naive


def _numbers(element: ET.Element, key: str, default: str) -> list[float]:
    return [float(word) for word in element.get(key, default).split()]


def places(xml: str, qpos: list[float]) -> dict[str, list[float]]:
    """Pivot of each body (its joints' pivot, else its origin), by name; angles of hinges are radians."""
    values = list(qpos)
    out: dict[str, list[float]] = {}

    def walk(body: ET.Element, at: list[float], turn: list[float]) -> None:
        offset = _numbers(body, "pos", "0 0 0")
        place = [a + b for a, b in zip(at, naive.rotated(turn, offset), strict=True)]
        turn = naive.product(turn, _numbers(body, "quat", "1 0 0 0"))
        pivot = [0.0, 0.0, 0.0]
        for joint in body:
            if joint.tag == "freejoint":
                place = [values.pop(0) for _ in range(3)]
                turn = [values.pop(0) for _ in range(4)]
            elif joint.tag == "joint" and joint.get("type", "hinge") == "ball":
                turn = naive.product(turn, [values.pop(0) for _ in range(4)])
            elif joint.tag == "joint":
                pivot = _numbers(joint, "pos", "0 0 0")
                axis = _numbers(joint, "axis", "0 0 1")
                length = math.sqrt(sum(v * v for v in axis))
                half = values.pop(0) / 2
                own = [math.cos(half), *(math.sin(half) * v / length for v in axis)]
                # The pivot does not move.
                before = naive.rotated(turn, pivot)
                turn = naive.product(turn, own)
                after = naive.rotated(turn, pivot)
                place = [p + b - a for p, b, a in zip(place, before, after, strict=True)]
        out[body.get("name", "")] = [p + v for p, v in zip(place, naive.rotated(turn, pivot), strict=True)]
        for child in body.findall("body"):
            walk(child, place, turn)

    ground = ET.fromstring(xml).find("worldbody")
    assert ground is not None
    for body in ground.findall("body"):
        walk(body, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])
    return out
