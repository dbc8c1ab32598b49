"""Kernelspecs are found where Jupyter finds them; what is broken is said and hides nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from octavo.environments.launch import Environment, Kernelspec, Launch
from octavo.errors import InfrastructureError
from octavo.kernels.jupyter.command import resolve
from octavo.kernels.jupyter.specs import closest, kernelspecs

ARGV = ["prog", "{connection_file}"]

_AS_JUPYTER = """\
import json
from jupyter_client.kernelspec import KernelSpecManager
manager = KernelSpecManager(ensure_native_kernel=False)
found = manager.get_all_specs()
print(json.dumps({name: [each["resource_dir"], each["spec"]["argv"], each["spec"]["language"],
      each["spec"]["env"], each["spec"]["interrupt_mode"]] for name, each in found.items()}))
"""


def install(folder: Path, name: str, content: Any) -> Path:
    place = folder / "kernels" / name
    place.mkdir(parents=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (place / "kernel.json").write_text(text)
    return place


def spec(**more: Any) -> dict[str, Any]:
    return {"argv": ARGV, "language": "x", "display_name": "X", **more}


def environ(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), **more}


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"JUPYTER_PATH": "{0}/one:{0}/two"},
        {"JUPYTER_DATA_DIR": "{0}/data"},
        {"XDG_DATA_HOME": "{0}/xdg"},
        {"JUPYTER_PREFER_ENV_PATH": "0"},
        {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_PATH": "{0}/two"},
        {"IPYTHONDIR": "{0}/ipython"},
    ],
    ids=lambda variables: "+".join(variables) or "plain",
)
def test_they_are_those_that_jupyter_finds(variables: dict[str, str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    install(home / ".local/share/jupyter", "python3", spec(language="mine"))
    install(home / ".local/share/jupyter", "Julia-1.10", spec(language="julia"))
    install(tmp_path / "one", "both", spec(language="first", interrupt_mode="message"))
    install(tmp_path / "two", "both", spec(language="second"))
    install(tmp_path / "two", "second", spec(env={"A": "${B}"}))
    install(tmp_path / "data", "data", spec())
    install(tmp_path / "xdg/jupyter", "xdg", spec())
    install(tmp_path / "ipython", "old", spec())
    given = environ(home, **{name: each.format(tmp_path) for name, each in variables.items()})
    code = [sys.executable, "-c", _AS_JUPYTER]
    done = subprocess.run(code, env=given, capture_output=True, text=True, check=True)
    found = {
        each.name: [
            each.folder,
            list(each.argv),
            each.language,
            dict(each.variables),
            each.interrupt_mode,
        ]
        for each in kernelspecs(given).specs
    }
    assert found == json.loads(done.stdout)
    assert "julia-1.10" in found or "DATA" in str(variables)


def test_environments_that_are_named_come_first(tmp_path: Path) -> None:
    root = tmp_path / "venv"
    install(root / "share/jupyter", "python3", spec(language="theirs"))
    install(tmp_path / "more", "python3", spec(language="other"))
    given = environ(tmp_path, JUPYTER_PATH=str(tmp_path / "more"))
    found = {each.name: each for each in kernelspecs(given, [str(root)]).specs}
    assert found["python3"].language == "theirs"


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", {"argv": []}, {"argv": "prog"}, {"argv": [1]}, {"argv": ["p"], "env": [1]},
     {"argv": ["p"], "interrupt_mode": "shout"}, "\udcff".encode("utf-8", "surrogateescape")],
    ids=str,
)  # fmt: skip
def test_a_broken_one_is_told_and_others_are_found(content: Any, tmp_path: Path) -> None:
    place = install(tmp_path / "j", "broken", "" if isinstance(content, bytes) else content)
    if isinstance(content, bytes):
        (place / "kernel.json").write_bytes(content)
    install(tmp_path / "j", "whole", spec())
    found = kernelspecs(environ(tmp_path, JUPYTER_PATH=str(tmp_path / "j")))
    assert "whole" in [each.name for each in found.specs]
    (problem,) = found.problems
    assert (problem.name, problem.folder) == ("broken", str(place))
    assert problem.message


def test_the_nearest_names_are_offered() -> None:
    specs = [
        Kernelspec("ir", ("R",), "R", "R"),
        Kernelspec("julia-1.10", ("julia",), "julia", "Julia 1.10"),
        Kernelspec("python3", ("python",), "python", "Python 3 (ipykernel)"),
    ]
    assert closest("pyhton3", specs)[0] == "python3"
    assert closest("julia", specs)[0] == "julia-1.10"
    assert closest("r", specs)[0] == "ir"
    assert closest("brainfuck", specs) == ()
    assert closest("", specs) == ()


def test_finding_them_does_not_load_jupyter(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom octavo.kernels.jupyter.specs import kernelspecs\n"
        "kernelspecs({'HOME': '/nowhere'})\n"
        "assert not {'jupyter_client', 'zmq', 'traitlets'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def _launch(kernel: Kernelspec, **variables: str) -> Launch:
    environment = Environment(python=sys.executable, why="a test")
    variables = {"PATH": os.environ["PATH"], **variables}
    return Launch(environment=environment, cwd="/", variables=variables, kernel=kernel)


def test_variables_of_a_kernelspec_are_filled_in_as_jupyter_does() -> None:
    kernel = Kernelspec(
        "x", ("sh",), "x", variables={"A": "${B}/lib:$B", "B": "new", "C": "${NOT_SET}"}
    )
    command = resolve(_launch(kernel, B="old"))
    expected = {"PATH": os.environ["PATH"], "A": "old/lib:old", "B": "new", "C": "${NOT_SET}"}
    assert command.variables == expected


def test_plain_python_is_that_of_the_environment() -> None:
    assert resolve(_launch(Kernelspec("x", ("python3", "-m", "y"), "x"))).program == sys.executable


def test_a_kernelspec_without_a_program_is_refused() -> None:
    with pytest.raises(InfrastructureError) as caught:
        resolve(_launch(Kernelspec("empty", (), "x", folder="/kernels/empty")))
    assert caught.value.kind == "kernel-broken"
