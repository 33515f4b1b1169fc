"""Two tools that note that they ran, on whichever Python SDK is installed: `mcp` 1.x (FastMCP inside) or `fastmcp`."""

import json
import os

try:
    from fastmcp import FastMCP
except ImportError:
    from mcp.server.fastmcp import FastMCP

server = FastMCP("two-tools")


def note(tool: str, mark: str) -> str:
    with open(os.environ["RAN"], "a", encoding="utf-8") as ran:
        ran.write(json.dumps([tool, mark]) + "\n")
    return tool


@server.tool()
def safe(mark: str = "") -> str:
    """Harmless."""
    return note("safe", mark)


@server.tool()
def danger(mark: str = "") -> str:
    """Forbidden by the policy."""
    return note("danger", mark)


if __name__ == "__main__":
    server.run("stdio")
