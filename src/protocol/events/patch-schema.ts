/** The schema of a progress patch: recursive and with arbitrary keys, so it is checked by hand. */

import { z } from 'zod'
import type { Patch } from '../../loop/index.ts'
import { isJsonObject, published } from '../values.ts'

const depthMax = 210

const form = (required: string, properties: object): object => ({
  type: 'object',
  properties,
  required: [required],
  additionalProperties: false,
})

/** The four forms in JSON Schema. */
const publishedForms = [
  form('keep', { keep: { const: true } }),
  form('set', { set: {} }),
  form('push', { push: { type: 'array' }, drop: { type: 'integer', minimum: 0 } }),
  form('at', {
    at: { type: 'object', additionalProperties: { $ref: '#/$defs/Patch' } },
    del: { type: 'array', items: { type: 'string' } },
  }),
]

export const patchSchema: z.ZodType<Patch> = z
  .unknown()
  .refine((value): value is Patch => isPatch(value, 0), 'Invalid input: expected a patch')
  .register(published, { id: 'Patch', oneOf: publishedForms })

function isPatch(value: unknown, depth: number): boolean {
  if (!isJsonObject(value) || depth > depthMax) return false
  const { keep, push, drop, at, del } = value
  switch (Object.keys(value).toSorted().join()) {
    case 'keep':
      return keep === true
    case 'set':
      return true
    case 'push':
      return Array.isArray(push)
    case 'drop,push':
      return Array.isArray(push) && Number.isSafeInteger(drop) && Number(drop) >= 0
    case 'at':
      return isPatchOfEach(at, depth)
    case 'at,del':
      return isPatchOfEach(at, depth) && isTexts(del)
    default:
      return false
  }
}

const isPatchOfEach = (value: unknown, depth: number): boolean =>
  isJsonObject(value) && Object.values(value).every((part) => isPatch(part, depth + 1))

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
