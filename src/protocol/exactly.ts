/** Ties a schema to the type it is for, so that neither can change without the other. */

import type { z } from 'zod'

/** Compiles only where what the schema gives and T are assignable to each other. */
export const exactly =
  <T>() =>
  <S extends z.ZodType<T>>(
    schema: S & ([T] extends [z.output<S>] ? unknown : never),
  ): z.ZodType<T> =>
    schema
