"""A GitHub on loopback for tests: its API, and git over HTTP, as Enterprise Server has them.

Every request and every answer is held to what GitHub says of its API. What does not fit is
answered with 400 and kept in `mismatches`, which must be empty in the end.
"""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from forges.github_answers import Answers
from forges.github_calls import DOCS, Calls, Denied
from forges.github_description import Mismatch, Operation, description
from forges.github_graph_calls import GraphCalls
from forges.github_graphql import read_query
from forges.github_state import Hosted, Hub, User
from git_repositories import ENVIRON, git

_ANYBODY = User("anybody", "", 0)


@dataclass
class Fault:
    """Something that goes wrong with the next `times` calls whose method and path fit."""

    method: str
    path: str
    status: int = 502
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"<html><body>Unicorn!</body></html>"
    times: int = 1
    #: The work is done, and only then things go wrong.
    after: bool = False
    #: `close` ends the connection without an answer, `hang` gives none until the server ends.
    how: str = "answer"


class GitHubServer:
    """The server. `address` is what GitHub's own would be, `hub` what it knows."""

    def __init__(self, folder: Path) -> None:
        self.description = description()
        self.hub = Hub(folder)
        self.mismatches: list[str] = []
        self.faults: list[Fault] = []
        self.calls: list[str] = []
        self.heard: list[Mapping[str, str]] = []
        self.ended = threading.Event()
        self.page_limit = 30
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.address = f"http://{self.host}"
        self.answers = Answers(self.hub, self.description, self.address)
        self._do = Calls(self.hub, self.answers)
        self._graph_calls = GraphCalls(self.hub)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def clone(self, hosted: Hosted, user: User, folder: Path) -> Path:
        """A clone whose remote is this server; the token is in its configuration, as tests may."""
        basic = base64.b64encode(f"{user.login}:{user.token}".encode()).decode()
        header = f"http.{self.address}/.extraHeader=Authorization: Basic {basic}"
        there = f"{self.address}/{hosted.owner}/{hosted.name}.git"
        git(folder.parent, "-c", header, "clone", "--quiet", "--config", header, there, folder.name)
        return folder

    def fault(self, method: str, path: str) -> Fault | None:
        """What is to go wrong with a call now."""
        for each in self.faults:
            if each.times and each.method in ("", method) and each.path in path:
                each.times -= 1
                return each
        return None

    def call(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes
    ) -> tuple[int, dict[str, str], Any]:
        """One call of the API: the status, headers and body of its answer."""
        parts = urlsplit(target)
        path = parts.path.removeprefix("/api/v3")
        body = json.loads(content) if content else None
        with self.hub.lock:
            self.calls.append(f"{method} {path}")
            try:
                self._check_headers(path, headers)
                if parts.path == "/api/graphql":
                    return self._graph(headers, body)
                return self._rest(method, path, parts.query, headers, body)
            except Exception as error:
                told = f"{method} {path}: {type(error).__name__}: {error}"
                self.mismatches.append(told)
                return 400, {}, {"message": told, "documentation_url": DOCS}

    def _rest(
        self, method: str, path: str, query: str, heard: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        operation, words = self.description.check_request(method, path, query, body)
        headers: dict[str, str] = {}
        try:
            user = self._user(heard)
            self._check_moved(path, query, headers)
            hosted = self._hosted(words, user, headers, public=path == "/meta")
            self._check_rights(method, user, headers)
            status, answer = self._do.do(repr(operation), hosted, user, words, body)
            answer = self._paged(operation, words, answer, headers)
            self.hub.writes += method != "GET"
        except Denied as error:
            status, answer = error.status, error.body
        self.description.check_answer(operation, status, answer)
        return status, headers, answer

    def _check_headers(self, path: str, headers: Mapping[str, str]) -> None:
        self.heard.append(headers)
        if path == "/meta":
            return  # Who asks what kind of forge this is does not know yet that it is GitHub.
        wanted = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
        for name, value in wanted.items():
            if headers.get(name) != value:
                raise Mismatch(f"the header {name} is {headers.get(name)!r}")
        if not headers.get("user-agent"):
            raise Mismatch("GitHub refuses calls without a User-Agent")

    def _user(self, headers: Mapping[str, str]) -> User:
        given = headers.get("authorization", "")
        if not given:
            return _ANYBODY
        user = self.hub.users.get(given.removeprefix("Bearer "))
        if user is None:
            raise Denied(401, "Bad credentials")
        return user

    def _check_moved(self, path: str, query: str, headers: dict[str, str]) -> None:
        """A repository that got another name is elsewhere."""
        parts = path.split("/")
        hosted = self.hub.renamed.get((parts[2], parts[3])) if len(parts) > 3 else None
        if hosted is not None:
            there = "/".join(["/api/v3/repos", hosted.owner, hosted.name, *parts[4:]])
            headers["Location"] = f"{self.address}{there}" + (f"?{query}" if query else "")
            raise Denied(301, "Moved Permanently")

    def _hosted(
        self, words: Mapping[str, str], user: User, headers: dict[str, str], public: bool
    ) -> Hosted | None:
        if "owner" not in words:
            if user is _ANYBODY and not public:
                raise Denied(401, "Requires authentication")
            return None
        found = self.hub.repositories.get((words["owner"], words["repo"]))
        blind = user is _ANYBODY or (user.scopes is not None and "repo" not in user.scopes)
        if found is None or (found.private and blind):
            if user.scopes is not None:
                headers |= {"X-OAuth-Scopes": user.scopes, "X-Accepted-OAuth-Scopes": "repo"}
            raise Denied(404, "Not Found")
        return found

    def _check_rights(self, method: str, user: User, headers: dict[str, str]) -> None:
        if method == "GET":
            return
        if user is _ANYBODY:
            raise Denied(401, "Requires authentication")
        if user.lacks:
            headers["X-Accepted-GitHub-Permissions"] = user.lacks
            raise Denied(403, "Resource not accessible by personal access token")

    def _paged(
        self, operation: Operation, words: Mapping[str, str], answer: Any, headers: dict[str, str]
    ) -> Any:
        """A page of a list, and where the next one is."""
        if not any(each["name"] == "per_page" for each in operation.parameters):
            return answer
        key = next((k for k in ("statuses", "check_runs") if k in answer), "")
        items = answer[key] if key else answer
        if not isinstance(items, list):
            return answer
        size = min(int(words.get("per_page", 30)), self.page_limit)
        page = int(words.get("page", 1))
        if page * size < len(items):
            headers["Link"] = f'<{self.address}/api/v3/next?page={page + 1}>; rel="next"'
        shown = items[(page - 1) * size : page * size]
        return {**answer, key: shown} if key else shown

    def _graph(self, heard: Mapping[str, str], body: Any) -> tuple[int, dict[str, str], Any]:
        query = read_query(body["query"], body.get("variables") or {})
        user = self.hub.users.get(heard.get("authorization", "").removeprefix("Bearer "))
        if user is None:
            told = "This endpoint requires you to be authenticated."
            return 401, {}, {"message": told, "documentation_url": DOCS}
        try:
            data = self._graph_calls.do(user, query)
        except Denied as error:
            told = [{"message": error.body["message"], "type": "UNPROCESSABLE"}]
            return 200, {}, {"data": None, "errors": told}
        if query.kind == "mutation":
            self.hub.writes += 1
        return 200, {}, {"data": data}

    def git(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """One exchange of git, answered by git itself."""
        parts = urlsplit(target)
        password = (
            base64.b64decode(headers.get("authorization", "")[6:]).decode().rpartition(":")[2]
        )
        user = self.hub.users.get(password)
        if user is None and ("receive-pack" in target or password):
            return 401, {"WWW-Authenticate": 'Basic realm="GitHub"'}, b""
        variables = {
            **ENVIRON,
            "GIT_PROJECT_ROOT": str(self.hub.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": unquote(parts.path),
            "QUERY_STRING": parts.query,
            "REQUEST_METHOD": method,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(content)),
            "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
            "GIT_PROTOCOL": headers.get("git-protocol", ""),
            "REMOTE_USER": user.login if user else "",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=variables, input=content, capture_output=True, check=False
        )
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        told = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        return int(told.pop("Status", "200").split()[0]), told, answer

    def page(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """What is at an address that a person would open: files of a commit, and nothing else."""
        owner, name, what, commit, *file = [unquote(part) for part in path.strip("/").split("/")]
        hosted = self.hub.repositories.get((owner, name))
        if hosted is None or what != "raw":
            return 404, {"Content-Type": "text/html"}, b"<html>Not found</html>"
        done = subprocess.run(
            ["git", "cat-file", "blob", f"{commit}:{'/'.join(file)}"],
            cwd=hosted.folder,
            env={**ENVIRON},
            capture_output=True,
            check=False,
        )
        return 404 if done.returncode else 200, {}, done.stdout


def _handler(server: GitHubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

        def _any(self) -> None:
            content = self._content()
            headers = {name.lower(): value for name, value in self.headers.items()}
            fault = server.fault(self.command, self.path)
            if fault is None or fault.after:
                status, given, body = self._answered(headers, content)
            if fault is not None:
                if fault.how != "answer":
                    if fault.how == "hang":
                        server.ended.wait(60)
                    self.close_connection = True
                    return
                status, given, body = fault.status, dict(fault.headers), fault.body
            self._send(status, given, body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any

        def _answered(
            self, headers: Mapping[str, str], content: bytes
        ) -> tuple[int, dict[str, str], bytes]:
            path = urlsplit(self.path).path
            if path.startswith("/api/v3/") or path == "/api/graphql":
                status, given, body = server.call(self.command, self.path, headers, content)
                coded = b"" if body is None else json.dumps(body).encode()
                return status, {"Content-Type": "application/json; charset=utf-8", **given}, coded
            if ".git/" in path:
                return server.git(self.command, self.path, headers, content)
            if path.count("/") < 4:
                return 404, {"Content-Type": "text/html"}, b"<html>Not found</html>"
            return server.page(path)

        def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if status != 204:
                self.wfile.write(body)

        def _content(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found = b""
            while size := int(self.rfile.readline(), 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found

    return Handler
