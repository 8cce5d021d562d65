/** What happened to the work of a run after it ended. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { published } from '../values.ts'

const text = z.string()

/** Same shape as the host's `Review`. */
export interface Review {
  readonly status: 'pending' | 'reviewed' | 'scrapped' | 'merged' | 'pr-created'
  readonly by?: string
  readonly atMs?: number
  readonly url?: string
  readonly branch?: string
  readonly commit?: string
}

export const reviewSchema: z.ZodType<Review> = exactly<Review>()(
  z.strictObject({
    status: z.enum(['pending', 'reviewed', 'scrapped', 'merged', 'pr-created']),
    by: text.exactOptional(),
    atMs: z.number().exactOptional(),
    url: text.exactOptional(),
    branch: text.exactOptional(),
    commit: text.exactOptional(),
  }),
).register(published, { id: 'Review' })
