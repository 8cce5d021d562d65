/** Tools in code. Their arguments are checked here, by the schema that their author wrote. */

import { z } from 'zod'
import { type Json, type Risk, type ToolResult, toJson } from '../../../loop/index.ts'
import type { Described } from '../wire.ts'
import { callMethod, type Findings, isMethod, isParts, type Parts } from './findings.ts'

const risks: ReadonlySet<unknown> = new Set<Risk>([
  'read-only',
  'idempotent',
  'network',
  'destructive',
])

export function describeTools(tools: unknown, findings: Findings): Pick<Described, 'tools'> {
  if (tools === undefined) return { tools: [] }
  if (!Array.isArray(tools)) {
    findings.wrong('tools', 'give a list of names and tools')
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
  place: string,
  findings: Findings,
): Described['tools'][number] | undefined {
  const { wrong, functions } = findings
  if (!isParts(tool)) {
    wrong(place, 'give the name of a tool, or a tool')
    return undefined
  }
  const { name, description, parameters, risk, timeoutMs, outputCharsMax } = tool
  if (typeof name !== 'string' || !/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    wrong(`${place}.name`, 'a letter, then letters, digits, "_" and "-", at most 64')
  }
  if (typeof description !== 'string') wrong(`${place}.description`, 'give it as text')
  if (!isParts(parameters)) wrong(`${place}.parameters`, 'give a zod object or a JSON Schema')
  if (!risks.has(risk)) wrong(`${place}.risk`, `give one of: ${[...risks].join(', ')}`)
  if (!isMethod(tool, 'run')) wrong(`${place}.run`, 'give a function')
  if (functions.has(`tools.${String(name)}`)) wrong(`${place}.name`, 'another tool has it already')
  const schema = isParts(parameters) ? describeSchema(parameters, place, findings) : undefined
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

function describeSchema(parameters: Parts, place: string, { wrong }: Findings): Schema | undefined {
  try {
    if (!('_zod' in parameters)) return toJson(parameters) as Schema
    const schema = parameters as unknown as z.ZodType
    const { $schema: _, ...described } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    })
    return toJson(described) as Schema
  } catch (error) {
    wrong(`${place}.parameters`, `this is no schema: ${String(error)}`)
    return undefined
  }
}

async function runTool(tool: Parts, args: unknown, context: unknown): Promise<unknown> {
  const { parameters } = tool
  const isZod = isParts(parameters) && '_zod' in parameters
  const parsed = isZod
    ? await (parameters as unknown as z.ZodType).safeParseAsync(args)
    : { success: true as const, data: args }
  if (!parsed.success) return failure('bad-arguments', z.prettifyError(parsed.error))
  try {
    return await callMethod(tool, 'run', [parsed.data, context])
  } catch (error) {
    // A failure with a code is data for whoever called. The class may be of another copy of ours.
    if (!(error instanceof Error) || error.name !== 'ToolError' || !('code' in error)) throw error
    return failure(String(error.code), error.message)
  }
}

const failure = (error: string, output: string): ToolResult => ({ ok: false, error, output })
