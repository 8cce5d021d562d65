/**
 * Lists the tools of a server. A list is untrusted data: pages, tools and each part of a tool are
 * limited, and a tool that cannot be used is left out and reported, while the others stay.
 */

import { z } from 'zod'
import { type Json, toJson } from '../../loop/index.ts'
import type { JsonSchema } from '../tool.ts'
import type { AskLimits, Session } from './mcp-session.ts'
import { plainText } from './plain-text.ts'
import { type Annotations, annotationsSchema } from './tool-risk.ts'

export interface ListedTool {
  /** As the server names it. */
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly output: JsonSchema | undefined
  readonly annotations: Annotations | undefined
}

export interface Listing {
  readonly tools: readonly ListedTool[]
  readonly problems: readonly string[]
}

const pagesMax = 50
const cursorCharsMax = 10_000
const toolsMax = 500
const nameCharsMax = 200
const descriptionCharsMax = 4000
const schemaCharsMax = 64 * 1024
const schemaDepthMax = 50
const leftOutShownMax = 5

const pageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  // All cursors are stored, to detect a repeated one.
  nextCursor: z.string().max(cursorCharsMax).nullish(),
})

const toolSchema = z.looseObject({
  name: z.string().min(1).max(nameCharsMax),
  description: z.string().optional().catch(undefined),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({}).optional(),
  annotations: annotationsSchema,
})

export async function listTools(session: Session, limits: AskLimits): Promise<Listing> {
  if (!session.offersTools) {
    return { tools: [], problems: ['It offers no tools. Remove it from the servers.'] }
  }
  const { found, problem } = await readAllPages(session, limits)
  const tools = new Map<string, ListedTool>()
  const leftOut: string[] = []
  for (const one of found) {
    const tool = parseTool(one)
    if (typeof tool === 'string') leftOut.push(tool)
    else if (tools.has(tool.name)) leftOut.push(`${shown(tool.name)} is listed more than once`)
    else tools.set(tool.name, tool)
  }
  const problems = [...(problem === undefined ? [] : [problem]), ...describeLeftOut(leftOut)]
  return { tools: [...tools.values()], problems }
}

interface Pages {
  readonly found: readonly unknown[]
  readonly problem?: string
}

async function readAllPages(session: Session, limits: AskLimits): Promise<Pages> {
  const found: unknown[] = []
  const cursors = new Set<string>()
  let params: Record<string, unknown> = {}
  for (;;) {
    const page = await session.ask({ method: 'tools/list', params }, pageSchema, limits)
    found.push(...page.tools.slice(0, toolsMax + 1 - found.length))
    if (found.length > toolsMax) {
      const problem = `It lists more than ${toolsMax} tools. Only the first ${toolsMax} can be used.`
      return { found: found.slice(0, toolsMax), problem }
    }
    const cursor = page.nextCursor
    if (cursor === undefined || cursor === null || cursor === '') return { found }
    const isAgain = cursors.has(cursor)
    if (isAgain || cursors.size + 1 >= pagesMax) {
      const what = isAgain
        ? 'Its list of tools repeats itself'
        : `Its list has more than ${pagesMax} pages`
      return { found, problem: `${what}. The tools listed so far can be used.` }
    }
    cursors.add(cursor)
    params = { cursor }
  }
}

/** The tool, or why it is left out. */
function parseTool(one: unknown): ListedTool | string {
  const parsed = toolSchema.safeParse(one)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `${readName(one)} (${issue?.path.join('.')}: ${issue?.message})`
  }
  const { annotations, description = '', inputSchema, name, outputSchema } = parsed.data
  try {
    return {
      name,
      description: plainText(description, descriptionCharsMax),
      parameters: toUsableSchema(inputSchema),
      output: outputSchema === undefined ? undefined : toUsableSchema(outputSchema),
      annotations,
    }
  } catch (error) {
    return `${shown(name)} (its schema ${error instanceof SchemaError ? error.message : 'is unusable'})`
  }
}

class SchemaError extends Error {}

function toUsableSchema(schema: object): JsonSchema {
  const json = withPlainTexts(toJson(schema), 0)
  if (JSON.stringify(json).length > schemaCharsMax) {
    throw new SchemaError(`is longer than ${schemaCharsMax} characters`)
  }
  return json as JsonSchema
}

/** Models also read the texts in a schema. */
function withPlainTexts(json: Json, depth: number): Json {
  if (depth > schemaDepthMax)
    throw new SchemaError(`is nested more than ${schemaDepthMax} levels deep`)
  if (typeof json === 'string') return plainText(json, descriptionCharsMax)
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map((part: Json) => withPlainTexts(part, depth + 1))
  const entries = Object.entries(json).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, part]) => [key, withPlainTexts(part, depth + 1)]))
}

function describeLeftOut(leftOut: readonly string[]): readonly string[] {
  if (leftOut.length === 0) return []
  const more = leftOut.length - leftOutShownMax
  const names = leftOut.slice(0, leftOutShownMax).join('; ')
  const rest = more > 0 ? `; and ${more} more` : ''
  return [`Left out tools that cannot be used: ${names}${rest}. Report it to the server's authors.`]
}

const shown = (name: string): string => JSON.stringify(plainText(name, 60))

function readName(one: unknown): string {
  const name = typeof one === 'object' && one !== null && 'name' in one ? one.name : undefined
  return typeof name === 'string' ? shown(name) : 'one without a name'
}
