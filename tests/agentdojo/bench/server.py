"""A suite's tools as MCP servers, and the environment behind them. The relays that gates start connect to it."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from pydantic import BaseModel

from .options import Shape

Json = dict[str, Any]


def plain(value: Any) -> Any:
    """A tool's Python result as JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def shaped(raw: Any, shape: Shape) -> Json:
    """A tool's result as a `CallToolResult`: as AgentDojo writes it for a model, as JSON, or structured too."""
    if shape == "text":
        return {"content": [{"type": "text", "text": tool_result_to_str(raw)}]}
    value = plain(raw)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    result: Json = {"content": [{"type": "text", "text": text}]}
    if shape == "structured":
        result["structuredContent"] = value if isinstance(value, dict) else {"result": value}
    return result


class World:
    """One live environment, its servers, and every call that reached them."""

    def __init__(self, suite: Any, env: Any, shape: Shape, split: bool) -> None:
        self.env, self.shape = env, shape
        self.runtime = FunctionsRuntime(suite.tools)
        self.trace: list[FunctionCall] = []
        self.servers: dict[str, list[Json]] = {}
        for tool in suite.tools:
            module = tool.run.__module__.rsplit(".", 1)[-1]
            listed = {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters.model_json_schema()}
            self.servers.setdefault(module if split else suite.name, []).append(listed)

    def call(self, tool: str, arguments: Json) -> Json:
        raw, error = self.runtime.run_function(self.env, tool, arguments)
        self.trace.append(FunctionCall(function=tool, args=arguments))
        if error is not None:
            return {"content": [{"type": "text", "text": error}], "isError": True}
        return shaped(raw, self.shape)

    def answer(self, server: str, message: Json) -> Json | None:
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            return None
        if method == "initialize":
            info = {"name": server, "version": "1"}
            version = params.get("protocolVersion")
            result: Json = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            result = {"tools": self.servers[server]}
        elif method == "tools/call":
            result = self.call(params["name"], params.get("arguments") or {})
        else:
            result = {}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Host:
    """The socket that relays connect to: `session` and `server` first, then that server's lines."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "servers"
        self.worlds: dict[str, World] = {}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(str(self.path))
        self.socket.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            link, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def serve(self, link: socket.socket) -> None:
        with link, link.makefile("rb") as read, link.makefile("wb") as write:
            session, server = read.readline().decode().rstrip("\n").split("\t")
            for line in read:
                reply = self.worlds[session].answer(server, json.loads(line))
                if reply is not None:
                    try:
                        write.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
                        write.flush()
                    except OSError:
                        return
