"""Wrong use: what a person sees who mistypes, and what a machine reads."""

from __future__ import annotations

import pytest

from cli.calling import Octavo
from octavo.surfaces.cli.commands import COMMANDS


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rum"], "octavo: there is no command 'rum'\n  hint: did you mean `octavo run`?\n"),
        (["xyzzy"], "octavo: there is no command 'xyzzy'\n  hint: octavo --help lists them\n"),
        (["jbo"], "octavo: there is no command 'jbo'\n  hint: did you mean `octavo job`?\n"),
        (
            ["job", "wiat", "x"],
            "octavo: there is no command 'job wiat'\n  hint: did you mean `octavo job wait`?\n",
        ),
        (
            ["job", "xyzzy"],
            "octavo: there is no command 'job xyzzy'\n  hint: octavo job --help lists them\n",
        ),
        (["--nope"], "octavo: there is no option --nope\n  hint: octavo --help\n"),
        (
            ["run", "nb.py", "--outptu", "x"],
            "octavo run: there is no option --outptu\n  hint: did you mean --output?\n",
        ),
        (
            ["run", "nb.py", "-z"],
            "octavo run: there is no option -z\n  hint: octavo run --help tells more\n",
        ),
        (
            ["run"],
            "octavo run: NOTEBOOK is missing: notebooks to run "
            "(files, - for standard input, or http:// addresses)\n"
            "  hint: octavo run report.py -p threshold 0.9 -p host web-1\n",
        ),
        (["run", "nb.py", "-p", "n"], "octavo run: -p needs NAME VALUE\n  hint: -p NAME VALUE\n"),
        (
            ["run", "nb.py", "-o", "--json"],
            None,
        ),
        (
            ["run", "nb.py", "-j", "many"],
            "octavo run: -j: 'many' is not a whole number\n  hint: octavo run --help tells more\n",
        ),
        (
            ["run", "nb.py", "--timeout", "soon"],
            "octavo run: --timeout: 'soon' has no number\n  hint: octavo run --help tells more\n",
        ),
        (
            ["run", "nb.py", "--quiet=1"],
            "octavo run: --quiet takes no value\n  hint: leave out '1'\n",
        ),
        (
            ["show", "--images", "sexel"],
            "octavo show: --images: 'sexel' is none of auto, kitty, iterm, sixel, blocks, none\n"
            "  hint: did you mean sixel?\n",
        ),
        (
            ["show", "a", "b"],
            "octavo show: 'b' is one argument too many\n  hint: octavo show --help tells more\n",
        ),
        (
            ["completion", "tcsh"],
            "octavo completion: no script for 'tcsh'\n"
            "  hint: there is one for bash, zsh, fish: octavo completion bash\n",
        ),
        (
            ["run", "nb.py", "-p", "m", "1"],
            "octavo: m: the notebook declares no parameter `m`, only n\n"
            "  hint: `--allow-unknown` injects it anyway\n",
        ),
        (
            ["runs", "--since", "soonish"],
            "octavo: 'soonish' is no time\n"
            "  hint: write 90m, 2h, 3d, today, 2026-01-31 or 2026-01-31T08:00\n",
        ),
    ],
)
def test_wrong_use(octavo: Octavo, words: list[str], told: str | None) -> None:
    code, out, err = octavo(*words)
    assert code == 2
    if told is not None:
        assert (out, err) == ("", told)


def test_an_option_that_eats_the_next_one_is_noticed(octavo: Octavo) -> None:
    assert octavo("run", "nb.py", "-o", "--json").json["error"]["message"] == (
        "-o needs PATH, but --json follows"
    )


def test_wrong_use_as_json(octavo: Octavo) -> None:
    answer = octavo("run", "missing.py", "--json")
    assert answer.code == 2
    assert answer.err == ""
    error = answer.json["error"]
    assert error["kind"] == "notebook-not-found"
    assert error["place"].endswith("missing.py")
    assert set(error) == {"kind", "message", "place", "hint", "retryable"}


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_has_help(octavo: Octavo, entry: object) -> None:
    name = entry.name  # type: ignore[attr-defined]
    code, out, err = octavo(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: octavo {name} ")
    assert "  --json " in out
    assert max(map(len, out.splitlines())) <= 100


def test_help_of_a_command(octavo: Octavo) -> None:
    assert (
        octavo("scraps", "-h").out
        == """\
usage: octavo scraps WHAT... [options]

The values that runs and notebooks handed out.

  WHAT                              runs (`last`, a part of an id), notebooks, folders or patterns;
                                    a scrap's name last

Options:
      --name NAME                   only the scrap of this name (may be repeated)

What is shown:
      --table                       a row for each notebook, a column for each scrap
      --csv                         likewise as CSV, nothing shortened
      --json                        print the result as JSON

Examples:
  octavo scraps last
  octavo scraps last health_score
  octavo scraps 'output/*.ipynb' --table
  octavo scraps .octavo/runs --csv
"""
    )


def test_overview_names_every_command(octavo: Octavo) -> None:
    for words in ([], ["--help"], ["-h"]):
        code, out, err = octavo(*words)
        assert (code, err) == (0, "")
        for entry in COMMANDS:
            assert (f"  {entry.family or entry.name} " in out) is not entry.hidden


def test_version(octavo: Octavo) -> None:
    import octavo as package

    assert octavo("--version") == (0, f"octavo {package.__version__}\n", "")
