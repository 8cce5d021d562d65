/** Ties a schema to its type, so that neither can change without the other. */

import type { z } from 'zod'

/** Every field name of every union member. Assignability alone would miss optional fields. */
type Fields<T> = T extends { readonly type: infer Type extends string }
  ? `${Type}.${keyof T & string}`
  : T extends object
    ? keyof T
    : never

type Matches<T, Output> = [T, Fields<T>] extends [Output, Fields<Output>]
  ? [Fields<Output>] extends [Fields<T>]
    ? unknown
    : never
  : never

/** Compiles only if the schema's output and T are assignable to each other, field by field. */
export const exactly =
  <T>() =>
  <S extends z.ZodType<T>>(schema: S & Matches<T, z.output<S>>): z.ZodType<T> =>
    schema
