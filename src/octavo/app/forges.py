"""Which forge a repository is on, made from its remote, its settings and a token."""

from __future__ import annotations

from octavo.config import Settings
from octavo.errors import OctavoError, UsageError
from octavo.forges.port import Forge
from octavo.git.credentials import Token, for_git, token_for
from octavo.git.remotes import Remote, parse_address
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
    token = token_for(name, _asked_at(remote, settings), repository.git)
    _refuse_other_host(remote, settings, token, repository)
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


def _asked_at(remote: Remote, settings: Settings) -> Remote:
    """The remote as a credential helper is to be asked for it: by the host that gets the token."""
    if not settings.forge_url:
        return remote
    forge = parse_address(remote.name, settings.forge_url)
    return remote.replace(scheme=forge.scheme, host=forge.host) if forge.host else remote


def _refuse_other_host(
    remote: Remote, settings: Settings, token: Token | None, repository: Repository
) -> None:
    """A file of the repository, which anybody may have proposed, does not say who gets a token.

    Git's helpers give one for the host that they are asked about; a variable has none.
    """
    forge = settings.forge_url
    if token is None or token.origin == "git credential" or not forge:
        return
    trusted = repository.git.environ.get("OCTAVO_FORGE_URL", "")
    if forge == trusted or _bare_host(_host_of(forge)) == _bare_host(remote.host):
        return
    raise UsageError(
        "forge-unknown",
        f"the project says that the forge is {forge}, which is not on the host of the remote",
        place="forge_url",
        hint=f"if {token.origin} may be sent there: export OCTAVO_FORGE_URL={forge}",
    )


def _bare_host(host: str) -> str:
    return host.lower() if host.endswith("]") else host.lower().rpartition(":")[0] or host.lower()


def _local(
    repository: Repository, remote: Remote | None, settings: Settings, token: Token | None
) -> Forge:
    from octavo.forges.local import LocalForge, Protection

    needed = Protection(int(settings.required_approvals), settings.required_statuses)
    variables, configuration = for_git(token, remote)
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
