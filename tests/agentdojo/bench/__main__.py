"""Repeats the published table: AgentDojo's user tasks, and a fully hijacked agent, with and without Bouncer.

python -m bench --bouncer PATH                      every setting, both suites (hours on two cores)
python -m bench --bouncer PATH --settings standard  the first rows only
python -m bench --bouncer PATH --quick              a few tasks and injections; ends with 1 on any failure
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from . import report, runs
from .options import SUITES, Setting
from .session import Outcome

# Slack's user tasks that send to an address which stands only in a web page: denied by default, a question where the policy
# says `tainted = "ask"`.
ONLY_IN_A_TEXT = {2, 11, 16, 17, 20}
QUICK = {
    "workspace": ({0, 4, 18, 25, 35}, {1, 4, 12}),
    "slack": ({0, 4, 14}, {1, 3, 5}),
}


def settings(binary: str) -> list[Setting]:
    """The rows of the table, in its order."""
    return [
        Setting("no gate"),
        Setting("standard", binary),
        Setting('standard, tainted = "ask"', binary, per_tool='tainted = "ask"'),
        Setting("standard, yes to every question", binary, who="rubber"),
        Setting("standard, JSON", binary, shape="json"),
        Setting("standard, structured", binary, shape="structured"),
        Setting("standard, injection in base64", binary, base64=True),
        Setting("standard, base64, yes to every question", binary, base64=True, who="rubber"),
        Setting("standard, a server for each tool group", binary, split=True),
        Setting("standard, no prompt hook", binary, hook=False),
        Setting("standard, nobody to ask", binary, who="none"),
        Setting("strict", binary, policy_head='profile = "strict"'),
    ]


def numbers(text: str | None) -> set[int] | None:
    return None if text is None else {int(one) for one in text.split(",")}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bouncer", required=True, type=Path, help="the binary")
    parser.add_argument("--suite", default=",".join(SUITES), help="a comma list of " + ", ".join(SUITES))
    parser.add_argument("--settings", help="only these rows: names as in the table, separated by `;`")
    parser.add_argument("--users", type=numbers, help="only user tasks of these numbers, a comma list")
    parser.add_argument("--injections", type=numbers, help="only injection tasks of these numbers")
    parser.add_argument("--thin", type=int, default=1, metavar="N", help="attack only each Nth user task")
    parser.add_argument("--benign", action="store_true", help="no attacks")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where to write each session, as JSON lines")
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def failed(setting: Setting, outcomes: list[Outcome]) -> list[str]:
    """What must not be, of one row behind the gate. Without the prompt hook, or with nobody to ask, tasks may break."""
    if setting.bouncer is None:
        return []
    work = {suite: set(range(100)) if setting.hook and setting.who != "none" else set() for suite in SUITES}
    if "tainted" not in setting.per_tool:
        work["slack"] -= ONLY_IN_A_TEXT
    return report.failures([one for one in outcomes if one.setting == setting.name], setting.who == "rubber", work)


def main() -> int:
    options = arguments()
    every = settings(str(options.bouncer.resolve()))
    names = options.settings.split(";") if options.settings else [one.name for one in every]
    if options.quick and not options.settings:
        names = [
            "no gate",
            "standard",
            "standard, base64, yes to every question",
            "standard, a server for each tool group",
        ]
    unknown = set(names) - {one.name for one in every}
    if unknown:
        print("error: no such setting: " + "; ".join(sorted(unknown)), file=sys.stderr)
        return 2
    chosen = [one for one in every if one.name in names]
    todo = []
    for suite in options.suite.split(","):
        users, injections = QUICK[suite] if options.quick else (options.users, options.injections)
        todo += runs.pairs(suite, users, set() if options.benign else injections, options.thin)
    with contextlib.ExitStack() as files:
        keep = files.enter_context(open(options.out, "w", encoding="utf-8")) if options.out else None
        outcomes = runs.run(todo, chosen, options.jobs, keep)
    print(report.table(outcomes))
    wrong = [line for setting in chosen for line in failed(setting, outcomes)]
    errors = [f"{one.suite} {one.user} {one.injection}: {one.error}" for one in outcomes if one.error]
    for line in wrong or errors:
        print("FAILED", line, file=sys.stderr)
    return 1 if wrong or errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
