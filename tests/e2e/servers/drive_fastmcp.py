"""The client of PyPI `fastmcp` (revision 2026-07-28 where the server speaks it) against the URL given: prints what became
of four calls, as one JSON object."""

import asyncio
import json
import sys

from fastmcp import Client

ASKED = []


async def yes(message, _type, params, _context):
    ASKED.append(message)
    schema = getattr(params, "requested_schema", None) or getattr(params, "requestedSchema", None)
    return {key: "allow once" for key in schema["properties"]}


async def main():
    async with Client(sys.argv[1], elicitation_handler=yes) as client:
        tools = [tool.name for tool in await client.list_tools()]
        inbox = await client.call_tool("read_inbox", {})

        async def send(to):
            arguments = {"to": [to], "subject": "s", "body": "b"}
            result = await client.call_tool("send_email", arguments, raise_on_error=False)
            return {"error": bool(result.is_error), "text": result.content[0].text}

        print(json.dumps({
            "tools": tools, "inbox": inbox.content[0].text, "denied": await send("collector@evil.example"),
            "allowed": await send("boss@corp.example"), "asked": await send("new@partner.example"), "questions": ASKED,
        }))


asyncio.run(main())
