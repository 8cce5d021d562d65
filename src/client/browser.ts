/** The client for a page in a browser, and the types that the page shows. Nothing here needs Node. */

import { LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'
import { createClient } from './create-client.ts'
import { createFetchTransport } from './fetch-transport.ts'
import { parseJson } from './transport.ts'

export {
  describeEvent,
  isEnd,
  isLoopError,
  type Json,
  type RecordedEvent,
  type RunStatus,
} from '../loop/index.ts'
export { shortQuestion } from '../loop/question.ts'
export type { Artifact, CertificateEntry } from '../protocol/api/artifacts.ts'
export type {
  ActionEntry,
  CatalogLoopEntry,
  EvidenceEntry,
  ExchangeView,
  InboxQuestion,
  IterationSummary,
  Ledger,
  LedgerEntry,
  LevelStanding,
  LoopEntry,
  LoopInput,
  LoopListing,
  Machine,
  MergeLines,
  NewRunRequest,
  OutputEntry,
  Page,
  Panel,
  PanelCell,
  PanelTone,
  Plan,
  PolicyDecisions,
  Preview,
  Run,
  RunDetail,
  RunPanels,
  RunSummaries,
  RunSummary,
  Schedule,
  ScheduleList,
  ScheduleTick,
  StartFinding,
  StartFindings,
  Step,
  WaitsFor,
} from '../protocol/api/index.ts'
export { describeLevel, describeStrength } from '../protocol/certificate/describe-strength.ts'
export {
  type DiffGap,
  type DiffLine,
  diffLines,
  withoutDistant,
} from '../protocol/panel/diff-lines.ts'
export { layoutSeries, type SeriesLayout } from '../protocol/panel/layout-series.ts'
export type { Client, ControlDecision, RunsFilter } from './client.ts'
export { runPath } from './client.ts'
export type { Break } from './follow.ts'

/** What a tab gets for the code of a link. */
export interface TabSession {
  readonly token: string
  readonly scope: 'read' | 'write'
  /** The person whose token opened the link. */
  readonly name?: string
}

/** A client with the token of a tab. `origin`: that of the page. */
export const connectPage = (origin: string, token: string): Client =>
  createClient(createFetchTransport(origin, token))

/** Uses the code of a link up. Rejects with `no-token` if it was used before, or is too old. */
export async function exchangeCode(origin: string, code: string): Promise<TabSession> {
  const response = await fetch(`${origin}/ui/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    credentials: 'omit',
    redirect: 'error',
  })
  const text = await response.text()
  if (response.ok) return parseJson(text, origin) as TabSession
  throw new LoopError(
    'no-token',
    'This link was used before, or is too old. Run "loopctl dashboard" for a new one.',
  )
}
