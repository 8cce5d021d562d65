/** Conditions as a loop's process sends them: data, with the name of a function for conditions in code. */

import { z } from 'zod'
import {
  type Condition,
  type Json,
  type LimitName,
  type Met,
  spendingLimitNames,
} from '../../loop/index.ts'
import { parseSent } from './wire.ts'

export type SentCondition =
  | Exclude<Condition, { type: 'custom' | 'any' | 'all' }>
  | {
      readonly type: 'custom'
      readonly name: string
      readonly ends?: Met['ends'] | undefined
      readonly limit?: LimitName | undefined
      readonly code: string
    }
  | { readonly type: 'any' | 'all'; readonly of: readonly SentCondition[] }

const simple = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('checks-pass'), checks: z.array(z.string()).exactOptional() }),
  z.strictObject({ type: z.literal('max-iterations'), iterations: z.number() }),
  z.strictObject({ type: z.literal('no-progress'), iterations: z.number() }),
  z.strictObject({ type: z.literal('same-error'), times: z.number() }),
  z.strictObject({ type: z.literal('deadline'), atMs: z.number() }),
  z.strictObject({
    type: z.literal('budget'),
    tokens: z.number().exactOptional(),
    costMicros: z.number().exactOptional(),
    timeMs: z.number().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: z.string().min(1).max(200),
    ends: z.enum(['completed', 'exhausted', 'stuck']).exactOptional(),
    limit: z.enum(['iterations', ...spendingLimitNames, 'time', 'deadline']).exactOptional(),
    code: z.string(),
  }),
])

const depthMax = 10
const partsMax = 100

export const parseCondition = (sent: Json): SentCondition => parseAt(sent, 0)

function parseAt(sent: Json, depth: number): SentCondition {
  const group = z.object({ type: z.enum(['any', 'all']), of: z.array(z.unknown()).max(partsMax) })
  const { data } = group.safeParse(sent)
  if (data === undefined || depth >= depthMax)
    return parseSent(simple, sent, 'this is not a condition')
  return { type: data.type, of: data.of.map((part) => parseAt(part as Json, depth + 1)) }
}
