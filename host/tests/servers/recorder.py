"""A server that keeps every byte it reads in $SEEN, and says what it is told to say, byte for byte. Standard library only.

It answers `initialize`, `tools/list`, `recorder/sync` and `recorder/say`, whose `file` is written to the client as
it is before the answer. Its argument maps further methods to their results, as JSON; a result that is a text is written as
it stands, with ID in it replaced by the request's.
"""
import json
import os
import sys

TOOL = {"name": "look_up", "description": "Looks something up", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True}}


def answer(i, result):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", "id": i, "result": result}).encode() + b"\n")
    sys.stdout.buffer.flush()


def main():
    results = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    seen = open(os.environ["SEEN"], "ab", buffering=0)
    for line in sys.stdin.buffer:
        seen.write(line)
        try:
            m = json.loads(line)
            method, i, params = m.get("method"), m.get("id"), m.get("params") or {}
        except (ValueError, AttributeError, RecursionError):
            continue
        if isinstance(results.get(method), str):
            sys.stdout.buffer.write(results[method].replace("ID", json.dumps(i)).encode() + b"\n")
            sys.stdout.buffer.flush()
        elif method in results:
            answer(i, results[method])
        elif method == "initialize":
            answer(i, {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                       "serverInfo": {"name": "recorder", "version": "1"}})
        elif method == "tools/list":
            answer(i, {"tools": [TOOL]})
        elif method == "recorder/say":
            with open(params["file"], "rb") as f:
                sys.stdout.buffer.write(f.read())
            sys.stdout.buffer.flush()
            answer(i, {})
        elif method == "recorder/sync":
            answer(i, {})


main()
