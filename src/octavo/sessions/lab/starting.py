"""A session in a kernel that runs in a Jupyter server already."""

from __future__ import annotations

from octavo.environments.launch import Environment
from octavo.errors import UsageError
from octavo.kernels.port import Engine
from octavo.kernels.remote.server import Server, server_at
from octavo.runs.plan import Plan
from octavo.sessions.context import SessionContext
from octavo.sessions.lab.link import LabLink
from octavo.sessions.requests import StartRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.sessions.hosts.live import Live

REMOTE = "remote"


def is_remote(request: StartRequest) -> bool:
    return bool(request.server or request.kernel_id or request.engine == REMOTE)


def with_kernel_id(request: StartRequest) -> StartRequest:
    """With a server, `--kernel` is a kernel that runs there and not a kind of kernel."""
    if is_remote(request) and request.kernel and not request.kernel_id:
        return request.replace(kernel_id=request.kernel, kernel=None)
    return request


def wanted_server(request: StartRequest, context: SessionContext) -> Server | None:
    """The server whose kernel is asked for; None for a kernel of our own."""
    if not is_remote(request):
        return None
    _refuse_own(request)
    url, token = context.jupyter_server
    if not (request.server or url):
        raise UsageError(
            "wrong-argument",
            "it is not said which Jupyter server is meant",
            hint="give --server URL, or set OCTAVO_JUPYTER_URL",
        )
    return server_at(request.server or url, token)


def _refuse_own(request: StartRequest) -> None:
    """What is about a kernel that we would start ourselves."""
    given = {
        "--python": request.python,
        "--kernel": request.kernel,
        "--env": request.env,
        "--cwd": request.cwd,
        "--engine": request.engine if request.engine != REMOTE else None,
    }
    for name, value in given.items():
        if value:
            raise UsageError(
                "wrong-argument",
                f"{name} is for a kernel that is started, and this one runs already",
                hint=f"leave {name} out, or leave out the server",
            )


def in_server(planned: Plan, server: Server) -> Plan:
    """The plan of a session whose kernel is not started by us: it has no environment of ours."""
    environment = Environment("", f"a kernel of the Jupyter server {server.url}", REMOTE)
    launch = planned.launch.replace(environment=environment, variables={})
    return planned.replace(engine=REMOTE, launch=launch)


def link(live: Live, engine: Engine) -> None:
    """Let a session know what it shares: the kernel, and the notebook if both have it open."""
    from octavo.kernels.remote.engine import RemoteEngine
    from octavo.kernels.remote.finding import same_notebook

    assert isinstance(engine, RemoteEngine)
    notebooks = engine.chosen.notebooks if engine.chosen else ()
    own = live.facts.notebook
    shared = [path for path in notebooks if own and same_notebook(own, path)]
    keys = [each.key for each in live.document.cells if each.origin is not None]
    live.lab = LabLink(engine.server, shared[0] if shared else None, keys)
    live.notes.append(live.lab.note)
