"""A model that does as it is told, in the four wire formats that agents' clients speak.

A line ``CALL <tool> <JSON arguments>`` of a prompt has the model call that tool of the
client, one call a response; then it says ``SAY <text>``'s text, or "done". ``USAGE=N``
has it report that many input tokens. A request for a summary is answered with one.
Every request is kept, so that a test reads what really reached the model.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUMMARY = "STUB-SUMMARY: the user asked for things."
_SUMMED = 1_000  # results: those of a prompt that was summed up
_ASKS = re.compile(
    r"detailed summary of (the|our) conversation|CONTEXT CHECKPOINT|<state_snapshot>"
    r"|create a detailed summary|handoff summary|anchored summary"
    r"|summariz(e|ing) (the|this) conversation",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Turn:
    """What one request asks: the newest prompt, and how many of its calls are through.

    A prompt that a client repeats after a summary is not done once more.
    """

    prompt: str
    results: int
    last: str
    system: str = ""


@dataclass(frozen=True)
class Answer:
    """What the model says, or the one tool that it calls."""

    text: str
    tokens: int
    call: tuple[str, Any] | None = None


@dataclass
class Stub:
    """The server; ``requests`` are the bodies of what was asked, in order."""

    summary_tokens: int = 1000
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __enter__(self) -> Self:
        stub = self

        class Handler(_Handler):
            model: Stub = stub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def texts(self) -> list[str]:
        """Each request that asks the model something, as JSON text in plain Unicode."""
        return [json.dumps(body, ensure_ascii=False) for body in self.requests]

    def answer(self, turn: Turn) -> Answer:
        """What the model does with a request."""
        asks = _ASKS.search(turn.last) and SUMMARY not in turn.last
        if asks or "state_snapshot" in turn.system:
            text = f"<analysis>x</analysis><summary>{SUMMARY}</summary>"
            if "state_snapshot" in f"{turn.last}{turn.system}":
                text = f"<state_snapshot>{SUMMARY}</state_snapshot>"
            return Answer(text, self.summary_tokens)
        if turn.results >= _SUMMED:
            return Answer("done", 900)
        usage = re.findall(r"USAGE=(\d+)", turn.prompt)
        tokens = int(usage[-1]) if usage else 900
        calls = re.findall(r"(?m)^CALL (\S+) (.*)$", turn.prompt)
        if turn.results < len(calls):
            name, arguments = calls[turn.results]
            return Answer("", tokens, (name, json.loads(arguments)))
        said = re.findall(r"(?m)^SAY (.*)$", turn.prompt)
        return Answer(said[-1] if said else "done", tokens)


def text_of(content: object) -> str:
    """The text of a message's content, whatever its shape."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content if isinstance(content, list) else []:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict) and isinstance(block.get("text"), str):
            parts.append(block["text"])
    return "\n".join(parts)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Stub

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the library's
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        model = {"id": "stub-model", "object": "model", "type": "model"}
        self._json({"object": "list", "data": [model], "models": []})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens") or ":countTokens" in path:
            self._json({"input_tokens": 1000, "totalTokens": 1000})
            return
        self.model.requests.append(body)
        if path.endswith("/messages"):
            self._anthropic(body)
        elif path.endswith("/responses"):
            self._responses(body)
        elif path.endswith("/chat/completions"):
            self._chat(body)
        elif "enerateContent" in path:
            self._gemini(body, stream="stream" in path)
        else:
            self.model.requests.pop()
            self._json({})

    def _body(self) -> dict[str, Any]:
        if self.headers.get("transfer-encoding") == "chunked":
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "gzip" in self.headers.get("content-encoding", ""):
            raw = gzip.decompress(raw)
        found = json.loads(raw or b"{}")
        return found if isinstance(found, dict) else {}

    def _json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Sequence[tuple[str | None, object]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, value in events:
            said = value if isinstance(value, str) else json.dumps(value)
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {said}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def _anthropic(self, body: dict[str, Any]) -> None:
        results, last, prompt = 0, "", ""
        for message in body.get("messages", []):
            if message.get("role") != "user":
                continue
            content = message.get("content")
            blocks = content if isinstance(content, list) else []
            done = [one for one in blocks if one.get("type") == "tool_result"]
            last = text_of(content)
            if done:
                results += len(done)
            elif SUMMARY in last and "\nSAY " not in last.rpartition(SUMMARY)[2]:
                results = _SUMMED
            elif "CALL " in last or "SAY " in last or "USAGE=" in last:
                prompt, results = last.rpartition(SUMMARY)[2], 0
        found = self.model.answer(Turn(prompt, results, last))
        usage = {
            "input_tokens": found.tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 20,
        }
        block: dict[str, Any] = {"type": "text", "text": found.text}
        if found.call:
            name, arguments = found.call
            id_ = f"toolu_{time.time_ns()}"
            block = {"type": "tool_use", "id": id_, "name": name, "input": arguments}
        stop = "tool_use" if found.call else "end_turn"
        whole = {
            "id": f"msg_{time.time_ns()}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        if not body.get("stream"):
            self._json(whole)
            return
        empty = {**whole, "content": [], "stop_reason": None}
        if found.call:
            start: dict[str, Any] = {**block, "input": {}}
            said = json.dumps(found.call[1])
            delta = {"type": "input_json_delta", "partial_json": said}
        else:
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": found.text}
        ended = {"stop_reason": stop, "stop_sequence": None}
        events: list[tuple[str, dict[str, Any]]] = [
            ("message_start", {"message": empty}),
            ("content_block_start", {"index": 0, "content_block": start}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": ended, "usage": usage}),
            ("message_stop", {}),
        ]
        self._stream([(name, {"type": name, **value}) for name, value in events])

    def _responses(self, body: dict[str, Any]) -> None:
        asked = body.get("input", [])
        results, last, prompt = 0, "", asked if isinstance(asked, str) else ""
        for item in asked if isinstance(asked, list) else []:
            if item.get("type") in {"function_call_output", "custom_tool_call_output"}:
                results += 1
            elif item.get("role") == "user":
                last = text_of(item.get("content"))
                if SUMMARY in last:
                    results = _SUMMED
                elif "CALL " in last or "SAY " in last or "USAGE=" in last:
                    prompt, results = last, 0
        found = self.model.answer(Turn(prompt, results, last))
        id_, call_id = f"resp_{time.time_ns()}", f"call_{time.time_ns()}"
        said = [{"type": "output_text", "text": found.text}]
        item = {"type": "message", "role": "assistant", "id": "m1", "content": said}
        if found.call and isinstance(found.call[1], str):
            item = {
                "type": "custom_tool_call",
                "call_id": call_id,
                "name": found.call[0],
                "input": found.call[1],
            }
        elif found.call:
            item = {
                "type": "function_call",
                "call_id": call_id,
                "name": found.call[0],
                "arguments": json.dumps(found.call[1]),
            }
        usage = {
            "input_tokens": found.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": found.tokens + 20,
        }
        done = {"id": id_, "output": [item], "usage": usage}
        events: list[tuple[str, dict[str, Any]]] = [
            ("response.created", {"response": {"id": id_}}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": done}),
        ]
        self._stream([(name, {"type": name, **value}) for name, value in events])

    def _chat(self, body: dict[str, Any]) -> None:
        results, last, prompt = 0, "", ""
        for message in body.get("messages", []):
            if message.get("role") == "tool":
                results += 1
            elif message.get("role") == "user":
                last = text_of(message.get("content"))
                if SUMMARY in last:
                    results = _SUMMED
                elif "CALL " in last or "SAY " in last or "USAGE=" in last:
                    prompt, results = last, 0
        found = self.model.answer(Turn(prompt, results, last))
        usage = {
            "prompt_tokens": found.tokens,
            "completion_tokens": 20,
            "total_tokens": found.tokens + 20,
        }
        message = {"role": "assistant", "content": found.text}
        if found.call:
            name, arguments = found.call
            function = {"name": name, "arguments": json.dumps(arguments)}
            id_ = f"call_{time.time_ns()}"
            call = {"index": 0, "id": id_, "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        reason = "tool_calls" if found.call else "stop"
        head = {
            "id": "chatcmpl-1",
            "created": int(time.time()),
            "model": body.get("model"),
        }
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            whole = {"object": "chat.completion", "choices": [choice], "usage": usage}
            self._json({**head, **whole})
            return
        head["object"] = "chat.completion.chunk"
        self._stream(
            [
                (None, {**head, "choices": [choice]})
                for choice in (
                    {"index": 0, "delta": message, "finish_reason": None},
                    {"index": 0, "delta": {}, "finish_reason": reason},
                )
            ]
            + [(None, {**head, "choices": [], "usage": usage}), (None, "[DONE]")]
        )

    def _gemini(self, body: dict[str, Any], *, stream: bool) -> None:
        results, last, prompt = 0, "", ""
        for content in body.get("contents", []):
            parts = content.get("parts", [])
            if content.get("role") != "user":
                continue
            done = [part for part in parts if "functionResponse" in part]
            last = text_of(parts)
            if done:
                results += len(done)
            elif SUMMARY in last:
                results = _SUMMED
            elif "CALL " in last or "SAY " in last or "USAGE=" in last:
                prompt, results = last, 0
        system = text_of((body.get("systemInstruction") or {}).get("parts"))
        told = "" if body.get("tools") else system
        found = self.model.answer(Turn(prompt, results, last, told))
        text, call = found.text, found.call
        config = body.get("generationConfig", {})
        if "responseJsonSchema" in config or "responseMimeType" in config:
            picked = {
                "complexity_reasoning": "x",
                "complexity_score": 5,
                "reasoning": "x",
                "next_speaker": "user",
                "model_choice": "flash",
            }
            text, call = json.dumps(picked), None
        part: dict[str, Any] = {"text": text}
        if call:
            part = {"functionCall": {"name": call[0], "args": call[1]}}
        content = {"role": "model", "parts": [part]}
        answer = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": found.tokens,
                "candidatesTokenCount": 20,
                "totalTokenCount": found.tokens + 20,
            },
            "modelVersion": "stub",
        }
        if stream:
            self._stream([(None, answer)])
        else:
            self._json(answer)


def strings(value: object) -> Iterator[str]:
    """Every string in a request, as the model gets it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
