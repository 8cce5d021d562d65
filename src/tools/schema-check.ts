/**
 * Parsers from foreign JSON Schemas, such as those of MCP servers.
 *
 * 1. A schema is data: none of it is executed. Patterns and formats are ignored, because a
 *   hostile one can freeze the process; the author of the schema checks them.
 * 2. The work is limited: schemas and values that are nested too deeply or are too large are not
 *   checked. Each part of a value may be compared with each part of a schema and be found wrong, so
 *   a short schema and a short list can make millions of issues.
 * 3. A schema that cannot be understood accepts every object.
 */

import { z } from 'zod'
import type { Json } from '../loop/index.ts'
import type { JsonSchema } from './tool.ts'

const depthMax = 24
const nodesMax = 5000
/** Parts of a schema times parts of a value. */
const comparisonsMax = 200_000

/** Keywords that describe the structure of a value. All others are left to the server. */
const supportedKeywords = new Set([
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

/** Keywords whose value is a schema, or a list or record of schemas. */
const nested = new Set(['additionalProperties', 'items', 'prefixItems', 'anyOf', 'oneOf'])

export type SchemaCheck = Pick<z.ZodType, 'safeParse' | 'safeParseAsync'>

export function createSchemaCheck(schema: JsonSchema): SchemaCheck {
  const counter = { nodes: 0 }
  try {
    const cleaned = clean(schema, 0, counter)
    if (counter.nodes > nodesMax || !isRecord(cleaned)) return acceptAnyObject
    if (cleaned['type'] !== 'object') return acceptAnyObject
    const checked = z.fromJSONSchema(cleaned)
    const valuesMax = comparisonsMax / counter.nodes
    const selectCheck = (value: unknown): z.ZodType =>
      hasMoreParts(value, valuesMax) ? acceptAnyObject : checked
    return {
      safeParse: (value) => selectCheck(value).safeParse(value),
      safeParseAsync: (value) => selectCheck(value).safeParseAsync(value),
    }
  } catch {
    return acceptAnyObject
  }
}

const acceptAnyObject: z.ZodType = z.looseObject({})

/** Whether a value has more parts than that, itself included. */
function hasMoreParts(value: unknown, partsMax: number): boolean {
  const pending = [value]
  for (let parts = 0; pending.length > 0; parts++) {
    if (parts + pending.length > partsMax) return true
    const part = pending.pop()
    if (typeof part !== 'object' || part === null) continue
    for (const below of Object.values(part)) pending.push(below)
  }
  return false
}

interface Counter {
  nodes: number
}

/** What is nested too deeply or refers elsewhere becomes `{}`, which accepts anything. */
function clean(schema: Json | undefined, depth: number, counter: Counter): Json {
  if (typeof schema === 'boolean') return schema
  if (!isRecord(schema) || depth > depthMax || ++counter.nodes > nodesMax) return {}
  if ('$ref' in schema || '$dynamicRef' in schema) return {}
  const result: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (!supportedKeywords.has(key)) continue
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
