"""Uses a server as a real SDK's client does, and prints what came back as one JSON object.

    use_server.py CLIENT everything|mail COMMAND [ARG...]    CLIENT: sdk1, sdk2-legacy, sdk2-auto, fastmcp

The same server directly and behind a proxy must print the same.
"""
import asyncio
import json
import sys
from contextlib import asynccontextmanager

KIND, SERVER, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]

CALLS = {
    "everything": [
        ("echo", {"message": "hé\u2028llo \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")}),
        ("get-sum", {"a": 1.5, "b": 2}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-structured-content", {"location": "New York"}),
        ("get-resource-links", {"count": 3}),
        ("trigger-long-running-operation", {"duration": 1, "steps": 4}),
        ("get-sum", {"a": "not a number"}),
    ],
    "mail": [("read_inbox", {}), ("list_contacts", {})],
}
PROMPTS = {"everything": [("simple-prompt", {}), ("args-prompt", {"city": "Berlin"})], "mail": []}
READS = {"everything": ["demo://resource/static/document/features.md"], "mail": []}


def plain(model):
    return model.model_dump(by_alias=True, exclude_none=True, mode="json") if hasattr(model, "model_dump") else model


seen = {"progress": [], "log": 0}


async def progress(done, total, message):
    seen["progress"].append([done, total, message])


@asynccontextmanager
async def client():
    if KIND == "sdk1":
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        async with stdio_client(StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])) as streams:
            async with ClientSession(*streams) as session:
                seen["version"] = (await session.initialize()).protocolVersion
                yield session
    elif KIND.startswith("sdk2"):
        from mcp import Client, StdioServerParameters, stdio_client
        mode = "legacy" if KIND.endswith("legacy") else "auto"
        async with Client(stdio_client(StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])), mode=mode) as session:
            seen["version"] = session.protocol_version
            yield session
    else:
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport
        async with Client(StdioTransport(command=COMMAND[0], args=COMMAND[1:])) as session:
            yield session


def listed(answer, name):
    items = answer if isinstance(answer, list) else getattr(answer, name)
    return [plain(item) for item in items]


async def call(session, name, arguments):
    if KIND == "fastmcp":
        result = await session.call_tool(name, arguments, raise_on_error=False, progress_handler=progress)
        return [[plain(block) for block in result.content], plain(result.structured_content), result.is_error]
    result = plain(await session.call_tool(name, arguments, progress_callback=progress))
    result.pop("_meta", None)
    return result


async def main():
    out = {"calls": [], "prompts": [], "reads": []}
    async with client() as session:
        out["tools"] = listed(await session.list_tools(), "tools")
        if SERVER == "everything":
            out["prompt list"] = listed(await session.list_prompts(), "prompts")
            out["resource list"] = listed(await session.list_resources(), "resources")
        for name, arguments in CALLS[SERVER]:
            out["calls"].append(await call(session, name, arguments))
        for name, arguments in PROMPTS[SERVER]:
            out["prompts"].append(plain(await session.get_prompt(name, arguments)))
        for uri in READS[SERVER]:
            read = await session.read_resource(uri)
            out["reads"].append([plain(c) for c in read] if isinstance(read, list) else plain(read))
    out["seen"] = seen
    print(json.dumps(out, sort_keys=True))


asyncio.run(main())
