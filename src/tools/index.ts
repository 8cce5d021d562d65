export { type BuiltInToolsOptions, builtInTools } from './built-in-tools.ts'
export { createTools, type ToolsOptions } from './create-tools.ts'
export { hasCode } from './file-errors.ts'
export { type Folder, openChild, openRoot } from './folder.ts'
export { connectMcp, type McpOptions, type McpProblem, type McpTools } from './mcp/connect-mcp.ts'
export type { McpServer } from './mcp/mcp-server.ts'
export type { MarkProcesses } from './mcp/server-process.ts'
export type { OutputFile, OutputFolder } from './output-folder.ts'
export type { ProtectedPaths, Protection } from './protection.ts'
export { searchTools } from './search-tools.ts'
export {
  defineTool,
  type JsonSchema,
  type Tool,
  type ToolAnswer,
  type ToolArgs,
  type ToolDefinition,
  ToolError,
  type ToolRunContext,
} from './tool.ts'
