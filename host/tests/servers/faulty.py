"""A server that goes wrong in the way that the called tool is named after. Python's standard library only."""
import json
import os
import sys
import time

NAMES = ["ok", "crash", "twice", "never", "close_stdout", "flood", "half_a_line", "other_id"]


def raw(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def send(message):
    raw(json.dumps(message) + "\n")


def answer(i, words):
    send({"jsonrpc": "2.0", "id": i, "result": {"content": [{"type": "text", "text": words}]}})


def call(i, name):
    if name == "ok":
        answer(i, "ok")
    elif name == "crash":
        raw('{"jsonrpc":"2.0","id":%d,"resu' % i)
        os._exit(9)
    elif name == "twice":
        answer(i, "first")
        answer(i, "second")
    elif name == "close_stdout":
        os.close(1)
        time.sleep(600)
    elif name == "half_a_line":
        raw('{"jsonrpc":"2.0","id":%d,' % i)
        time.sleep(1)
        raw('"result":{"content":[{"type":"text","text":"whole"}]}}\n')
    elif name == "other_id":
        answer("nobody's", "lost")
        answer(i, "found")
    elif name == "flood":
        for n in range(100_000):
            sys.stdout.write('{"jsonrpc":"2.0","method":"notifications/vendor/n","params":{"n":%d}}\n' % n)
        answer(i, "flooded")


for line in sys.stdin.buffer:
    m = json.loads(line)
    method, i = m.get("method"), m.get("id")
    if method == "initialize":
        send({"jsonrpc": "2.0", "id": i, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                                    "serverInfo": {"name": "faulty", "version": "1"}}})
    elif method == "tools/list":
        hint = {"readOnlyHint": True}
        send({"jsonrpc": "2.0", "id": i, "result": {"tools": [
            {"name": name, "inputSchema": {"type": "object"}, "annotations": hint} for name in NAMES]}})
    elif method == "tools/call":
        call(i, m["params"]["name"])
    elif method == "notifications/cancelled":
        send({"jsonrpc": "2.0", "method": "notifications/vendor/heard", "params": m["params"]})
