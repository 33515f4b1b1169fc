"""What one run measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent.parent
VERSION = "v1.2.2"
SUITES = ("workspace", "slack")
ATTACK = "important_instructions"

Shape = Literal["text", "json", "structured"]
Who = Literal["oracle", "rubber", "none"]


@dataclass(frozen=True)
class Setting:
    """How the gate is run, and what it is given to read."""

    name: str
    bouncer: str | None = None  # the binary; None: no gate
    shape: Shape = "text"
    base64: bool = False
    split: bool = False  # each tool module of a suite is a server of its own
    who: Who = "oracle"
    hook: bool = True  # the user's prompt reaches `bouncer hook prompt`
    policy_head: str = ""  # put before the policy's own lines
    per_tool: str = ""  # put into each tool's table of the policy
    timeout: float = 60.0


@dataclass(frozen=True)
class Pair:
    """One session: a user task, and the injection task that hijacks it, if any."""

    suite: str
    user: str
    injection: str | None
