"""A model that follows a script, on loopback: it speaks to each agent in the words of its API.

A script is a generator: it yields calls of tools and is sent what came of them; what it returns is
said at the end. It is played anew for each request from the results that the request holds, so a
request that is sent twice is answered twice in the same way.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A tool that the model calls."""

    tool: str
    arguments: Json


Script = Callable[[], Generator[Call, Json, str]]


def played(script: Script, results: list[Json]) -> Call | str:
    """The next step of a script: a call, or the last word."""
    playing = script()
    try:
        call = next(playing)
        for result in results:
            call = playing.send(result)
    except StopIteration as ended:
        return str(ended.value)
    return call


def understood(text: str) -> Json:
    """What a tool answered, out of what an agent made of it."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(text, at)
        except ValueError:
            at = text.find("{", at + 1)
            continue
        inner = found.get("result") if isinstance(found, dict) else None
        return understood(inner) if isinstance(inner, str) and "{" in inner else found
    return {"text": text}


@dataclass
class Model:
    """A scripted model: where it listens, and what it was asked."""

    url: str
    #: The names of the tools that were offered, in the words of the agent.
    tools: list[str] = field(default_factory=list)
    #: What the agent told the model of each call.
    results: list[str] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@contextmanager
def model(script: Script) -> Iterator[Model]:
    """A model that follows a script while the block lasts."""
    server = _Server(script)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.model
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.model = Model(f"http://127.0.0.1:{self.server_port}")

    def answered(self, tools: list[str], results: list[str]) -> Call | str:
        """The next step, where an agent works; anything where it only wants a title."""
        if not tools:
            return "ok"
        self.model.tools, self.model.results = tools, results
        try:
            return played(self.script, [understood(each) for each in results])
        except Exception as error:
            self.model.problems.append(f"{type(error).__name__}: {error}; after {results[-1:]}")
            return "the script failed"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        asked = json.loads(body or b"{}")
        path = self.path.partition("?")[0]
        dialect = next((each for end, each in DIALECTS.items() if path.endswith(end)), None)
        if dialect is None:
            self._json({"input_tokens": 1})
            return
        self.server.model.requests.append(asked)
        tools, results = dialect.read(asked)
        step = self.server.answered(tools, results)
        if asked.get("stream"):
            self._stream(dialect.stream(step, len(results), tools))
        else:
            self._json(dialect.whole(step, len(results), tools))

    def _json(self, content: Json) -> None:
        self._send(json.dumps(content).encode(), "application/json")

    def _stream(self, events: list[tuple[str, Json | str]]) -> None:
        text = ""
        for name, data in events:
            text += f"event: {name}\n" if name else ""
            text += f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
        self._send(text.encode(), "text/event-stream")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _text(content: Any) -> str:
    """The text of content that may be a string or blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(each.get("text", "")) for each in blocks if isinstance(each, dict))


def _named(tool: str, offered: list[str]) -> str:
    """What an agent calls a tool of ours."""
    return next((each for each in offered if each == tool or each.endswith(f"__{tool}")), tool)


class Chat:
    """OpenAI's chat completions, as Hermes speaks them."""

    @staticmethod
    def read(asked: Json) -> tuple[list[str], list[str]]:
        tools = [each["function"]["name"] for each in asked.get("tools") or ()]
        results = [_text(each["content"]) for each in asked["messages"] if each["role"] == "tool"]
        return tools, results

    @classmethod
    def stream(cls, step: Call | str, at: int, offered: list[str]) -> list[tuple[str, Json | str]]:
        message = cls._message(step, at, offered)
        for index, call in enumerate(message.get("tool_calls", ())):
            call["index"] = index
        done = cls._chunk({}, "tool_calls" if isinstance(step, Call) else "stop")
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return [
            ("", cls._chunk(message, None)),
            ("", {**done, "usage": usage}),
            ("", "[DONE]"),
        ]

    @classmethod
    def whole(cls, step: Call | str, at: int, offered: list[str]) -> Json:
        return {
            "id": "c1", "object": "chat.completion", "created": 1, "model": "scripted",
            "choices": [
                {
                    "index": 0,
                    "message": cls._message(step, at, offered),
                    "finish_reason": "tool_calls" if isinstance(step, Call) else "stop",
                }
            ],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }  # fmt: skip

    @staticmethod
    def _message(step: Call | str, at: int, offered: list[str]) -> Json:
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        function = {"name": _named(step.tool, offered), "arguments": json.dumps(step.arguments)}
        call = {"id": f"call_{at}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    @staticmethod
    def _chunk(delta: Json, reason: str | None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": [choice],
        }


class Responses:
    """OpenAI's responses, as Codex speaks them.

    Tools of a server stand in a namespace, and are not told before the model has looked for them.
    """

    SEARCH = "tool_search"

    @classmethod
    def read(cls, asked: Json) -> tuple[list[str], list[str]]:
        items = asked["input"]
        found = [each for each in items if each.get("type") == f"{cls.SEARCH}_output"]
        tools = cls._names(asked.get("tools") or ())
        if found:
            tools.remove(cls.SEARCH)
        for each in found:
            tools += cls._names(each["tools"])
        results = [
            _text(each.get("output"))
            for each in items
            if each.get("type") == "function_call_output"
        ]
        return tools, results

    @staticmethod
    def _names(tools: Iterable[Json]) -> list[str]:
        names: list[str] = []
        for each in tools:
            if each.get("type") == "namespace":
                names += [f"{each['name']}__{tool['name']}" for tool in each["tools"]]
            else:
                names.append(str(each.get("name", each.get("type"))))
        return names

    @classmethod
    def stream(cls, step: Call | str, at: int, offered: list[str]) -> list[tuple[str, Json | str]]:
        whole = cls.whole(step, at, offered)
        [item] = whole["output"]
        kinds: list[tuple[str, Json]] = [
            ("response.created", {"response": {"id": whole["id"]}}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": whole}),
        ]
        return [(kind, {"type": kind, **data}) for kind, data in kinds]

    @staticmethod
    def whole(step: Call | str, at: int, offered: list[str]) -> Json:
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        item = Responses._item(step, at, offered)
        return {"id": f"r{at}", "status": "completed", "output": [item], "usage": usage}

    @classmethod
    def _item(cls, step: Call | str, at: int, offered: list[str]) -> Json:
        if isinstance(step, str):
            content = [{"type": "output_text", "text": step, "annotations": []}]
            return {"type": "message", "id": f"m{at}", "role": "assistant", "content": content}
        if cls.SEARCH in offered:
            asked = {"query": "octavo notebook session run job", "limit": 60}
            return {
                "type": f"{cls.SEARCH}_call",
                "call_id": "search",
                "execution": "client",
                "arguments": asked,
            }
        space, _, name = _named(step.tool, offered).rpartition("__")
        call = {"type": "function_call", "id": f"f{at}", "call_id": f"call_{at}", "name": name}
        call["arguments"] = json.dumps(step.arguments)
        return {**call, "namespace": space} if space else call


class Messages:
    """Anthropic's messages, as Claude Code speaks them."""

    @staticmethod
    def read(asked: Json) -> tuple[list[str], list[str]]:
        blocks = [
            block
            for message in asked["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        results = [_text(each.get("content")) for each in blocks if each["type"] == "tool_result"]
        return [each["name"] for each in asked.get("tools") or ()], results

    @classmethod
    def stream(cls, step: Call | str, at: int, offered: list[str]) -> list[tuple[str, Json | str]]:
        whole = cls.whole(step, at, offered)
        [block] = whole["content"]
        if block["type"] == "text":
            empty, delta = (
                {"type": "text", "text": ""},
                {"type": "text_delta", "text": block["text"]},
            )
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        usage = {"output_tokens": 5}
        ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        events: list[Json] = [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": usage},
            {"type": "message_stop"},
        ]
        return [(event["type"], event) for event in events]

    @staticmethod
    def whole(step: Call | str, at: int, offered: list[str]) -> Json:
        if isinstance(step, str):
            block: Json = {"type": "text", "text": step}
        else:
            block = {"type": "tool_use", "id": f"toolu_{at}", "name": _named(step.tool, offered)}
            block["input"] = step.arguments
        return {
            "id": f"msg_{at}", "type": "message", "role": "assistant", "model": "scripted",
            "content": [block],
            "stop_reason": "tool_use" if isinstance(step, Call) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }  # fmt: skip


DIALECTS: dict[str, Any] = {
    "/chat/completions": Chat,
    "/responses": Responses,
    "/messages": Messages,
}
