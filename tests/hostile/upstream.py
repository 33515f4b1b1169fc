"""A server whose tools are named on its command line; each takes `to` and `text` and answers with its name.

Standard library only. Its user names `send_email` as well, so that something is left that no hostile module is asked about.
"""
import json
import sys

STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"to": STRING, "text": STRING}, "additionalProperties": False}


def tool(name):
    return {"name": name, "description": "Sends a text", "inputSchema": SCHEMA}


for line in sys.stdin:
    message = json.loads(line)
    method, i = message.get("method"), message.get("id")
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "upstream", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [tool(name) for name in sys.argv[1:]]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "done " + message["params"]["name"]}]}
    else:
        result = {}
    if i is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": i, "result": result}), flush=True)
