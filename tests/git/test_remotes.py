"""Remotes: addresses, pushing with a lease, tokens that are written nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repositories import ENVIRON, cloned, commit_files, git, repository
from octavo.errors import ConflictError, UsageError
from octavo.git.credentials import Token, for_git, token_for
from octavo.git.program import Git, without_secrets
from octavo.git.remotes import fetch, parse_address, push, ref_there, refusal, remote_of


@pytest.mark.parametrize(
    ("address", "scheme", "host", "owner", "name"),
    [
        ("https://ada:pw@git.example.org/t/notes.git", "https", "git.example.org", "t", "notes"),
        ("http://127.0.0.1:3000/sub/team/notes/", "http", "127.0.0.1:3000", "sub/team", "notes"),
        ("git@github.com:team/notes.git", "ssh", "github.com", "team", "notes"),
        ("ssh://git@git.example.org:2222/t/notes", "ssh", "git.example.org:2222", "t", "notes"),
        ("/srv/git/notes.git", "file", "", "srv/git", "notes"),
        ("file:///srv/git/notes.git", "file", "", "srv/git", "notes"),
        ("../origin.git", "file", "", "..", "origin"),
    ],
)  # fmt: skip
def test_addresses(address: str, scheme: str, host: str, owner: str, name: str) -> None:
    remote = parse_address("origin", address)
    assert (remote.scheme, remote.host) == (scheme, host)
    assert (remote.owner, remote.repository) == (owner, name)
    assert "pw" not in remote.url


def test_which_remote(tmp_path: Path) -> None:
    assert remote_of(repository(tmp_path / "alone").git) is None
    work = cloned(tmp_path / "x")
    git(work.top, "remote", "add", "fork", "https://git.example.org/me/notes.git")
    found = remote_of(work.git)
    assert found is not None and found.name == "origin"
    fork = remote_of(work.git, "fork")
    assert fork is not None and fork.owner == "me"
    with pytest.raises(UsageError, match="no remote 'elsewhere'") as caught:
        remote_of(work.git, "elsewhere")
    assert caught.value.hint == "known are fork, origin"


def test_a_push_expects_what_was_seen(tmp_path: Path) -> None:
    work = cloned(tmp_path)
    ref = "refs/heads/agent/x"
    first = str(work.head())
    push(work.git, "origin", first, ref, None)
    push(work.git, "origin", first, ref, None)
    second = commit_files(work.top, {"x": "1"})
    with pytest.raises(ConflictError) as caught:
        push(work.git, "origin", second, ref, None)
    assert caught.value.kind == "push-rejected" and "git fetch" in caught.value.hint
    push(work.git, "origin", second, ref, first)
    assert ref_there(work.git, "origin", ref) == second
    push(work.git, "origin", "", ref, second)
    assert ref_there(work.git, "origin", ref) is None


def test_a_hook_that_declines(tmp_path: Path) -> None:
    work = cloned(tmp_path)
    hook = tmp_path / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no pushes on Sundays >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(ConflictError) as caught:
        push(work.git, "origin", str(work.head()), "refs/heads/x", None)
    assert caught.value.kind == "push-rejected"
    assert "Sundays" in str(caught.value)


def test_fetching(tmp_path: Path) -> None:
    work = cloned(tmp_path)
    git(tmp_path / "origin.git", "update-ref", "refs/octavo/x", str(work.head()))
    fetch(work.git, "origin", "+refs/octavo/*:refs/octavo/*")
    assert work.commit("refs/octavo/x") == work.head()
    with pytest.raises(Exception, match="not-there"):
        fetch(work.git, "not-there", "refs/x")


def test_a_token_comes_from_the_environment_or_from_gits_helpers(tmp_path: Path) -> None:
    remote = parse_address("origin", "https://git.example.org/team/notes.git")
    assert token_for("gitea", remote, Git(tmp_path, ENVIRON)) is None
    found = token_for("gitea", remote, Git(tmp_path, {**ENVIRON, "GITEA_TOKEN": "t1"}))
    assert found == Token("t1", "GITEA_TOKEN") and "t1" not in repr(found)
    stored = tmp_path / "credentials"
    stored.write_text("https://ada:t2@git.example.org\n")
    config = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "credential.helper",
        "GIT_CONFIG_VALUE_0": f"store --file={stored}",
    }
    found = token_for("gitea", remote, Git(tmp_path, {**ENVIRON, **config}))
    assert found == Token("t2", "git credential", "ada")


def test_git_is_given_a_token_in_variables_only(tmp_path: Path) -> None:
    remote = parse_address("origin", "https://git.example.org/team/notes.git")
    token = Token("t1", "GITEA_TOKEN")
    variables, configuration = for_git(token, remote)
    assert "t1" in variables.values() and "t1" not in " ".join(configuration)
    nothing: tuple[object, object] = ({}, ())
    assert for_git(Token("t2", "git credential", "ada"), remote) == nothing
    assert for_git(None, remote) == for_git(token, parse_address("o", "git@x:a/b")) == nothing


@pytest.mark.parametrize("host", ["git.example.org", "elsewhere.example", "git.example.org:444"])
def test_git_hands_the_token_to_the_host_of_the_remote_alone(tmp_path: Path, host: str) -> None:
    """A redirect, or the server of large files, gets none."""
    remote = parse_address("origin", "https://git.example.org/team/notes.git")
    variables, configuration = for_git(Token("t1", "GITEA_TOKEN"), remote)
    options = [word for each in configuration for word in ("-c", each)]
    asked = f"protocol=https\nhost={host}\n\n".encode()
    quiet = {"GIT_ASKPASS": "true", **variables}
    call = Git(tmp_path, ENVIRON).call
    _, out, _ = call(*options, "credential", "fill", input=asked, variables=quiet)
    assert (b"t1" in out) is (host == "git.example.org")


def test_a_password_with_an_at_sign_is_not_shown() -> None:
    assert without_secrets("fatal: https://ada:p@ss@git.example.org/x: no") == (
        "fatal: https://git.example.org/x: no"
    )


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("remote: \nremote: error:    \nremote: error: Not allowed to push to protected branch x\n"
         "remote: error:    \nerror: failed to push some refs to 'x'\n"
         "!\tx:x\t[remote rejected] (pre-receive hook declined)", "Not allowed to push"),
        ("error: failed to push some refs\n!\tx:x\t[remote rejected] (quota)", "quota"),
    ],
)  # fmt: skip
def test_the_reason_of_a_refusal_is_what_the_server_says(said: str, reason: str) -> None:
    error = refusal("origin", "refs/heads/x", said, 1)
    assert error.kind == "push-rejected" and reason in error.message


def test_a_hook_of_ones_own_that_stops_a_push(tmp_path: Path) -> None:
    work = cloned(tmp_path)
    hook = work.folder / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\necho the tests fail >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(ConflictError, match="the tests fail") as caught:
        push(work.git, "origin", str(work.head()), "refs/heads/agent/x", None)
    assert caught.value.kind == "push-rejected" and "pre-push" in caught.value.hint
