"""A wrong call gives one sentence with advice; common options work before and after the command."""

from __future__ import annotations

import pytest
from typer.main import get_command

from segue.cli import app
from segue.cli.usage import ANYWHERE, behind_the_verb

WRONG = [
    (("wandr", "clips/"), "segue: there is no verb 'wandr'; nearest: wander; segue --help lists all verbs"),
    (("Wander", "clips/"), "segue: there is no verb 'Wander'; nearest: wander; "),
    (("export", "moves.segue"), "segue: there is no verb 'export'; nearest: library export; "),
    (("qqqqqq",), "segue: there is no verb 'qqqqqq'; segue --help lists all verbs"),
    (("help", "wandr"), "segue: there is no verb 'wandr'; nearest: wander; "),
    (("-v", "wandr"), "segue: there is no verb 'wandr'; nearest: wander; "),
    (("version",), "segue: 'version' is not a verb; it is an option: segue --version"),
    (
        ("clips/walk.bvh",),
        "segue: clips/walk.bvh is not a verb; the verb comes first: segue VERB clips/walk.bvh; ",
    ),
    (
        ("library", "ad"),
        "segue: library has no verb 'ad'; nearest: add; segue library --help lists all verbs",
    ),
    (
        ("--seconds", "3", "wander"),
        "segue: --seconds must follow the verb: segue VERB ",
    ),
    (("--nonsense",), "segue: there is no option --nonsense; segue --help lists all options"),
    (("wander",), "segue: wander needs FILES, as in: segue wander clips/"),
    (("library", "add"), "segue: library add needs LIBRARY, as in: segue library add moves.segue clips/"),
    (("compare", "sample:walk"), "segue: compare needs B, as in: segue compare "),
    (("convert", "sample:walk"), "segue: convert needs -o, --out FILE, as in: segue convert "),
    (("wander", "clips/", "--sed", "1"), "segue: wander has no option --sed; nearest: --seed, "),
    (("wander", "clips/", "-z"), "segue: wander has no option -z; segue wander --help lists all options"),
    (("wander", "clips/", "--seconds", "long"), "segue: wander: --seconds takes a number; 'long' is none"),
    (("wander", "clips/", "--seed", "1.5"), "segue: wander: --seed takes a whole number; '1.5' is none"),
    (("wander", "clips/", "-o"), "segue: wander: -o needs a value: -o FILE"),
    (
        ("studio", "--port", "99999"),
        "segue: studio: --port 99999 is not possible; give a number less than or equal to 65535",
    ),
    (("wander", "clips/", "--json=3"), "segue: wander: --json takes no value"),
    (("demo", "x", "y"), "segue: demo does not take 'x y'; it is typed as: segue demo [OPTIONS]"),
]


@pytest.mark.parametrize(
    ("words", "sentence"), WRONG, ids=lambda v: " ".join(v) if isinstance(v, tuple) else ""
)
def test_a_wrong_call_is_one_sentence(segue, words, sentence):
    """The command exits with 2 and prints one line to stderr with the fault and advice."""
    result = segue(*words)
    assert (result.code, result.out) == (2, "")
    (line,) = result.err.splitlines()
    assert line.startswith(sentence)


@pytest.mark.parametrize("words", [("help",), ("-h",), ("--help",)])
def test_help_alone_lists_the_verbs(segue, words):
    """The word `help` works like the option."""
    result = segue(*words)
    assert (result.code, result.err) == (0, "")
    assert "Usage: segue VERB ..." in result.out


@pytest.mark.parametrize(
    "words",
    [
        ("help", "library", "add"),
        ("--help", "library", "add"),
        ("library", "help", "add"),
        ("library", "-h", "add"),
    ],
)
def test_help_stands_before_a_verb_too(segue, words):
    """`segue help COMMAND` works like `git help COMMAND`, for subcommands too."""
    result = segue(*words)
    assert (result.code, result.err) == (0, "")
    assert "Usage: segue library add LIBRARY FILES... [OPTIONS]" in result.out


@pytest.mark.parametrize("flag", ["-v", "--verbose"])
def test_verbose_stands_before_the_verb_too(segue, tmp_path, flag):
    """The text is the same as with the option after the command, and longer than the brief one."""
    words = ("stitch", "sample:start", "sample:walk")
    brief = segue(*words, "-o", "a.bvh").out
    before = segue(flag, *words, "-o", "b.bvh").out
    behind = segue(*words, flag, "-o", "c.bvh").out
    assert before.replace("b.bvh", "c.bvh").replace("b.origin", "c.origin") == behind
    assert len(before) > len(brief)


def test_quiet_stands_before_a_family_too(segue):
    """`-q` reaches a subcommand and suppresses its notes."""
    assert segue("library", "add", "moves.segue", "sample:walk").code == 0
    assert segue("-q", "library", "add", "moves.segue", "sample:run").err == ""


def test_what_stands_behind_the_verb_stays(segue):
    """Words after the command are its own, such as a file named help."""
    group = get_command(app)
    assert behind_the_verb(group, ["info", "help", "-v"]) == ["info", "help", "-v"]
    assert behind_the_verb(group, ["-v", "-q", "info", "x"]) == ["info", "-v", "-q", "x"]
    assert behind_the_verb(group, ["-v"]) == []


def test_every_verb_takes_what_stands_before_it():
    """Each option of `ANYWHERE` except help belongs to every command."""

    def verbs(group):
        for command in group.commands.values():
            yield from verbs(command) if hasattr(command, "commands") else (command,)

    wanted = set(ANYWHERE) - {"-h", "--help"}
    assert not [
        one.name for one in verbs(get_command(app)) if not wanted <= {w for p in one.params for w in p.opts}
    ]
