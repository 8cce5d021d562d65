/** Lists are given in pages; `next` is what to say as `cursor` for those after the last of this one. */

import { z } from 'zod'

export interface Page<T> {
  readonly items: readonly T[]
  /** Absent: there are no more. */
  readonly next?: string
}

export const pageSizeMax = 1000
export const pageSizeDefault = 100
export const cursorCharsMax = 512

export const pageSchema = <T>(item: z.ZodType<T>): z.ZodType<Page<T>> =>
  z.strictObject({ items: z.array(item).readonly(), next: z.string().exactOptional() })
