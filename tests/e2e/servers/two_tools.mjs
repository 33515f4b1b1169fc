// Two tools that note that they ran, on the TypeScript SDK that the real servers bring along.
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../node_modules/", import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { McpServer } = await load("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = await load("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = await load("zod");

const server = new McpServer({ name: "two-tools", version: "1" });
for (const tool of ["safe", "danger"]) {
  server.registerTool(tool, { description: tool, inputSchema: { mark: z.string().optional() } }, ({ mark }) => {
    appendFileSync(process.env.RAN, JSON.stringify([tool, mark ?? ""]) + "\n");
    return { content: [{ type: "text", text: tool }] };
  });
}
await server.connect(new StdioServerTransport());
