/** Ties a schema to the type it is for, so that neither can change without the other. */

import type { z } from 'zod'

/** Every field by name, of each member of a union. Assignability alone would overlook optional ones. */
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

/** Compiles only where what the schema gives and T are assignable to each other, field by field. */
export const exactly =
  <T>() =>
  <S extends z.ZodType<T>>(schema: S & Matches<T, z.output<S>>): z.ZodType<T> =>
    schema
