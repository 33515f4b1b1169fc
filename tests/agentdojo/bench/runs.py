"""Many sessions on several processes; each process serves the environments of its own sessions."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import yaml
from agentdojo.task_suite.load_suites import get_suite

from . import attack
from .options import VERSION, Pair, Setting
from .server import Host
from .session import Outcome, Session


class Worker:
    def __init__(self, root: str) -> None:
        if yaml.__with_libyaml__:  # the environments are long; AgentDojo reads them with the slow loader
            yaml.safe_load = lambda stream: yaml.load(stream, Loader=yaml.CSafeLoader)
        self.folder = Path(tempfile.mkdtemp(prefix="w", dir=root))
        self.host = Host(self.folder)
        self.texts: dict[str, attack.Texts] = {}
        self.envs: dict[str, Any] = {}
        self.count = itertools.count()

    def environment(self, suite: Any, injected: dict[str, str]) -> Any:
        key = suite.name + json.dumps(injected, sort_keys=True)
        if key not in self.envs:
            self.envs = {key: suite.load_and_inject_default_environment(injected)}
        return self.envs[key].model_copy(deep=True)

    def play(self, pair: Pair, settings: list[Setting]) -> list[Outcome]:
        suite = get_suite(VERSION, pair.suite)
        outcomes = []
        for setting in settings:
            injected: dict[str, str] = {}
            if pair.injection:
                texts = self.texts.setdefault(pair.suite, attack.Texts(suite))
                user, injection = suite.user_tasks[pair.user], suite.injection_tasks[pair.injection]
                injected = texts.of(user, injection, setting.base64)
            folder = self.folder / f"s{next(self.count)}"
            folder.mkdir()
            env = self.environment(suite, injected)
            outcomes.append(Session(pair, setting, suite, env, injected).run(self.host, folder))
            shutil.rmtree(folder, ignore_errors=True)
        return outcomes


worker: Worker


def start(root: str) -> None:
    global worker
    worker = Worker(root)


def play(job: tuple[Pair, list[Setting]]) -> list[Outcome]:
    return worker.play(*job)


def numbered(names: Iterable[str], only: set[int] | None) -> list[str]:
    chosen = [name for name in names if only is None or attack.number(name) in only]
    return sorted(chosen, key=attack.number)


def pairs(suite: str, users: set[int] | None, injections: set[int] | None, thin: int = 1) -> list[Pair]:
    """Each user task by itself, then each of them (of `thin`, one) with each injection task."""
    tasks = get_suite(VERSION, suite)
    alone = [Pair(suite, user, None) for user in numbered(tasks.user_tasks, users)]
    injected = numbered(tasks.injection_tasks, injections)
    return alone + [Pair(suite, pair.user, one) for pair in alone[::thin] for one in injected]


def run(todo: list[Pair], settings: list[Setting], jobs: int, keep: TextIO | None) -> list[Outcome]:
    """All sessions; each is written to `keep` as soon as it has ended."""
    root = tempfile.mkdtemp(prefix="agentdojo-")
    began, outcomes = time.monotonic(), []
    try:
        with multiprocessing.get_context("fork").Pool(jobs, start, (root,)) as pool:
            work = pool.imap(play, [(pair, settings) for pair in todo], chunksize=1)
            for done, some in enumerate(work, 1):
                outcomes += some
                if keep:
                    keep.writelines(json.dumps(one.json(), ensure_ascii=False) + "\n" for one in some)
                    keep.flush()
                if done % 50 == 0 or done == len(todo):
                    print(f"{done}/{len(todo)} sessions, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return outcomes
