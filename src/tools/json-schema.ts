/**
 * Parsers from JSON Schemas that others wrote, such as those of MCP servers.
 *
 * 1. A schema is data: nothing of it runs. Patterns and formats are left out, because a hostile one
 *    can freeze the process; whoever wrote the schema checks them himself.
 * 2. It is bounded: what is nested too deep or too large is not checked.
 * 3. A schema that cannot be understood lets every object through.
 */

import { z } from 'zod'
import type { Json } from '../loop/index.ts'
import type { JsonSchema } from './tool.ts'

const depthMax = 24
const nodesMax = 5000

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

export function fromJsonSchema(schema: JsonSchema): z.ZodType {
  const anything = z.looseObject({})
  const counter = { nodes: 0 }
  try {
    const cleaned = clean(schema, 0, counter)
    if (counter.nodes > nodesMax || !isRecord(cleaned)) return anything
    if (cleaned['type'] !== 'object') return anything
    return z.fromJSONSchema(cleaned)
  } catch {
    return anything
  }
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
    else if (!nested.has(key)) result[key] = value
    else if (Array.isArray(value)) {
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
