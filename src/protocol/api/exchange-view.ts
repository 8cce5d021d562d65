/** One exchange with a model, or one prompt, as it was sent: without secrets, shortened. */

import { z } from 'zod'
import type { StepId } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, id, ordinal, published } from '../values.ts'

export interface ExchangeView {
  /** The event that recorded it. */
  readonly seq: number
  readonly step: StepId
  /** What was sent. JSON is indented. */
  readonly sent: string
  /** What came back. Absent: only the prompt was recorded. */
  readonly received?: string
  readonly provider?: string
  readonly model?: string
  /** How it ended, such as `complete`. */
  readonly ended?: string
  /** The HTTP status of the answer. */
  readonly status?: number
  readonly durationMs?: number
  /** How many characters are left out of each. */
  readonly leftOut: { readonly sent: number; readonly received: number }
}

export const exchangeViewSchema: z.ZodType<ExchangeView> = exactly<ExchangeView>()(
  z.strictObject({
    seq: ordinal,
    step: id<StepId>(),
    sent: z.string(),
    received: z.string().exactOptional(),
    provider: z.string().exactOptional(),
    model: z.string().exactOptional(),
    ended: z.string().exactOptional(),
    status: z.int().exactOptional(),
    durationMs: z.number().exactOptional(),
    leftOut: z.strictObject({ sent: count, received: count }),
  }),
).register(published, { id: 'ExchangeView' })
