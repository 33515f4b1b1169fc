"""A scripted MCP client over pipes: one request at a time, and an answer for each question."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Answer = Callable[[Json], Json]


class Broken(Exception):
    """The gate or the server behind it did not answer."""


class Client:
    """One connection to the process of `command`. `ask` answers elicitations; None: the client shows no forms."""

    def __init__(self, command: list[str], ask: Answer | None, env: dict[str, str], folder: Path, timeout: float) -> None:
        self.ask, self.timeout, self.number = ask, timeout, 0
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        with open(folder / "stderr", "ab") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=env, cwd=folder,
                start_new_session=True,
            )
        threading.Thread(target=self.read, daemon=True).start()
        capabilities = {} if ask is None else {"elicitation": {}}
        info = {"name": "agentdojo", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info})
        self.write({"method": "notifications/initialized"})

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def write(self, message: Json) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Broken(f"the gate reads no more: {error}") from error

    def request(self, method: str, params: Json) -> Json:
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        until = time.monotonic() + self.timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise Broken(f"no answer to {method} in {self.timeout} s") from None
            if line is None:
                raise Broken(f"the gate ended during {method}")
            message = json.loads(line)
            if "method" in message:
                if "id" in message:
                    self.served(message)
            elif message.get("id") == self.number:
                if "error" in message:
                    raise Broken(f"{method}: {message['error']}")
                return dict(message["result"])

    def served(self, message: Json) -> None:
        if message["method"] == "elicitation/create" and self.ask is not None:
            self.write({"id": message["id"], "result": self.ask(message["params"])})
        else:
            error = {"code": -32601, "message": f"no {message['method']} here"}
            self.write({"id": message["id"], "error": error})

    def close(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
            self.process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)  # the group that this client started
            self.process.wait(5)
