"""Which forge a repository is on, made from its remote, its settings and a token."""

from __future__ import annotations

from octavo.config import Settings
from octavo.errors import OctavoError, UsageError
from octavo.forges.port import Forge
from octavo.git.credentials import Token, for_git, token_for
from octavo.git.remotes import Remote
from octavo.git.repository import Repository

GITEA, GITHUB, LOCAL = "gitea", "github", "local"
BUILT_IN = (GITEA, GITHUB, LOCAL)
_GITHUB = ("github.com", "ssh.github.com", "www.github.com")


def choose(
    repository: Repository, remote: Remote | None, settings: Settings, asked: str = ""
) -> tuple[Forge, Token | None]:
    """The forge that was asked for, else the configured one, else that of the remote."""
    name = asked or settings.forge or _told_by(remote, settings)
    if name == LOCAL:
        token = token_for(name, remote, repository.git) if remote else None
        return _local(repository, remote, settings, token), token
    if remote is None or not remote.owner:
        raise UsageError(
            "no-remote",
            f"the forge {name} is reached by a remote, and there is none with a repository on it",
            place=remote.url if remote else str(repository.top),
            hint="git remote add origin ADDRESS, or --forge local to keep proposals in here",
        )
    token = token_for(name, remote, repository.git)
    if name == GITEA:
        from octavo.forges.gitea import GiteaForge

        address = _address(remote, settings)
        return GiteaForge(address, _owner(remote), remote.repository, token), token
    if name == GITHUB:
        from octavo.forges.github import GitHubForge

        address = settings.forge_url or _origin(remote)
        return GitHubForge(address, remote.owner, remote.repository, token), token
    from octavo.plugins import forge

    return forge(name, remote, token), token


def _local(
    repository: Repository, remote: Remote | None, settings: Settings, token: Token | None
) -> Forge:
    from octavo.forges.local import LocalForge, Protection

    needed = Protection(int(settings.required_approvals), settings.required_statuses)
    variables, configuration = for_git(token)
    return LocalForge(
        repository, remote, protection=needed, variables=variables, configuration=configuration
    )


def _told_by(remote: Remote | None, settings: Settings) -> str:
    """What kind of forge a remote is on, by its address, or by asking it."""
    if settings.forge_url:
        return GITHUB if _host_of(settings.forge_url) in _GITHUB else GITEA
    if remote is None or remote.scheme == "file":
        return LOCAL
    if remote.host in _GITHUB:
        return GITHUB
    return _asked(remote)


def _asked(remote: Remote) -> str:
    """A forge says what it is when one asks for its version."""
    from octavo.forges.http import Api

    for name, path in ((GITEA, "api/v1/version"), (GITHUB, "api/v3/meta")):
        api = Api(_origin(remote), timeout=10.0, attempts=1)
        try:
            answer = api.get(path)
        except OctavoError as error:
            if error.kind == "forge-down":
                raise
            continue
        if isinstance(answer, dict):
            return name
    raise UsageError(
        "forge-unknown",
        f"{remote.host} is neither a Gitea nor a GitHub that answers",
        place=remote.url,
        hint='say which it is: --forge gitea, or forge = "gitea" in octavo.toml',
    )


def _origin(remote: Remote) -> str:
    scheme = remote.scheme if remote.scheme in ("http", "https") else "https"
    return f"{scheme}://{_host(remote)}"


def _host(remote: Remote) -> str:
    """The host that answers HTTP; the port of another protocol is not its."""
    if remote.scheme in ("http", "https") or remote.host.startswith("["):
        return remote.host
    return remote.host.partition(":")[0]


def _host_of(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _address(remote: Remote, settings: Settings) -> str:
    """Where the forge is; one that lives below a path has that before owner and name."""
    if settings.forge_url:
        return settings.forge_url
    below = remote.owner.rpartition("/")[0]
    return f"{_origin(remote)}/{below}".rstrip("/")


def _owner(remote: Remote) -> str:
    return remote.owner.rpartition("/")[2]
