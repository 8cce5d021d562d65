/** Collects the facts about an ended run for its postmortem. */

import { eventsAfter, load, loadRun, type RunRow } from '../../engine/index.ts'
import {
  type Amount,
  type Attention,
  defaultRoles,
  describeEnding,
  describeFault,
  describeOutcome,
  type Json,
  type Metrics,
  type Outcome,
  type RecordedEvent,
  readStep,
  type StepFinished,
} from '../../loop/index.ts'
import { describeLevel, describeStrength } from '../../protocol/index.ts'
import { readTarget } from '../certificates/index.ts'
import type { FolderHost } from '../run-folder/options.ts'

export interface Findings {
  readonly run: Pick<RunRow, 'id' | 'name' | 'loop' | 'status'>
  readonly outcome: Outcome | undefined
  readonly ended: string
  readonly durationMs: number
  readonly spent: Amount
  readonly metrics: Metrics
  readonly attention: Attention
  /** Only the last ones of a very long run. */
  readonly iterations: readonly IterationFindings[]
  /** Most frequent first. */
  readonly errors: readonly { readonly message: string; readonly times: number }[]
  readonly flaky: readonly string[]
  /** Why work was not certified. */
  readonly refusals: readonly string[]
  readonly certificate: string | undefined
  /** What the certificate shows, in sentences. */
  readonly shows: readonly string[]
  /** The first prompt; undefined: the loop stores none. */
  readonly prompt: string | undefined
  readonly condition: string | undefined
}

export interface IterationFindings {
  readonly iteration: number
  readonly ending: string
  readonly isError: boolean
  readonly durationMs: number
  readonly agent: string | undefined
  /** The first line of the agent's report. */
  readonly said?: string | undefined
  readonly checks: readonly { readonly check: string; readonly status: string }[]
  readonly didChange: boolean
}

const iterationsMax = 200
const listMax = 20
const messageCharsMax = 300

export async function collectFindings(host: FolderHost, run: RunRow): Promise<Findings> {
  const { state } = await loadRun(host.journal, run.id)
  const fold = createFold()
  for await (const recorded of eventsAfter(host.journal, run.id, 0)) {
    fold.add(recorded, await loadResult(host, recorded))
  }
  const { outcome } = state
  const { id, name, loop, status } = run
  return {
    run: { id, name, loop, status },
    outcome,
    ended: outcome === undefined ? status : describeOutcome(outcome),
    durationMs: state.atMs - state.createdAtMs,
    spent: state.spent,
    metrics: state.metrics,
    attention: state.attention,
    ...fold.found(),
    certificate: state.certificate?.id,
    shows:
      state.certificate === undefined
        ? []
        : await describeCertificate(state.certificate.id, host.folder),
    condition: outcome !== undefined && 'condition' in outcome ? outcome.condition : undefined,
  }
}

/** Empty if it no longer exists. */
async function describeCertificate(id: string, folder: string): Promise<readonly string[]> {
  const found = await readTarget(id, folder).catch(() => undefined)
  if (found === undefined) return []
  const level = describeLevel(found.certificate)
  return [
    ...(level === undefined ? [] : [`strength: ${level}`]),
    ...describeStrength(found.certificate),
  ]
}

async function loadResult(
  { blobs }: FolderHost,
  { event }: RecordedEvent,
): Promise<Json | undefined> {
  if (event.type !== 'step-finished') return undefined
  const { kind } = readStep(event)
  if (kind !== 'agent' && kind !== 'certify' && !isPrompt(event)) return undefined
  return load(event.result, blobs).catch(() => undefined)
}

function isPrompt(event: StepFinished): boolean {
  const { kind, role } = readStep(event)
  return kind === 'step' && role === 'prompt'
}

interface Fold {
  add(recorded: RecordedEvent, result: Json | undefined): void
  found(): Pick<Findings, 'iterations' | 'errors' | 'flaky' | 'refusals' | 'prompt'>
}

interface IterationDraft {
  startedAtMs: number
  tree: string | undefined
  agent: string | undefined
  said: string | undefined
  didChange: boolean
  readonly checks: Map<string, string>
}

function createFold(): Fold {
  const iterations: IterationFindings[] = []
  const errors = new Map<string, number>()
  const flaky = new Set<string>()
  const refusals = new Set<string>()
  let prompt: string | undefined
  let roles = defaultRoles
  let open: IterationDraft = createDraft(0, undefined)

  function finished(event: StepFinished, result: Json | undefined): void {
    const { kind, role } = readStep(event)
    if (event.tree !== undefined && event.tree !== open.tree) open.didChange = true
    if (event.evidence !== undefined) {
      open.checks.set(event.evidence.check, event.evidence.status)
      if (event.evidence.flaky === true) flaky.add(event.evidence.check)
    }
    if (isPrompt(event)) prompt ??= readText(result, 'prompt')
    const isReporting = role !== undefined && roles[role]?.reports === true
    if (kind === 'agent' && isReporting) {
      open.agent = readText(result, 'status')
      open.said = readText(result, 'text')?.trim().split('\n')[0]?.slice(0, messageCharsMax)
    }
    if (kind === 'certify') for (const one of readRefusals(result)) refusals.add(one)
  }

  return {
    add({ event, atMs }, result) {
      switch (event.type) {
        case 'run-created':
          roles = event.roles ?? defaultRoles
          return
        case 'iteration-started':
          open = createDraft(atMs, event.tree)
          return
        case 'step-finished':
          return finished(event, result)
        case 'step-failed': {
          const message = describeFault(event.fault).slice(0, messageCharsMax)
          errors.set(message, (errors.get(message) ?? 0) + 1)
          return
        }
        case 'iteration-ended': {
          const { iteration, ending } = event
          const checks = [...open.checks].map(([check, status]) => ({ check, status }))
          iterations.push({
            iteration,
            ending: describeEnding(ending),
            isError: ending.type === 'error',
            durationMs: atMs - open.startedAtMs,
            agent: open.agent,
            said: open.said,
            checks,
            didChange: open.didChange,
          })
          if (iterations.length > iterationsMax) iterations.shift()
          return
        }
        default:
      }
    },
    found: () => ({
      iterations,
      errors: [...errors]
        .map(([message, times]) => ({ message, times }))
        .toSorted((a, b) => b.times - a.times)
        .slice(0, listMax),
      flaky: [...flaky],
      refusals: [...refusals].slice(0, listMax),
      prompt,
    }),
  }
}

const createDraft = (startedAtMs: number, tree: string | undefined): IterationDraft => ({
  startedAtMs,
  tree,
  agent: undefined,
  said: undefined,
  didChange: false,
  checks: new Map(),
})

function readText(value: Json | undefined, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const found = (value as { readonly [key: string]: Json })[name]
  return typeof found === 'string' ? found : undefined
}

function readRefusals(value: Json | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const { refusals } = value as { readonly refusals?: Json }
  if (!Array.isArray(refusals)) return []
  return refusals.flatMap((one) => {
    const code = readText(one, 'code')
    const message = readText(one, 'message')?.slice(0, messageCharsMax)
    return code === undefined ? [] : [`${code}: ${message ?? ''}`]
  })
}
