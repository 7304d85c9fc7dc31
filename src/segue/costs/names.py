"""Names of the costs and a line about each, for help texts: importing this loads nothing.

`segue.costs.registry` holds the costs themselves; a test keeps the two in step.
"""

from __future__ import annotations

COST_NAMES: dict[str, str] = {
    "point_cloud": "body points over a third of a second, best aligned on the ground",
    "joint_angle": "joints turned apart and moving apart",
    "relative_distance": "distances between joints",
    "features": "feet, pelvis and the way ahead, as motion matching looks at them",
}
"""What each cost compares."""


def cost_help() -> str:
    """One sentence naming every cost.

    Examples
    --------
    >>> cost_help()[:40]
    'How moments are compared: point_cloud (b'
    """
    named = [f"{name} ({line})" for name, line in COST_NAMES.items()]
    return f"How moments are compared: {', '.join(named[:-1])} or {named[-1]}."
