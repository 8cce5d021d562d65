/** The analysis of a finished run. */

import { z } from 'zod'
import type { Amount } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { amountSchema } from '../run-values.ts'
import { published } from '../values.ts'
import { runReferenceSchema } from './review.ts'
import type { Run } from './run.ts'

const text = z.string()

export interface PostmortemRequest {
  /** `provider/model`. Absent: from the journal alone. */
  readonly model?: string
  /** Only writes the prompt for the model. */
  readonly promptOnly?: boolean
}

export const postmortemRequestSchema: z.ZodType<PostmortemRequest> = exactly<PostmortemRequest>()(
  z.strictObject({
    model: z.string().min(1).max(256).exactOptional(),
    promptOnly: z.boolean().exactOptional(),
  }),
).register(published, { id: 'PostmortemRequest' })

/** Same shape as the host's type. */
export interface Postmortem {
  readonly run: Pick<Run, 'id' | 'name' | 'status'>
  readonly status: 'ok' | 'failed'
  /** Why it failed. */
  readonly problem?: string
  readonly rootCause: 'none' | 'spec-gap' | 'implementation-deviation' | 'execution-failure'
  /** `built-in`, or the model. */
  readonly madeBy: string
  readonly atMs: number
  readonly spent: Amount
  readonly documents: readonly {
    readonly name: 'run-quality' | 'spec-compliance' | 'summary'
    /** In the folder of the run. */
    readonly path: string
    readonly text?: string
    readonly prompt: string
  }[]
}

export const postmortemSchema: z.ZodType<Postmortem> = exactly<Postmortem>()(
  z.strictObject({
    run: runReferenceSchema,
    status: z.enum(['ok', 'failed']),
    problem: text.exactOptional(),
    rootCause: z.enum(['none', 'spec-gap', 'implementation-deviation', 'execution-failure']),
    madeBy: text,
    atMs: z.number(),
    spent: amountSchema,
    documents: z
      .array(
        z.strictObject({
          name: z.enum(['run-quality', 'spec-compliance', 'summary']),
          path: text,
          text: text.exactOptional(),
          prompt: text,
        }),
      )
      .readonly(),
  }),
).register(published, { id: 'Postmortem' })
