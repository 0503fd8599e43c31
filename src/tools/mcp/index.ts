export { type ConnectMcpOptions, connectMcp, type McpFailure, type McpTools } from "./connect.ts";
export type { AskPerson } from "./elicitation.ts";
export { type McpProgram, type McpServer, type McpService, readMcpServers } from "./server-options.ts";
