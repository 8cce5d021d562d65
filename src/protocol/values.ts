/** Basic schemas that this folder is built on, and the registry of published names. */

import { z } from 'zod'
import type { Json } from '../loop/index.ts'

export type JsonObject = { readonly [key: string]: Json }

/** Metadata of a part in a published schema. `id` makes it a `$defs` entry. */
export interface PublishedMeta {
  readonly id: string
  readonly [keyword: string]: unknown
}

/** A separate registry, so that names cannot collide with those of the user. */
export const published: z.core.$ZodRegistry<PublishedMeta> = z.registry<PublishedMeta>()

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isJson = (value: unknown): value is Json => value !== undefined

/**
 * Any result of `JSON.parse`, passed on by reference. Zod's own `json` and `record` would traverse it,
 * overflow the stack on deep values and drop a key named `__proto__`.
 */
export const json: z.ZodType<Json> = z.unknown().refine(isJson)

export const jsonObject: z.ZodType<JsonObject> = z
  .unknown()
  .refine(isJsonObject, 'Invalid input: expected object')
  .register(published, { id: 'JsonObject', type: 'object' })

export const timestamp: z.ZodType<string> = z.iso
  .datetime({ offset: true })
  .register(published, { id: 'Timestamp' })

export const count: z.ZodType<number> = z.int().nonnegative()
export const ordinal: z.ZodType<number> = z.int().positive()
export const milliseconds: z.ZodType<number> = z.number().nonnegative()

/** A branded string. The brand names the kind of thing; it does not guarantee that the thing exists. */
export const id = <T extends string>(): z.ZodType<T> =>
  z
    .string()
    .min(1)
    .refine((text): text is T => text !== '')

export const listOf = <T>(item: z.ZodType<T>, max?: number): z.ZodType<readonly T[]> =>
  max === undefined ? z.array(item) : z.array(item).max(max)

/** A path from the user. No file system allows NUL in one. */
export const pathText: z.ZodType<string> = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/, 'it contains a NUL character')
