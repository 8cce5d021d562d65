/** How a step changes the state of its run: what it reserves and spends, its evidence, its waits. */

import { countAgentCall, hold, settle } from '../authority/spending.ts'
import type { RunEvent, StepFailed, StepFinished, StepStarted } from '../event.ts'
import { keepEvidence } from '../evidence.ts'
import type { StepId } from '../ids.ts'
import { type RunPhase, running, type Whole, waiting } from '../run-phase.ts'
import type { Metrics, RunFacts, RunState } from '../state.ts'
import { parseStepKind } from './step-name.ts'

/** The same facts in another phase; every member of the phase replaces the previous one. */
export const enter = (facts: RunFacts, phase: Whole<RunPhase>): RunState => ({ ...facts, ...phase })

export function stepStarted(state: RunState, event: StepStarted): RunState {
  const { reserved, wakeAtMs, step, call } = event
  const { open } = state
  const role = agentRoleOf(event)
  const called = role === undefined || call !== true ? state : countAgentCall(state, role)
  const held = reserved === undefined ? called : hold(called, step, reserved, role)
  if (wakeAtMs === undefined || open === undefined) return held
  return enter(held, waiting(open, [...state.waits, step]))
}

/** The role of the agent that a step calls. Unknown for journals that do not describe their steps. */
const agentRoleOf = ({ kind, role }: StepStarted | StepFinished): string | undefined =>
  kind === 'agent' ? role : undefined

export function stepSettled(
  state: RunState,
  event: StepFinished | StepFailed | Extract<RunEvent, { type: 'step-interrupted' }>,
): RunState {
  const { step, spent } = event
  const role = event.type === 'step-finished' ? agentRoleOf(event) : event.role
  const settled = settle(endWait(state, step), step, spent, role)
  switch (event.type) {
    case 'step-interrupted':
      return settled
    case 'step-failed': {
      const field = event.retryAtMs === undefined ? 'stepsFailed' : 'retries'
      const metrics = count(state.metrics, field)
      return { ...settled, metrics, tree: event.tree ?? settled.tree }
    }
    case 'step-finished': {
      const metrics = countFinished(state.metrics, event)
      const tree = event.tree ?? settled.tree
      const { certificate: issued, iteration } = event
      const certificate = issued === undefined ? state.certificate : { ...issued, iteration }
      const allows = event.allows ?? state.allows
      if (event.evidence === undefined) return { ...settled, metrics, tree, certificate, allows }
      const { check, ...answer } = event.evidence
      // A check that contradicted itself is not trusted again in this run.
      const wasFlaky = Object.hasOwn(state.evidence, check) && state.evidence[check]?.flaky
      const found = wasFlaky === true ? { ...answer, flaky: wasFlaky } : answer
      const evidence = { ...state.evidence, [check]: found }
      const kept = Object.hasOwn(state.answers, check) ? state.answers[check] : undefined
      const answers = { ...state.answers, [check]: keepEvidence(kept, found, state.seq) }
      return { ...settled, metrics, tree, certificate, evidence, answers }
    }
  }
}

function countFinished(metrics: Metrics, event: StepFinished): Metrics {
  const kind = event.kind ?? parseStepKind(event.step)
  const byKind = { ...metrics.byKind, [kind]: (metrics.byKind[kind] ?? 0) + 1 }
  return { ...metrics, steps: metrics.steps + 1, byKind }
}

function endWait(state: RunState, step: StepId): RunState {
  if (state.status !== 'waiting' || !state.waits.includes(step)) return state
  const waits = state.waits.filter((other) => other !== step)
  return enter(state, waits.length === 0 ? running(state.open) : waiting(state.open, waits))
}

type Counter = Exclude<keyof Metrics, 'byKind' | 'tools'>

export const count = (metrics: Metrics, field: Counter): Metrics => ({
  ...metrics,
  [field]: metrics[field] + 1,
})
