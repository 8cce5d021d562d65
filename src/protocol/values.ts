/** The small values that the schemas of this folder are made of, and the names they publish. */

import { z } from 'zod'
import type { Json } from '../loop/index.ts'

export type JsonObject = { readonly [key: string]: Json }

/** What a published schema says about a part besides its shape. `id` makes it a `$defs` entry. */
export interface PublishedMeta {
  readonly id: string
  readonly [keyword: string]: unknown
}

/** Our own registry, so that no name can meet one of the user's. */
export const published: z.core.$ZodRegistry<PublishedMeta> = z.registry<PublishedMeta>()

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isJson = (value: unknown): value is Json => value !== undefined

/**
 * Any value out of `JSON.parse`, handed on by reference. Zod's own `json` and `record` would walk
 * it, overflow the stack on deep ones and drop a key named `__proto__`.
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

/** A branded string. The brand says what kind of thing it names, not that there is one. */
export const id = <T extends string>(): z.ZodType<T> =>
  z
    .string()
    .min(1)
    .refine((text): text is T => text !== '')

export const listOf = <T>(item: z.ZodType<T>, max?: number): z.ZodType<readonly T[]> =>
  max === undefined ? z.array(item) : z.array(item).max(max)

/** A path as somebody says it. No file system has a NUL in one. */
export const pathText: z.ZodType<string> = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/, 'it holds a NUL')
