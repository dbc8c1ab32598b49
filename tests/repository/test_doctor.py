"""`octavo doctor`: what is amiss is found, and the command that it names mends it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from git_repositories import git, repository
from repository.setting_up import STREAM, environ, initialized, notebook, octavo, run

Break = Callable[[Path], None]


def problems(top: Path) -> dict[str, str]:
    """What is a problem, and what mends it."""
    found = octavo(top, "doctor", "--json").json
    listed = [*found["repository"], *found["machine"]]
    told = {each["check"]: each["mend"] for each in listed if each["level"] == "problem"}
    assert found["healthy"] == (not told)
    return told


def test_a_repository_after_init_is_healthy(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    answer = octavo(top, "doctor")
    assert answer.code == 0, answer.out
    assert answer.out.endswith("no problems\n")
    assert problems(top) == {}


def _without_configuration(top: Path) -> None:
    for section in ("filter", "diff", "merge"):
        git(top, "config", "--remove-section", f"{section}.octavo")


def _without_attributes(top: Path) -> None:
    (top / ".gitattributes").write_text("")


def _without_hooks(top: Path) -> None:
    shutil.rmtree(top / ".git" / "hooks")


def _with_a_hook_that_cannot_run(top: Path) -> None:
    (top / ".git" / "hooks" / "post-merge").chmod(0o644)


def _out_of_step(top: Path) -> None:
    (top / "notebooks" / "n.py").write_text("# %%\na = 5\n")


def _with_outputs(top: Path) -> None:
    name = "it's odd.ipynb"
    (top / name).write_text(notebook("1", outputs=[STREAM], count=1))
    blob = git(top, "hash-object", "-w", "--no-filters", name)
    git(top, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")


def _cut_off(top: Path) -> None:
    (top / "notebooks" / "n.ipynb").write_text("{")


def _with_tracked_records(top: Path) -> None:
    (top / ".octavo").mkdir(exist_ok=True)
    (top / ".octavo" / "x").write_text("x")
    git(top, "add", "--force", ".octavo/x")


def _with_records_in_sight(top: Path) -> None:
    (top / ".gitignore").unlink()
    shutil.rmtree(top / ".octavo")


def _with_a_program_that_is_gone(top: Path) -> None:
    git(top, "config", "filter.octavo.process", "/nowhere/octavo git-clean --process")


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (_without_configuration, "drivers"),
        (_without_attributes, "attributes"),
        (_without_hooks, "hooks"),
        (_with_a_hook_that_cannot_run, "hooks"),
        (_out_of_step, "notebooks"),
        (_with_outputs, "outputs"),
        (_with_tracked_records, "records"),
        (_with_records_in_sight, "records"),
        (_with_a_program_that_is_gone, "filter"),
        (_cut_off, "notebooks"),
    ],
)
def test_what_is_amiss_is_found_and_its_command_mends_it(
    tmp_path: Path, broken: Break, check: str
) -> None:
    top = initialized(tmp_path)
    broken(top)
    found = problems(top)
    assert set(found) == {check}
    assert octavo(top, "doctor").code == 1
    mended = run(top, "sh", "-c", found[check], env=environ(tmp_path / "home"))
    assert mended.code == 0, mended.err
    assert problems(top) == {}


def _taken_back_behind(top: Path) -> None:
    with (top / ".gitattributes").open("a") as file:
        file.write("*.ipynb !filter\n")


def _taken_back_for_one(top: Path) -> None:
    (top / ".git" / "info" / "attributes").write_text("*.ipynb !filter\n")


def _otherwise_in_the_folder(top: Path) -> None:
    (top / "notebooks" / ".gitattributes").write_text("*.ipynb filter=nbstripout\n")


@pytest.mark.parametrize(
    "done", [_taken_back_behind, _taken_back_for_one, _otherwise_in_the_folder]
)
def test_lines_that_outdo_ours_are_a_choice_that_can_be_taken_back(
    tmp_path: Path, done: Break
) -> None:
    top = initialized(tmp_path)
    done(top)
    found = octavo(top, "doctor", "--json").json
    assert found["healthy"]
    (told,) = [each for each in found["repository"] if each["level"] == "advice"]
    assert "has the filter of notebooks" in told["message"]
    assert octavo(top, *told["mend"].split()[1:]).code == 0
    assert "outputs are taken out of what is committed" in octavo(top, "doctor").out


def test_commands_are_those_for_the_current_folder(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    unfiltered = ("-c", "filter.octavo.process=", "-c", "filter.octavo.clean=")
    dirty = notebook("1", outputs=[STREAM], count=1)
    (top / "-odd.ipynb").write_text(dirty)
    git(top, *unfiltered, "add", "--all")
    assert problems(top) == {"outputs": "git add --renormalize ./-odd.ipynb"}
    assert problems(top / "notebooks") == {"outputs": "git add --renormalize ../-odd.ipynb"}
    for number in range(20):
        (top / f"{number}.ipynb").write_text(dirty)
    git(top, *unfiltered, "add", "--all")
    mend = problems(top / "notebooks")
    assert run(top / "notebooks", "sh", "-c", mend["outputs"], env=environ(tmp_path)).code == 0
    assert problems(top) == {}


def test_a_bare_repository_and_gits_own_folder_are_told_as_such(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    assert "bare" in octavo(tmp_path / "bare.git", "doctor").out
    inside = octavo(top / ".git", "doctor").out
    assert "git's own folder" in inside
    assert "git init" not in inside


def test_a_fresh_clone_is_told_to_run_init(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{top}", "clone")
    clone = tmp_path / "clone"
    assert problems(clone) == {"drivers": "octavo init", "hooks": "octavo init"}
    advice = octavo(clone, "doctor").out
    assert "git fetch --unshallow" in advice
    assert octavo(clone, "init").code == 0
    assert problems(clone) == {}


def test_other_tools_are_a_choice_and_no_problem(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    (top / ".git" / "info" / "attributes").write_text("*.ipynb filter=nbstripout\n")
    answer = octavo(top, "doctor")
    assert answer.code == 0, answer.out
    assert "nbstripout has the filter of notebooks" in answer.out
    assert "octavo init --replace" in answer.out


def test_outside_of_a_repository_the_machine_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    answer = octavo(tmp_path / "here", "doctor")
    assert answer.code == 0, answer.out
    assert "git init && octavo init" in answer.out
    assert "git version" in answer.out


def test_git_that_is_missing_or_knows_nobody_is_a_problem(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    env = environ(tmp_path / "home", PATH=str(tmp_path / "nothing"))
    answer = octavo(top, "doctor", env=env)
    assert answer.code == 1
    assert "the git program is not there" in answer.out
    kept = {k: v for k, v in environ(tmp_path / "home").items() if "AUTHOR" not in k}
    unknown = octavo(top, "doctor", env={**kept, "EMAIL": "", "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.useConfigOnly", "GIT_CONFIG_VALUE_0": "true"})  # fmt: skip
    assert "git config --global user.name NAME" in unknown.out


def test_a_mistake_in_the_configuration_is_a_problem(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    (top / "octavo.toml").write_text("notebooks = 3\n")
    assert set(problems(top)) == {"configuration"}


def test_what_killed_commands_left_is_told(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    (top / ".git" / "octavo" / "worktrees" / "abc").mkdir(parents=True)
    (top / ".git" / "index.lock").touch()
    out = octavo(top, "doctor").out
    assert "worktree prune" in out
    assert "index.lock" in out


@pytest.mark.parametrize("variables", [{}, {"GITEA_TOKEN": "x"}])
def test_a_remote_without_a_token_is_told_without_asking_it(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    top = initialized(tmp_path)
    git(top, "remote", "add", "origin", "https://forge.invalid/ada/project.git")
    out = octavo(top, "doctor", env=environ(tmp_path / "home", **variables)).out
    assert ("OCTAVO_FORGE_TOKEN" in out) == (not variables)
    assert ("token from GITEA_TOKEN" in out) == bool(variables)


def test_a_hidden_notebook_without_a_text_is_told(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    (top / "notebooks" / "alone.ipynb").write_text(notebook("1"))
    git(top, "add", "--all", environ=environ(tmp_path / "home"))
    assert "octavo convert notebooks/alone.ipynb" in octavo(top, "doctor").out
