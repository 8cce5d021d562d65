/** Describes tools in code. Their arguments are validated here, with the schema of their author. */

import { z } from 'zod'
import { type Json, type Risk, type ToolResult, toJson } from '../../../loop/index.ts'
import type { LoopDescription } from '../wire.ts'
import {
  callMethod,
  isMethod,
  isPlainObject,
  type LoopFileFindings,
  type PlainObject,
} from './loop-file-findings.ts'

const risks: ReadonlySet<unknown> = new Set<Risk>([
  'read-only',
  'idempotent',
  'network',
  'destructive',
])

export function describeTools(
  tools: unknown,
  findings: LoopFileFindings,
): Pick<LoopDescription, 'tools'> {
  if (tools === undefined) return { tools: [] }
  if (!Array.isArray(tools)) {
    findings.addProblem('tools', 'give a list of names and tools')
    return { tools: [] }
  }
  const described = tools.flatMap((tool: unknown, index) => {
    if (typeof tool === 'string') return []
    return describeTool(tool, `tools[${index}]`, findings) ?? []
  })
  return { tools: described }
}

function describeTool(
  tool: unknown,
  path: string,
  findings: LoopFileFindings,
): LoopDescription['tools'][number] | undefined {
  const { addProblem, functions } = findings
  if (!isPlainObject(tool)) {
    addProblem(path, 'give the name of a tool, or a tool')
    return undefined
  }
  const { name, description, parameters, risk, timeoutMs, outputCharsMax } = tool
  if (typeof name !== 'string' || !/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    addProblem(`${path}.name`, 'a letter, then letters, digits, "_" and "-", at most 64')
  }
  if (typeof description !== 'string') addProblem(`${path}.description`, 'give it as text')
  if (!isPlainObject(parameters))
    addProblem(`${path}.parameters`, 'give a zod object or a JSON Schema')
  if (!risks.has(risk)) addProblem(`${path}.risk`, `give one of: ${[...risks].join(', ')}`)
  if (!isMethod(tool, 'run')) addProblem(`${path}.run`, 'give a function')
  if (functions.has(`tools.${String(name)}`))
    addProblem(`${path}.name`, 'another tool has it already')
  const schema = isPlainObject(parameters) ? describeSchema(parameters, path, findings) : undefined
  if (schema === undefined) return undefined
  functions.set(`tools.${String(name)}`, ([args], context) => runTool(tool, args, context))
  return {
    name: String(name),
    description: String(description),
    parameters: schema,
    risk: risk as Risk,
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
    ...(typeof outputCharsMax === 'number' ? { outputCharsMax } : {}),
  }
}

type Schema = { [key: string]: Json }

function describeSchema(
  parameters: PlainObject,
  path: string,
  { addProblem }: LoopFileFindings,
): Schema | undefined {
  try {
    if (!('_zod' in parameters)) return toJson(parameters) as Schema
    const schema = parameters as unknown as z.ZodType
    const { $schema: _, ...described } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    })
    return toJson(described) as Schema
  } catch (error) {
    addProblem(`${path}.parameters`, `this is not a schema: ${String(error)}`)
    return undefined
  }
}

async function runTool(tool: PlainObject, args: unknown, context: unknown): Promise<unknown> {
  const { parameters } = tool
  const isZod = isPlainObject(parameters) && '_zod' in parameters
  const parsed = isZod
    ? await (parameters as unknown as z.ZodType).safeParseAsync(args)
    : { success: true as const, data: args }
  if (!parsed.success) return failure('bad-arguments', z.prettifyError(parsed.error))
  try {
    return await callMethod(tool, 'run', [parsed.data, context])
  } catch (error) {
    // A failure with a code is data for the caller. The class may come from another copy of this package.
    if (!(error instanceof Error) || error.name !== 'ToolError' || !('code' in error)) throw error
    return failure(String(error.code), error.message)
  }
}

const failure = (error: string, output: string): ToolResult => ({ ok: false, error, output })
