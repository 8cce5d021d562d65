/** Lists come in pages; pass `next` as `cursor` to get the following page. */

import { z } from 'zod'

export interface Page<T> {
  readonly items: readonly T[]
  /** Absent: this is the last page. */
  readonly next?: string
}

export const pageSchema = <T>(item: z.ZodType<T>): z.ZodType<Page<T>> =>
  z.strictObject({ items: z.array(item).readonly(), next: z.string().exactOptional() })
