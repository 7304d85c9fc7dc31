"""Set-up of each command's page before its two examples: commands, and files with their text."""

from __future__ import annotations

_CLIPS = "segue samples -o clips/"


def _typed(*lines: str) -> str:
    return "\n".join(["```sh", *lines, "```"])


def _file(name: str, text: str) -> str:
    kind = "toml" if name.endswith(".toml") else "text"
    return f"```{{code-block}} {kind}\n:caption: {name}\n\n{text.strip()}\n```"


_ENDLESS = _typed(_CLIPS, "segue wander clips/ --seconds 20 --seed 1 -o endless.bvh")
_MOVES = _typed("segue library add moves.segue sample:")
_WALKER = _typed(_CLIPS, "segue locomotion build clips/ -o walker.segue")
_WISHES = _file(
    "wishes.csv",
    """
seconds,type,speed,turn
0,stand,0,0
1,walk,1.3,20
6,run,3,0
9,stand,0,0
""",
)
_PATH = "printf '0,0\\n0,3\\n2,6\\n' > path.csv"
_LABELS = _file(
    "labels.csv",
    """
clip,frame,clip,frame,good|bad
walk,40,walk,110,good
walk,45,walk,115,good
run,30,run,75,good
walk,40,run,35,bad
walk,60,run,50,bad
run,40,walk,20,bad
""",
)
_ELEMENTS = _file(
    "elements.toml",
    """
[[elements]]
name = "step"
clip = "sample:step_touch"
seconds = [0.5, 2.0]
core = [0.9, 1.5]

[[elements]]
name = "turn"
clip = "sample:walk_turn_left"
seconds = [1.0, 3.5]
core = [1.8, 2.8]
""",
)
_SCRIPT = _file(
    "script.toml",
    """
sources = ["elements.toml"]

[[motions]]
motion = "step"

[[motions]]
motion = "turn"
at = 2.5
""",
)
_REQUESTS = _file(
    "requests.csv",
    """
seconds,command,motion,at,priority
0.5,play,step,,
2.0,play,turn,5.0,
""",
)
_IMPORTED = _typed("segue library add moves.segue sample:", "segue library import moves.segue elements.toml")
_STUDY = _typed("segue study designs jnd-centre-aligned -o jnd.toml")
_ANSWERS = _typed("segue study run jnd-centre-aligned --robots 12 -o answers.segue")
_VERDICTS = _typed("segue study run natural --robots 12 -o answers.segue")
_SPACE = _typed(_CLIPS, "segue manifold fit clips/walk.bvh -o space.segue")

BEFORE = {
    "": "",
    "clips": _typed(_CLIPS),
    "commands": """
A page for each verb: what `segue VERB --help` prints, and two commands with what they printed in a run. Results go to
stdout, progress and notes to stderr; `--json` prints one document instead, `-v` all details, `-q` neither progress nor
notes.

Exit codes: 0, done; 1, the answer is no (`segue compare` finds no point, `segue replay` makes another motion); 2, a
wrong command or file, with one sentence on stderr and nothing half-written. A misspelt verb or option is answered
with the nearest one; `segue help wander` is understood, and `-v`, `-q` and `--help` also stand before the verb.

Wherever a file is asked for, `sample:walk` names an embedded clip and `sample:` all of them; `pack.glb#Walk` is one
animation of a file that holds several, and `pack.glb` stands for all; `moves.segue#walk` is one clip of a library.
Options that had other names (`--to` for a format or a body, `--film`) still take them.
""",
    "samples": "",
    "replay": _ENDLESS,
    "walk": _typed(_CLIPS, _PATH),
    "film": _ENDLESS,
    "measure": _ENDLESS,
    "judge": _ENDLESS.replace("--seconds 20", "--seconds 60"),
    "learn": "\n\n".join([_typed(_CLIPS), _LABELS]),
    "mirror": _typed(_CLIPS, "segue convert clips/walk.bvh -o take.glb"),
    "steer": "\n\n".join(
        [_WALKER, _WISHES, _file("route.csv", "x,z,type,speed\n0,0,walk,1.3\n0,4,walk,1.3\n3,8,walk,1.3")]
    ),
    "locomotion info": _WALKER,
    "library list": _typed(
        "segue library add moves.segue sample:", "segue library tag moves.segue 'walk*' outdoors"
    ),
    "library remove": _MOVES,
    "library label": _MOVES,
    "library tag": _MOVES,
    "library export": _MOVES,
    "library import": "\n\n".join(
        [
            _typed(
                "segue library add moves.segue sample:walk sample:run",
                "segue library add other.segue sample:stop",
            ),
            _file("labels.csv", "clip,start_seconds,stop_seconds,label\nwalk,1.0,2.5,steady\nrun,,,fast"),
        ]
    ),
    "library match": _typed("segue library add moves.segue sample:walk sample:run sample:start sample:stop"),
    "library points": _typed(
        "segue library add moves.segue sample:walk sample:run sample:stop", "segue library match moves.segue"
    ),
    "library verdict": _typed(
        "segue library add moves.segue sample:walk sample:run sample:stop", "segue library match moves.segue"
    ),
    "library stats": _MOVES,
    "library check": _MOVES,
    "sequence make": f"{_ELEMENTS}\n\n{_SCRIPT}",
    "sequence live": f"{_ELEMENTS}\n\n{_REQUESTS}".replace("elements.toml", "moves.toml").replace(
        "requests.csv", "asked.csv"
    ),
    "sequence info": f"{_ELEMENTS}\n\n{_IMPORTED}",
    "study stimuli": "\n\n".join([_typed(_CLIPS), _STUDY]),
    "study run": _STUDY,
    "study analyse": _ANSWERS,
    "study power": _STUDY,
    "study classify": "\n\n".join([_typed(_CLIPS), _VERDICTS]),
    "manifold info": _SPACE,
    "manifold make": _SPACE,
}
"""Markdown by verb; a verb not listed, whose examples name ``clips/``, begins with making those."""
