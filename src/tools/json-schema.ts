/**
 * Parsers from JSON Schemas that others wrote, such as those of MCP servers.
 *
 * 1. A schema is data: nothing of it runs. Patterns and formats are left out, because a hostile one
 *    can freeze the process; whoever wrote the schema checks them himself.
 * 2. It is bounded: what is nested too deep or too large is not checked, nor is a value whose check
 *    would be. Each part of a value may be compared with each part of a schema, and each may be found
 *    wrong: a short schema and a short list make millions of problems.
 * 3. A schema that cannot be understood lets every object through.
 */

import { z } from 'zod'
import type { Json } from '../loop/index.ts'
import type { JsonSchema } from './tool.ts'

const depthMax = 24
const nodesMax = 5000
/** Parts of a schema times parts of a value. */
const comparisonsMax = 200_000

/** Keywords that say what a value consists of. All others are for the server. */
const kept = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'anyOf',
  'oneOf',
  'nullable',
])

/** Keywords whose value is a schema, or a list or a record of schemas. */
const nested = new Set(['additionalProperties', 'items', 'prefixItems', 'anyOf', 'oneOf'])

export type SchemaCheck = Pick<z.ZodType, 'safeParse' | 'safeParseAsync'>

export function fromJsonSchema(schema: JsonSchema): SchemaCheck {
  const counter = { nodes: 0 }
  try {
    const cleaned = clean(schema, 0, counter)
    if (counter.nodes > nodesMax || !isRecord(cleaned)) return anything
    if (cleaned['type'] !== 'object') return anything
    const checked = z.fromJSONSchema(cleaned)
    const valuesMax = comparisonsMax / counter.nodes
    const checkOf = (value: unknown): z.ZodType => (isLarger(value, valuesMax) ? anything : checked)
    return {
      safeParse: (value) => checkOf(value).safeParse(value),
      safeParseAsync: (value) => checkOf(value).safeParseAsync(value),
    }
  } catch {
    return anything
  }
}

const anything: z.ZodType = z.looseObject({})

/** Whether a value has more parts than that, itself included. */
function isLarger(value: unknown, partsMax: number): boolean {
  const waiting = [value]
  for (let parts = 0; waiting.length > 0; parts++) {
    if (parts + waiting.length > partsMax) return true
    const part = waiting.pop()
    if (typeof part !== 'object' || part === null) continue
    for (const below of Object.values(part)) waiting.push(below)
  }
  return false
}

interface Counter {
  nodes: number
}

/** What is too deep or refers elsewhere becomes `{}`, which anything fits. */
function clean(schema: Json | undefined, depth: number, counter: Counter): Json {
  if (typeof schema === 'boolean') return schema
  if (!isRecord(schema) || depth > depthMax || ++counter.nodes > nodesMax) return {}
  if ('$ref' in schema || '$dynamicRef' in schema) return {}
  const result: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (!kept.has(key)) continue
    if (key === 'properties') result[key] = cleanProperties(value, depth, counter)
    else if (!nested.has(key)) {
      // A list of names or values is compared one by one.
      if (Array.isArray(value)) counter.nodes += value.length
      result[key] = value
    } else if (Array.isArray(value)) {
      result[key] = value.map((part: Json) => clean(part, depth + 1, counter))
    } else result[key] = clean(value, depth + 1, counter)
  }
  return result
}

function cleanProperties(value: Json, depth: number, counter: Counter): Json {
  if (!isRecord(value)) return {}
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
  return Object.fromEntries(entries.map(([name, part]) => [name, clean(part, depth + 1, counter)]))
}

const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
