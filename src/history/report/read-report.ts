/** What a report says of a run: everything that its page shows, limited, and masked as a whole. */

import { isLoopError, type RunId } from '../../loop/index.ts'
import type {
  ActionEntry,
  EvidenceEntry,
  IterationSummary,
  Ledger,
  Page,
  PanelMaker,
  PolicyDecisions,
  RunPanels,
  Step,
} from '../../protocol/api/index.ts'
import type { Certificate } from '../../protocol/index.ts'
import { type Mask, maskDeep } from '../../system/mask.ts'
import { pageCertificates } from '../certificates/index.ts'
import type { RunDiff } from '../diff-run.ts'
import { type Inspection, inspectRun } from '../inspect-run.ts'
import type { RecordSource } from '../views/record-source.ts'
import { viewActions } from '../views/view-actions.ts'
import { viewEvidence } from '../views/view-evidence.ts'
import { viewIterations } from '../views/view-iterations.ts'
import { viewLedger } from '../views/view-ledger.ts'
import { viewPanels } from '../views/view-panels.ts'
import { viewPolicy } from '../views/view-policy.ts'
import { viewSteps } from '../views/view-steps.ts'

export interface RunReport {
  readonly inspection: Inspection
  readonly atMs: number
  readonly iterations: Newest<IterationSummary>
  readonly steps: Newest<Step>
  readonly evidence: Newest<EvidenceEntry>
  readonly certificate: ListedCertificate | undefined
  readonly policy: Newest<PolicyDecisions['items'][number]>
  readonly ledger: Newest<Ledger['items'][number]>
  readonly spentByRole: Ledger['spentByRole']
  readonly actions: readonly ActionEntry[]
  readonly panels: RunPanels
  /** A text: why there is none. */
  readonly diff: RunDiff | string
}

export interface ListedCertificate {
  readonly id: string
  readonly certificate: Certificate
}

/** The newest ones, oldest first. */
export interface Newest<T> {
  readonly items: readonly T[]
  readonly leftOut: number
}

export interface ReportSource extends RecordSource {
  readonly folder: string
  diff(run: string): Promise<RunDiff>
}

export interface ReportOptions {
  readonly nowMs: number
  readonly mask: Mask
  findMaker(loopType: string | undefined): PanelMaker | undefined
}

const iterationsMax = 100
const stepsMax = 500
const evidenceMax = 150
const rowsMax = 300
const patchCharsMax = 400_000

export async function readReport(
  source: ReportSource,
  idOrName: string,
  { nowMs, mask, findMaker }: ReportOptions,
): Promise<RunReport> {
  const inspection = await inspectRun(source.journal, idOrName, source.blobs)
  const { id, createdAtMs } = inspection.run
  const read = <T>(
    view: (options: { readonly cursor?: string }) => Promise<Page<T>>,
    max: number,
  ) => readNewest(view, max)
  const { spentByRole } = await viewLedger(source, id, { limit: 1 })
  const [listed] = (await pageCertificates(source.folder, { limit: 1, run: { id, createdAtMs } }))
    .items
  const report: RunReport = {
    inspection,
    atMs: nowMs,
    iterations: await read(
      (at) => viewIterations(source, id, { limit: 100, ...at }),
      iterationsMax,
    ),
    steps: await read((at) => viewSteps(source, id, { limit: 500, ...at }), stepsMax),
    evidence: await read((at) => viewEvidence(source, id, { limit: 200, ...at }), evidenceMax),
    certificate: listed,
    policy: await read((at) => viewPolicy(source, id, { limit: 500, ...at }), rowsMax),
    ledger: await read((at) => viewLedger(source, id, { limit: 500, ...at }), rowsMax),
    spentByRole,
    actions: await viewActions(source, id),
    panels: await viewPanels(source, id, findMaker),
    diff: await readDiff(source, id),
  }
  return maskDeep(mask, report)
}

/** All pages are read, and only the newest items kept. */
async function readNewest<T>(
  view: (options: { readonly cursor?: string }) => Promise<Page<T>>,
  max: number,
): Promise<Newest<T>> {
  let kept: readonly T[] = []
  let count = 0
  let cursor: string | undefined
  do {
    const page = await view(cursor === undefined ? {} : { cursor })
    count += page.items.length
    kept = [...kept, ...page.items].slice(-max)
    cursor = page.next
  } while (cursor !== undefined)
  return { items: kept, leftOut: count - kept.length }
}

async function readDiff(source: ReportSource, run: RunId): Promise<RunDiff | string> {
  try {
    const diff = await source.diff(run)
    const { patch = '' } = diff
    return { ...diff, patch: patch.slice(0, patchCharsMax) }
  } catch (error) {
    // A run without files has no changes; those of others may be gone.
    if (isLoopError(error)) return error.message
    throw error
  }
}
