"""More faults, as `planted_faults` lists them: name, what goes wrong, file, old text, new text, tests."""

from __future__ import annotations

MORE: tuple[tuple[str, str, str, str, str, tuple[str, ...]], ...] = (
    (
        "good taken for bad",
        "Weights are learnt from labels turned round.",
        "learning/weights.py",
        "[not label.good for label in labels]",
        "[label.good for label in labels]",
        ("learning/test_weights.py",),
    ),
    (
        "loop of pose alone",
        "A loop ends where it began, and goes on at another speed.",
        "synthesis/loop.py",
        "apart - 0.5 * bump[:, None, None] * (begins - ends)",
        "apart - 0.0 * bump[:, None, None] * (begins - ends)",
        ("synthesis/test_loop.py",),
    ),
    (
        "mirror keeps its sides",
        "What the right arm did the right arm does, mirrored.",
        "motion/mirror.py",
        "_between_mirrors(rest_wall, clip.rotations[:, order], rest_wall)",
        "_between_mirrors(rest_wall, clip.rotations, rest_wall)",
        ("motion/test_mirror.py",),
    ),
    (
        "request forgotten",
        "A live character takes any way instead of the quickest one to what was asked for.",
        "runtime/graph_player.py",
        "option = options[int(np.argmin(frames))]",
        "option = options[-1]",
        ("runtime/test_graph_player.py",),
    ),
    (
        "crowd in step",
        "All characters of a crowd draw the same chances.",
        "runtime/crowd.py",
        "streams(seed, self.numbers)",
        "streams(seed, 0 * self.numbers)",
        ("runtime/test_crowd.py",),
    ),
)
