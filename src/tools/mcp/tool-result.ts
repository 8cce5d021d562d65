/**
 * The result of a server's tool as the caller sees it: its text, its data, or both if they differ.
 * Images, audio and binary files become a note of their type and size.
 */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Json, type ToolResult, toJson } from '../../loop/index.ts'
import { createSchemaCheck } from '../schema-check.ts'
import type { JsonSchema } from '../tool.ts'
import { McpFailure } from './mcp-failure.ts'
import { plainText } from './plain-text.ts'

export interface CallResult {
  readonly content?: readonly Part[] | undefined
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

type Part = { readonly type: string; readonly [key: string]: unknown }

export const callResultSchema: z.ZodType<CallResult> = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
})

const partsMax = 1000
const labelCharsMax = 300
const issuesShownMax = 3

/** Throws `bad-answer` for a result that contradicts the tool's own description. */
export function toToolResult(result: CallResult, output: JsonSchema | undefined): ToolResult {
  const { content, isError = false, structuredContent } = result
  if (content === undefined && structuredContent === undefined) {
    throw new McpFailure('bad-answer', 'Its result has neither content nor structured content.')
  }
  const text = describeParts(content ?? [])
  // The text of a failure has no schema.
  if (isError) return { ok: false, error: 'tool-failed', output: text }
  if (output !== undefined) checkOutput(structuredContent, output)
  const data = structuredContent === undefined ? undefined : toData(structuredContent)
  return { ok: true, output: combine(text, data) }
}

function checkOutput(data: unknown, schema: JsonSchema): void {
  if (data === undefined) {
    throw new McpFailure(
      'bad-answer',
      'It has an output schema, but its result has no structured content.',
    )
  }
  const parsed = createSchemaCheck(schema).safeParse(data)
  if (parsed.success) return
  const issues = parsed.error.issues
    .slice(0, issuesShownMax)
    .map(({ message, path }) => `${path.length === 0 ? 'result' : path.join('.')}: ${message}`)
  const text = plainText(issues.join('; '), 3 * labelCharsMax)
  throw new McpFailure('bad-answer', `Its result does not match its own output schema (${text}).`)
}

function toData(value: unknown): Json {
  try {
    return toJson(value)
  } catch (cause) {
    throw new McpFailure('bad-answer', 'The data of its result is nested too deeply.', { cause })
  }
}

/** Most servers send the same twice: data, and the text of that data. */
function combine(text: string, data: Json | undefined): Json {
  if (data === undefined) return text
  if (text === '' || isDeepStrictEqual(parseJson(text), data)) return data
  const values = typeof data === 'object' && data !== null ? Object.values(data) : [data]
  if (values.length === 1 && values[0] === text) return text
  return { text, data }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeParts(parts: readonly Part[]): string {
  const texts = parts.slice(0, partsMax).map(describePart)
  const more = parts.length - texts.length
  return [...texts, ...(more > 0 ? [`[${more} more parts left out]`] : [])].join('\n')
}

function describePart(part: Part): string {
  switch (part.type) {
    case 'text':
      return typeof part['text'] === 'string' ? part['text'] : '[text without a text]'
    case 'image':
    case 'audio':
      return note(part.type, part['mimeType'], describeSize(part['data']))
    case 'resource':
      return describeResource(part['resource'])
    case 'resource_link':
      return note('link to a resource', part['uri'], part['name'], part['mimeType'])
    default:
      return note('content that cannot be shown', part.type)
  }
}

function describeResource(resource: unknown): string {
  if (typeof resource !== 'object' || resource === null) return note('resource')
  const { blob, mimeType, text, uri } = resource as Record<string, unknown>
  if (typeof text !== 'string') return note('resource', uri, mimeType, describeSize(blob))
  return `${note('resource', uri, mimeType)}\n${text}`
}

/** `[image, image/png, 4096 bytes]` */
function note(...parts: readonly unknown[]): string {
  const texts = parts.filter((part) => typeof part === 'string' && part !== '') as string[]
  return `[${texts.map((text) => plainText(text, labelCharsMax)).join(', ')}]`
}

const describeSize = (base64: unknown): string | undefined =>
  typeof base64 === 'string' ? `${Math.floor((base64.length * 3) / 4)} bytes` : undefined
