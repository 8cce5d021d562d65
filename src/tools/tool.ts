/**
 * What a tool is, for authors of tools. The registry does the rest: it parses the arguments,
 * enforces the time limit, shortens long output, and turns errors into data.
 */

import type { z } from 'zod'
import type { Json, Risk, ToolContext, ToolResult } from '../loop/index.ts'
import type { OutputFolder } from './output-folder.ts'
import type { Protection } from './protection.ts'

/** JSON Schema of an object. */
export type JsonSchema = { readonly [key: string]: Json }

/** Arguments after validation by the schema, with its defaults. */
export type ToolArgs = { readonly [key: string]: unknown }

/** A tool that agents and loops can call. */
export interface Tool {
  /** A letter, then letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  /** For the model: what it does, and when to use it. */
  readonly description: string
  readonly parameters: z.ZodObject | JsonSchema
  readonly risk: Risk
  /** Default: one minute. */
  readonly timeoutMs?: number
  /** How much of its output the caller sees; all of it is stored in a file. */
  readonly outputCharsMax?: number
  /** Throw `ToolError` for failures that the caller should recognize by a code. */
  run(args: ToolArgs, context: ToolRunContext): ToolAnswer | Promise<ToolAnswer>
  /** The file of the workspace that a call would change, relative to it. Absent: unknown. It must not wait. */
  changes?(args: Json, context: Pick<ToolContext, 'workspace'>): string | undefined
  /** Called for a call that was made before a crash and is not repeated. It must not wait. */
  replayed?(
    args: Json,
    result: ToolResult,
    context: Pick<ToolContext, 'iteration' | 'workspace'>,
  ): void
}

/** What the function of a tool returns: a value, or a result with `ok`. */
export type ToolAnswer = Json | ToolResult

/** What the function of a tool can use. */
export interface ToolRunContext extends ToolContext {
  /** Aborts at the tool's time limit as well. */
  readonly signal: AbortSignal
  /** Where long output is stored; absent if it is not. */
  readonly output?: OutputFolder
  /** For tools that work on workspace files; absent if they may use all of them. */
  readonly protection?: Protection
}

/** A failure with a stable code: `not-found`, `outside-workspace`… The message says what to do. */
export class ToolError extends Error {
  readonly code: string
  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'ToolError'
    this.code = code
  }
}

/** A tool with a zod schema for its arguments. See `defineTool`. */
export interface ToolDefinition<Parameters extends z.ZodObject>
  extends Omit<Tool, 'parameters' | 'run'> {
  readonly parameters: Parameters
  run(args: z.output<Parameters>, context: ToolRunContext): ToolAnswer | Promise<ToolAnswer>
}

/** A tool whose arguments have the types of its schema. */
export function defineTool<Parameters extends z.ZodObject>(
  definition: ToolDefinition<Parameters>,
): Tool {
  // The registry passes only arguments that the schema accepted.
  return definition
}
