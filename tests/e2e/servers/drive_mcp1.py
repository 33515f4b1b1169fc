"""The client of PyPI `mcp` 1.x against the URL given: prints what became of four calls, as one JSON object."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import ElicitResult

ASKED = []


async def yes(_context, params):
    ASKED.append(params.message)
    fields = params.requestedSchema["properties"]
    return ElicitResult(action="accept", content={key: "allow once" for key in fields})


async def drive(read, write):
    async with ClientSession(read, write, elicitation_callback=yes) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        inbox = await session.call_tool("read_inbox", {})

        async def send(to):
            result = await session.call_tool("send_email", {"to": [to], "subject": "s", "body": "b"})
            return {"error": bool(result.isError), "text": result.content[0].text}

        print(json.dumps({
            "tools": tools, "inbox": inbox.content[0].text, "denied": await send("collector@evil.example"),
            "allowed": await send("boss@corp.example"), "asked": await send("new@partner.example"), "questions": ASKED,
        }))


async def main():
    url = sys.argv[1]
    if url.endswith("/sse"):
        async with sse_client(url) as (read, write):
            await drive(read, write)
    else:
        async with streamablehttp_client(url) as (read, write, _):
            await drive(read, write)


asyncio.run(main())
