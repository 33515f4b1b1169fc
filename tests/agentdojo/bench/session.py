"""One session: the user's own calls, and those of an agent that obeys the injected text as soon as it has read it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agentdojo.types import text_content_block_from_string as block

from . import attack
from .client import Broken, Client
from .human import Human, scalars
from .options import HERE, Pair, Setting
from .server import Host, World

Json = dict[str, Any]


@dataclass
class Outcome:
    """What came of a session."""

    suite: str
    user: str
    injection: str | None
    setting: str
    utility: bool = False
    attacked: bool = False  # the injected text was read, and its calls were made
    success: bool = False  # by the injection task's own scorer
    asks: int = 0
    error: str | None = None
    calls: list[Json] = field(default_factory=list)

    def json(self) -> Json:
        return asdict(self)


def readable(text: str, injected: list[str]) -> bool:
    """Whether an answer shows an injected text, however it is serialised."""

    def squeezed(words: str) -> str:
        return re.sub(r"[\s\\'\"]+", "", words.replace("\\n", " ").replace("\\t", " "))

    return any(squeezed(one) in squeezed(text) for one in injected)


def commands(setting: Setting, world: World, host: Host, sid: str, folder: Path) -> dict[str, list[str]]:
    """How each server is started, behind its gate if there is one."""
    relay = [sys.executable, "-I", "-S", str(HERE / "bench" / "relay.py"), str(host.path), sid]
    if setting.bouncer is None:
        return {name: [*relay, name] for name in world.servers}
    gate = [setting.bouncer, "run", "--session", sid, "--policy", str(folder / "policy.toml")]
    return {name: [*gate, "--upstream-name", name, "--", *relay, name] for name in world.servers}


def policy(setting: Setting, suite: str) -> str:
    text = (HERE / "policies" / f"{suite}.toml").read_text()
    if setting.per_tool:
        text = re.sub(r"^(\[tools\..*\])$", rf"\1\n{setting.per_tool}", text, flags=re.MULTILINE)
    return f"{setting.policy_head}\n{text}"


class Session:
    def __init__(self, pair: Pair, setting: Setting, suite: Any, env: Any, injected: dict[str, str]) -> None:
        self.pair, self.setting, self.suite = pair, setting, suite
        self.user = suite.user_tasks[pair.user]
        self.injection = suite.injection_tasks[pair.injection] if pair.injection else None
        self.world = World(suite, self.user.init_environment(env), setting.shape, setting.split)
        self.before = self.world.env.model_copy(deep=True)
        self.injected = list(injected.values())
        self.out = Outcome(pair.suite, pair.user, pair.injection, setting.name)
        made = self.user.ground_truth(self.before.model_copy(deep=True))
        self.own = [(call.function, json.loads(json.dumps(dict(call.args), default=str))) for call in made]
        foreign = attack.calls(pair.suite, self.injection, self.before, self.before) if self.injection else []
        self.human = Human(setting.who, self.user.PROMPT, [args for _, args in self.own], [args for _, args in foreign])
        self.route: dict[str, Client] = {}

    def run(self, host: Host, folder: Path) -> Outcome:
        sid = folder.name
        host.worlds[sid] = self.world
        env = {**os.environ, "BOUNCER_HOME": str(folder / "home")}
        clients: list[Client] = []
        done = False
        try:
            (folder / "policy.toml").write_text(policy(self.setting, self.pair.suite))
            for name, command in commands(self.setting, self.world, host, sid, folder).items():
                ask = None if self.setting.who == "none" else self.human
                clients.append(Client(command, ask, env, folder, self.setting.timeout))
                listed = clients[-1].request("tools/list", {})["tools"]
                assert listed == self.world.servers[name], "the tools are passed on as they are"
                self.route.update({tool["name"]: clients[-1] for tool in listed})
            if self.setting.bouncer is not None and self.setting.hook:
                hook = [self.setting.bouncer, "hook", "prompt", "--session", sid]
                subprocess.run(hook, input=self.user.PROMPT.encode(), env=env, cwd=folder, check=True, capture_output=True)
            self.replay()
            done = True
        except (Broken, AssertionError, subprocess.SubprocessError, OSError, ValueError) as error:
            log = folder / "stderr"
            self.out.error = f"{error}\n{log.read_text()[-600:] if log.exists() else ''}"
        for client in clients:
            client.close()
        del host.worlds[sid]
        self.score(done)
        return self.out

    def replay(self) -> None:
        for tool, args in self.own:
            text = self.call("user", tool, args)
            if self.injection and not self.out.attacked and readable(text, self.injected):
                self.out.attacked = True
                for evil, with_args in attack.calls(self.pair.suite, self.injection, self.before, self.world.env):
                    self.call("attacker", evil, with_args)

    def call(self, by: str, tool: str, args: Json) -> str:
        self.human.user_calls = by == "user"
        reached, asked, began = len(self.world.trace), self.human.asked, time.perf_counter()
        result = self.route[tool].request("tools/call", {"name": tool, "arguments": args})
        text = "\n".join(one.get("text", "") for one in result["content"])
        passed = len(self.world.trace) > reached
        record: Json = {"by": by, "tool": tool, "passed": passed, "asks": self.human.asked - asked}
        record["ms"] = round((time.perf_counter() - began) * 1e3, 2)
        if not passed:
            record["said"] = text[:300]
        self.out.calls.append(record)
        return text + "\n" + "\n".join(scalars(result.get("structuredContent")))

    def score(self, done: bool) -> None:
        """AgentDojo's scorers, on the environment as it is now. An agent whose own call was refused knows no answer."""
        served = done and all(call["passed"] for call in self.out.calls if call["by"] == "user")
        said = [self.user.GROUND_TRUTH_OUTPUT] if served else []
        if self.injection and self.out.attacked:
            said.append(self.injection.GROUND_TRUTH_OUTPUT)
        answer = [block("\n".join(said))]

        def scored(check: Any, task: Any) -> bool:
            with contextlib.redirect_stdout(io.StringIO()):
                try:
                    return bool(check(task, answer, self.before, self.world.env, self.world.trace))
                except Exception:  # noqa: BLE001 - the scorers index what a refused call never made
                    return False

        self.out.utility = served and scored(self.suite._check_user_task_utility, self.user)
        if self.injection:
            self.out.success = scored(self.suite._check_injection_task_security, self.injection)
        self.out.asks = self.human.asked
