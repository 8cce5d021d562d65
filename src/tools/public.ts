/** What `loopwright/tools` exports: tools of your own, the built-in ones, and MCP servers as tools. */

export type { Risk, ToolContext, ToolDescription, ToolNote, ToolResult } from '../loop/index.ts'
export { type BuiltInToolsOptions, builtInTools } from './built-in-tools.ts'
export { createTools, type ToolsOptions } from './create-tools.ts'
export { connectMcp, type McpOptions, type McpProblem, type McpTools } from './mcp/connect-mcp.ts'
export type { McpServer } from './mcp/mcp-server.ts'
export type { OutputFile, OutputFolder } from './output-folder.ts'
export type { Protection } from './protection.ts'
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
