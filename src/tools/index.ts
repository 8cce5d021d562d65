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
