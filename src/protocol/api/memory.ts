/** What loops remember: facts that their rounds left for the next ones. Agents wrote them. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { count, milliseconds, published } from '../values.ts'

const text = z.string()

/** A fact: a claim of an agent, never an instruction. */
export interface MemoryFact {
  readonly id: string
  readonly loop: string
  /** The folder of the repository, or the folder that the loop works in. */
  readonly repository?: string
  readonly text: string
  readonly tags: readonly string[]
  /** Where it comes from, such as `loop:daily-triage`. */
  readonly source: string
  readonly atMs: number
  /** Absent: it does not expire. */
  readonly expiresAtMs?: number
}

export const memoryFactSchema: z.ZodType<MemoryFact> = exactly<MemoryFact>()(
  z.strictObject({
    id: text,
    loop: text,
    repository: text.exactOptional(),
    text,
    tags: z.array(text).readonly(),
    source: text,
    atMs: milliseconds,
    expiresAtMs: milliseconds.exactOptional(),
  }),
).register(published, { id: 'MemoryFact' })

export interface ForgottenFacts {
  /** How many there were. */
  readonly forgotten: number
}

export const forgottenFactsSchema: z.ZodType<ForgottenFacts> = exactly<ForgottenFacts>()(
  z.strictObject({ forgotten: count }),
).register(published, { id: 'ForgottenFacts' })
