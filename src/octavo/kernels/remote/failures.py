"""What can be wrong with a Jupyter server, or with a kernel there."""

from __future__ import annotations

from octavo.errors import EnvironmentFailure, InfrastructureError, KernelFailure, UsageError

_TOKEN_HINT = "set JUPYTER_TOKEN to the token that `jupyter server list` shows for it"


def not_installed() -> EnvironmentFailure:
    return EnvironmentFailure(
        "extra-missing",
        "kernels of a Jupyter server need the package tornado, which is not installed",
        hint="pip install 'octavo[lab]'",
    )


def unreachable(url: str, reason: str) -> InfrastructureError:
    return InfrastructureError(
        "jupyter-server",
        f"the Jupyter server cannot be reached: {reason}",
        place=url,
        hint="see whether it runs: jupyter server list",
    )


def strange(url: str, why: str) -> InfrastructureError:
    return InfrastructureError(
        "jupyter-server",
        f"this does not look like a Jupyter server: {why}",
        place=url,
        hint="give the address that `jupyter server list` shows, with its path",
    )


def status(url: str, code: int, said: str, had_token: bool) -> InfrastructureError:
    """An answer of HTTP that is none; 401, 403 and a way to a login page are about the token."""
    if code in (401, 403) or 300 <= code < 400:
        what = "does not accept the token" if had_token else "wants a token, and none was given"
        return InfrastructureError(
            "jupyter-token", f"the Jupyter server {what}", place=url, hint=_TOKEN_HINT
        )
    words = f": {said}" if said else ""
    return InfrastructureError(
        "jupyter-server",
        f"the Jupyter server answered with HTTP status {code}{words}",
        place=url,
        hint="see what the server says of it in its log",
        details={"status": code},
    )


def no_kernel(url: str, kernel: str, known: str) -> UsageError:
    return UsageError(
        "jupyter-kernel",
        f"the Jupyter server runs no kernel {kernel}",
        place=url,
        hint=f"it runs {known}" if known else "it runs none: open the notebook there first",
    )


def no_notebook(url: str, notebook: str, known: str) -> UsageError:
    return UsageError(
        "jupyter-kernel",
        f"the Jupyter server has no kernel for {notebook}",
        place=url,
        hint=f"choose one with --kernel-id: it runs {known}"
        if known
        else "it runs none: open the notebook there first",
    )


def several(url: str, known: str) -> UsageError:
    return UsageError(
        "jupyter-kernel",
        "the Jupyter server runs several kernels, and it is not said which one is meant",
        place=url,
        hint=f"choose one with --kernel-id: it runs {known}",
    )


def silent(url: str, kernel: str, seconds: float) -> KernelFailure:
    return KernelFailure(
        "kernel-start",
        f"the kernel {kernel} did not answer within {seconds:g} s",
        place=url,
        hint="it may be busy or hang: interrupt it in JupyterLab, or restart it there",
    )


def not_ours(url: str) -> UsageError:
    return UsageError(
        "jupyter-kernel",
        "the kernel belongs to whoever works in the Jupyter server, and is not restarted from here",
        place=url,
        hint="restart it there, and then this session; or start a session with a kernel of its own",
    )
