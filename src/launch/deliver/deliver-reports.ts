/**
 * Delivers the reports of one run: each to each receiver, at least once, in any number of processes.
 *
 * 1. A report is delivered once it is journaled; its run may then wait for a person for hours.
 * 2. What became of a delivery is stored after it happened. If the process is killed in between, it is sent again, with
 *    the same id.
 * 3. Every delivery ends (E9): it is delivered, or given up after `tryAfterMs.length` tries.
 */

import { isSecretName } from '../../agents/index.ts'
import { type Blobs, load, type Store } from '../../engine/index.ts'
import { createSecrets } from '../../gateway/index.ts'
import { defined, type RunId, textOf } from '../../loop/index.ts'
import type { DeliverySink } from '../../protocol/index.ts'
import { levelNotice, shouldDeliver } from '../../protocol/round/render-round-report.ts'
import { type RoundReport, roundReportRole } from '../../protocol/round/round-report.ts'
import { roundReportSchema } from '../../protocol/round/round-report-schema.ts'
import { maskDeep } from '../../system/mask.ts'
import { type Delivery, readDeliveries, writeDelivery } from './delivery-facts.ts'
import { toMessage } from './report-message.ts'
import { DeliveryError, type SendPorts, sendReport } from './send-report.ts'

export interface DeliverParts extends SendPorts {
  readonly journal: Pick<Store, 'read' | 'facts' | 'setFact'>
  readonly blobs: Blobs
  readonly now: () => number
  readonly signal: AbortSignal
  /** Called for each delivery that failed for good. */
  readonly onFailed: (delivery: Delivery, sink: DeliverySink) => void
}

/** After each failed try: how long until the next one. */
const tryAfterMs = [
  5000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000,
] as const

const pageSize = 500
const errorCharsMax = 500

/** Everything that is due. Resolves with the time of the next try; undefined: nothing is left. */
export async function deliverReports(parts: DeliverParts, run: RunId): Promise<number | undefined> {
  const { journal, now } = parts
  const { sinks, deliveries } = await readDeliveries(journal, run)
  if (sinks.length === 0) return undefined
  let nextAtMs: number | undefined
  const withoutSecrets = maskSecrets(parts, sinks)
  for (const { report: written, seq } of await readReports(parts, run)) {
    const report = withoutSecrets(written)
    for (const [at, sink] of sinks.entries()) {
      const known = deliveries.find((one) => one.seq === seq && one.sink === at)
      if (known?.status === 'delivered' || known?.status === 'failed') continue
      const dueAtMs = known?.nextAtMs ?? 0
      const next =
        dueAtMs > now() ? dueAtMs : await deliver(parts, run, { report, seq, at, sink, known })
      if (next !== undefined) nextAtMs = Math.min(nextAtMs ?? next, next)
    }
  }
  return nextAtMs
}

interface Due {
  readonly report: RoundReport
  readonly seq: number
  readonly at: number
  readonly sink: DeliverySink
  readonly known: Delivery | undefined
}

/** Resolves with the time of the next try. */
async function deliver(
  parts: DeliverParts,
  run: RunId,
  { report, seq, at, sink, known }: Due,
): Promise<number | undefined> {
  const { journal, now, signal, onFailed } = parts
  signal.throwIfAborted()
  const tries = (known?.tries ?? 0) + 1
  const of = { seq, sink: at, tries }
  try {
    await sendReport(parts, sink, toMessage(report, run, seq), signal)
    await writeDelivery(journal, run, { ...of, status: 'delivered', atMs: now() })
    return undefined
  } catch (error) {
    // Interrupted: it is tried again by the next process.
    signal.throwIfAborted()
    const isFinal = error instanceof DeliveryError && error.isFinal
    const waitMs = isFinal ? undefined : tryAfterMs[tries - 1]
    const nextAtMs = waitMs === undefined ? undefined : now() + waitMs
    const status = nextAtMs === undefined ? 'failed' : 'retrying'
    const failed: Delivery = {
      ...of,
      status,
      atMs: now(),
      error: textOf(error).slice(0, errorCharsMax),
      ...defined({ nextAtMs }),
    }
    await writeDelivery(journal, run, failed)
    if (status === 'failed') onFailed(failed, sink)
    return nextAtMs
  }
}

/** The last step before reports leave this machine: agents and logs may repeat a secret of the run or of this process. */
function maskSecrets(
  { environment, operator }: Pick<DeliverParts, 'environment' | 'operator'>,
  sinks: readonly DeliverySink[],
): (report: RoundReport) => RoundReport {
  const declared = new Set(
    sinks.flatMap((sink) => {
      if (sink.type === 'slack') return [sink.urlEnv]
      return sink.type === 'webhook' && sink.secretEnv !== undefined ? [sink.secretEnv] : []
    }),
  )
  const secrets = [environment, operator].flatMap((variables) =>
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && (declared.has(name) || isSecretName(name)) ? [value] : [],
    ),
  )
  const mask = createSecrets([], secrets).maskText
  return (report) => maskDeep(mask, report)
}

interface JournaledReport {
  readonly seq: number
  readonly report: RoundReport
}

/** Those that a person should see. A round that simply proceeded is quiet, unless its level changed. */
async function readReports(
  { journal, blobs }: Pick<DeliverParts, 'journal' | 'blobs'>,
  run: RunId,
): Promise<readonly JournaledReport[]> {
  const found: JournaledReport[] = []
  let afterSeq = 0
  while (true) {
    const events = await journal.read(run, { afterSeq, limit: pageSize, types: ['step-finished'] })
    for (const { event, seq } of events) {
      if (event.type !== 'step-finished' || event.role !== roundReportRole) continue
      const value = await load(event.result, blobs).catch(() => undefined)
      const report = roundReportSchema.safeParse(value).data
      if (report === undefined) continue
      const isNotice = report.warnings.some((one) => one.startsWith(levelNotice))
      if (shouldDeliver(report) || isNotice) found.push({ report, seq })
    }
    const last = events.at(-1)
    if (last === undefined || events.length < pageSize) return found
    afterSeq = last.seq
  }
}
