import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

/** A server whose one tool wants to know two things of the person, and tells what it was told. */
const server = new McpServer({ name: "trips", version: "1" });
server.registerTool("book", { description: "Books a trip." }, async () => {
  const said = await server.server.elicitInput({
    message: "Where to?",
    requestedSchema: {
      type: "object",
      properties: { city: { type: "string", title: "City" }, nights: { type: "integer", minimum: 1 } },
      required: ["city", "nights"],
    },
  });
  return { content: [{ type: "text", text: `told ${JSON.stringify(said)}` }] };
});
await server.connect(new StdioServerTransport());
