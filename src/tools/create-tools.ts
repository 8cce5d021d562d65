/**
 * The tool registry: everything around a tool's own code.
 *
 * 1. A call always has a result: errors become data, and a call ends at its time limit even if
 *   the tool ignores the signal. Only the end of the run itself is thrown.
 * 2. All output is limited: long output is shortened and stored in a file.
 * 3. Everything that can be prepared is prepared at creation; a call parses, runs and wraps.
 */

import type { Tools } from '../engine/index.ts'
import {
  defined,
  FaultError,
  type Json,
  LoopError,
  suggestName,
  type ToolContext,
  type ToolDescription,
  type ToolResult,
  textOf,
  toJson,
} from '../loop/index.ts'
import { capOutput } from './cap-output.ts'
import { createOutputFolder, type OutputFolder } from './output-folder.ts'
import { createParser, isZodSchema, type Parser } from './parse-arguments.ts'
import { runWithTimeout } from './run-with-timeout.ts'
import { type Tool, type ToolAnswer, ToolError } from './tool.ts'

/** Options of `createTools`. */
export interface ToolsOptions {
  readonly tools: readonly Tool[]
  /**
   * A folder of this run for long output, outside the workspace. Default: long output is not
   * stored.
   */
  readonly spillFolder?: string
  /** How long a stopped tool may take to clean up; a process tree needs seconds. */
  readonly graceMs?: number
}

const defaultTimeoutMs = 60_000
const defaultGraceMs = 5000
const defaultOutputCharsMax = 30_000
const errorCharsMax = 4000
const codeCharsMax = 200
const risks: readonly string[] = ['read-only', 'idempotent', 'network', 'destructive']

interface Entry {
  readonly tool: Tool
  readonly parser: Parser
}

/** Rejects tools with ambiguous or invalid definitions, with `bad-request`. */
export function createTools(options: ToolsOptions): Tools {
  const { spillFolder, graceMs = defaultGraceMs } = options
  const entries = register(options.tools)
  const descriptions = [...entries.values()].map(describe)
  const output = spillFolder === undefined ? undefined : createOutputFolder(spillFolder)
  return {
    async list() {
      return descriptions
    },
    async call(name, args, context) {
      const entry = entries.get(name)
      if (entry === undefined) return unknownTool(name, entries)
      context.signal.throwIfAborted()
      try {
        return await callTool(entry, args, context, { output, graceMs })
      } catch (error) {
        if (context.signal.aborted) throw error
        return failure(toErrorCode(error), textOf(error).slice(0, errorCharsMax))
      }
    },
    changes: (name, args, context) => entries.get(name)?.tool.changes?.(args, context),
    replayed(name, args, result, context) {
      try {
        entries.get(name)?.tool.replayed?.(args, result, context)
      } catch {
        // The tool only misses an update; the run continues.
      }
    },
  }
}

async function callTool(
  { tool, parser }: Entry,
  args: Json,
  context: ToolContext,
  { output, graceMs }: { readonly output: OutputFolder | undefined; readonly graceMs: number },
): Promise<ToolResult> {
  const parsed = await parser.parse(args)
  if (!parsed.ok) return failure('bad-arguments', parsed.message)
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs
  const outcome = await runWithTimeout({ timeoutMs, graceMs }, context.signal, (signal) =>
    tool.run(parsed.args, { ...context, signal, ...defined({ output }) }),
  )
  if (outcome.type === 'timeout') {
    const message = `${tool.name} took longer than ${timeoutMs / 1000} s and was stopped. Request less at a time.`
    return failure('timeout', message)
  }
  const result = toResult(tool, outcome.value)
  return capOutput(result, tool.outputCharsMax ?? defaultOutputCharsMax, output)
}

function register(tools: readonly Tool[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>()
  // Sorted by name: the same tools make the same prompt, which providers cache.
  for (const tool of tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    requireValid(tool)
    if (entries.has(tool.name)) {
      throw new LoopError('bad-request', `Two tools are named "${tool.name}". Rename one of them.`)
    }
    entries.set(tool.name, { tool, parser: createToolParser(tool) })
  }
  return entries
}

function requireValid({
  name,
  description,
  parameters,
  risk,
  timeoutMs,
  outputCharsMax,
}: Tool): void {
  const refuse = (what: string): never => {
    throw new LoopError(
      'bad-request',
      `The tool ${JSON.stringify(name)} ${what}. Change its definition.`,
    )
  }
  if (typeof name !== 'string' || !/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name)) {
    refuse('needs a name of a letter, then letters, digits, _ and -, at most 64 in all')
  }
  if (typeof description !== 'string') refuse('needs a description')
  if (typeof parameters !== 'object' || parameters === null) refuse('needs a schema as parameters')
  if ('parse' in parameters && typeof parameters.parse === 'function' && !isZodSchema(parameters)) {
    refuse('needs a schema of zod 4')
  }
  if (!risks.includes(risk)) refuse(`needs a risk: one of ${risks.join(', ')}`)
  for (const limit of [timeoutMs, outputCharsMax]) {
    if (limit !== undefined && !(limit > 0)) refuse('needs limits above zero')
  }
}

function createToolParser(tool: Tool): Parser {
  try {
    return createParser(tool)
  } catch (cause) {
    const message = `The parameters of the tool "${tool.name}" must be an object schema: ${textOf(cause)}.`
    throw new LoopError('bad-request', message, { cause })
  }
}

function describe({ tool, parser }: Entry): ToolDescription {
  const { name, description, risk } = tool
  return { name, description, parameters: parser.schema, risk }
}

function unknownTool(name: string, entries: ReadonlyMap<string, Entry>): ToolResult {
  const meant = suggestName(name, entries.keys())
  const names = [...entries.keys()].slice(0, 50).join(', ')
  const shown = JSON.stringify(name.slice(0, 100))
  return failure('unknown-tool', `There is no tool ${shown}.${meant} The tools are: ${names}.`)
}

function toResult(tool: Tool, outcome: ToolAnswer | undefined): ToolResult {
  const result = isResult(outcome) ? sanitizeResult(outcome) : { ok: true, output: outcome }
  try {
    return { ...result, output: toJson(result.output ?? null) }
  } catch (error) {
    const message = `${tool.name} returned a value that cannot be stored: ${textOf(error)}.`
    return failure('tool-failed', message)
  }
}

const resultKeys = new Set(['ok', 'output', 'error', 'spilled'])

function isResult(outcome: ToolAnswer | undefined): outcome is ToolResult {
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return false
  const isShaped = 'ok' in outcome && 'output' in outcome && typeof outcome.ok === 'boolean'
  return isShaped && Object.keys(outcome).every((key) => resultKeys.has(key))
}

/** A tool may pass on foreign data that only resembles a result. */
function sanitizeResult({ ok, output, error, spilled }: ToolResult): ToolResult {
  return {
    ok,
    output,
    ...(error === undefined ? {} : { error: isCode(error) ? error : 'tool-failed' }),
    ...(isSpilled(spilled) ? { spilled } : {}),
  }
}

const isCode = (error: unknown): error is string =>
  typeof error === 'string' && error.length <= codeCharsMax && !/\p{Cc}/u.test(error)

function isSpilled(spilled: unknown): spilled is NonNullable<ToolResult['spilled']> {
  if (typeof spilled !== 'object' || spilled === null) return false
  const { file, bytes } = spilled as { readonly file?: unknown; readonly bytes?: unknown }
  return typeof file === 'string' && Number.isSafeInteger(bytes) && Number(bytes) >= 0
}

function toErrorCode(error: unknown): string {
  if (error instanceof ToolError) return error.code
  return error instanceof FaultError ? error.fault.code : 'tool-failed'
}

const failure = (error: string, output: string): ToolResult => ({ ok: false, error, output })
