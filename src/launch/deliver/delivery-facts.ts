/**
 * Where the reports of a run go, and what became of each delivery. Kept beside the journal of the run, so that a delivery goes on
 * in another process.
 */

import { z } from 'zod'
import type { Store } from '../../engine/index.ts'
import { type RunId, toJson } from '../../loop/index.ts'
import type { DeliverySink } from '../../protocol/index.ts'

/** What became of one report at one receiver. */
export interface Delivery {
  /** The seq of the event with the report. */
  readonly seq: number
  /** The position of the receiver in the list of the loop file. */
  readonly sink: number
  readonly status: 'delivered' | 'retrying' | 'failed'
  readonly tries: number
  readonly atMs: number
  /** Of the next try. */
  readonly nextAtMs?: number
  readonly error?: string
}

const sinksFact = 'deliver'
const prefix = 'delivery '

const sinkSchema = z.union([
  z.object({ type: z.literal('stdout') }),
  z.object({ type: z.literal('file'), folder: z.string() }),
  z.object({
    type: z.literal('webhook'),
    url: z.string(),
    secretEnv: z.string().exactOptional(),
    timeoutMs: z.number(),
  }),
  z.object({ type: z.literal('slack'), urlEnv: z.string() }),
  z.object({ type: z.literal('email'), to: z.string() }),
])

const deliverySchema = z.object({
  seq: z.number(),
  sink: z.number(),
  status: z.enum(['delivered', 'retrying', 'failed']),
  tries: z.number(),
  atMs: z.number(),
  nextAtMs: z.number().exactOptional(),
  error: z.string().exactOptional(),
})

type Facts = Pick<Store, 'facts' | 'setFact'>

export const writeSinks = (
  { setFact }: Facts,
  run: RunId,
  sinks: readonly DeliverySink[],
  atMs: number,
): Promise<void> => setFact(run, sinksFact, { value: toJson(sinks), atMs })

export interface KnownDeliveries {
  /** Empty: its reports are not delivered. */
  readonly sinks: readonly DeliverySink[]
  readonly deliveries: readonly Delivery[]
}

export async function readDeliveries(
  { facts }: Pick<Store, 'facts'>,
  run: RunId,
): Promise<KnownDeliveries> {
  const known = await facts(run)
  const sinks = z.array(sinkSchema).safeParse(known.get(sinksFact)?.value).data ?? []
  const deliveries = [...known].flatMap(([name, { value }]) => {
    const found = name.startsWith(prefix) ? deliverySchema.safeParse(value).data : undefined
    return found === undefined ? [] : [found]
  })
  return { sinks, deliveries }
}

export const writeDelivery = ({ setFact }: Facts, run: RunId, delivery: Delivery): Promise<void> =>
  setFact(run, `${prefix}${delivery.seq} ${delivery.sink}`, {
    value: toJson(delivery),
    atMs: delivery.atMs,
  })
