"""The token for a server: from the environment, else from git's credential helpers.

It is handed to git and to forges in variables and headers: never in an argument, an address, a
log or a file.
"""

from __future__ import annotations

from octavo.git.program import Git
from octavo.git.remotes import Remote
from octavo.value import Value

#: Variables by kind of forge, the first that is set wins.
VARIABLES = {
    "gitea": ("OCTAVO_FORGE_TOKEN", "GITEA_TOKEN"),
    "github": ("OCTAVO_FORGE_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
}
_USER = "OCTAVO_GIT_USER"
_PASSWORD = "OCTAVO_GIT_PASSWORD"
_HELPER = f'!f() {{ echo "username=${_USER}"; echo "password=${_PASSWORD}"; }}; f'


class Token(Value):
    """A token, and where it comes from: the name of a variable, or `git credential`."""

    secret: str
    origin: str
    user: str = ""

    def __repr__(self) -> str:
        return f"Token(from {self.origin})"


def token_for(forge: str, remote: Remote, git: Git) -> Token | None:
    """The token for the forge that a remote is on; None where nobody knows one."""
    for name in VARIABLES.get(forge, ("OCTAVO_FORGE_TOKEN",)):
        if git.environ.get(name, "").strip():
            return Token(git.environ[name].strip(), name)
    return None if remote.scheme == "file" else _from_helper(git, remote)


def _from_helper(git: Git, remote: Remote) -> Token | None:
    scheme = remote.scheme if remote.scheme in ("http", "https") else "https"
    asked = f"protocol={scheme}\nhost={remote.host}\npath={remote.path}.git\n\n"
    code, out, _ = git.call(
        "credential",
        "fill",
        input=asked.encode(),
        variables={"GIT_ASKPASS": "true", "SSH_ASKPASS": "true"},
        timeout=30,
    )
    answer = dict(
        line.split("=", 1) for line in out.decode("utf-8", "replace").splitlines() if "=" in line
    )
    if code != 0 or not answer.get("password"):
        return None
    return Token(answer["password"], "git credential", answer.get("username", ""))


def for_git(token: Token | None, remote: Remote | None) -> tuple[dict[str, str], tuple[str, ...]]:
    """Variables and configuration by which git logs in with a token from the environment.

    It is for the host of the remote alone, wherever git is sent from there. One that git's own
    helpers know needs neither, nor does a remote that takes no password.
    """
    if token is None or token.origin == "git credential":
        return {}, ()
    if remote is None or remote.scheme not in ("http", "https"):
        return {}, ()
    variables = {_USER: token.user or "octavo", _PASSWORD: token.secret}
    key = f"credential.{remote.scheme}://{remote.host}.helper"
    return variables, (f"{key}=", f"{key}={_HELPER}")
