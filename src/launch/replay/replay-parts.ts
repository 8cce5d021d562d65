/**
 * The parts of a run that is done again from its record. Checks and tools are the real ones; models,
 * people, gates and actions are what the record has of them.
 *
 * R1. Nothing is asked of anybody, and nothing outside the workspace is changed: what the record does
 *     not have ends the replay.
 * R2. What the run has spent is what the run on record had spent at the same place, so that limits end
 *     it where they ended that one.
 */

import {
  type Actions,
  type Agents,
  type Certification,
  type Certifier,
  type Gate,
  type Hook,
  load,
  type Ports,
  type Verdict,
} from '../../engine/index.ts'
import type { Exchange, ReplaySettings } from '../../gateway/index.ts'
import { loadExchange } from '../../history/load-exchange.ts'
import { lastOf, type RecordedStep, type Recording, stepOf } from '../../history/recording.ts'
import {
  type AgentContext,
  type Amount,
  add,
  FaultError,
  type Limits,
  type Receipt,
  type Remaining,
  type Reservation,
  zero,
} from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunParts } from '../../runs/options.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { ReplayPlace } from '../agents/metered-agent.ts'
import { sameRequest } from './same-request.ts'
import { translatedTools } from './translated-tools.ts'

export interface ReplayAnswers {
  /** For the agents' doors: what was recorded of the step that is under way. */
  readonly replay: (at: ReplayPlace) => ReplaySettings | undefined
  /** What the loop opened, with the record in the place of the world. */
  parts(opened: RunParts): RunParts & Pick<Ports, 'certifier' | 'isAttempt'>
}

export function replayAnswers(
  base: Pick<HostPorts, 'blobs'>,
  recording: Recording,
  { workspace, worktree }: Pick<RunPlace, 'workspace' | 'worktree'>,
): ReplayAnswers {
  /** Of the steps under way only: all exchanges of a long run are too much to hold. */
  const underWay = new Map<string, readonly Exchange[]>()
  const from = recording.run.workspace
  const normalise = sameRequest({
    folders: [from, workspace].filter((path) => path !== undefined),
    branches: [recording.created.worktree, worktree].flatMap((one) => one?.branch ?? []),
    run: recording.run.name,
  })
  return {
    replay: (at) => ({ exchanges: underWay.get(keyOf(at)) ?? [], normalise }),
    parts: (opened) => ({
      ...opened,
      waitMsMax: 0,
      certifier: recordedCertifier(base, recording),
      isAttempt: false,
      hooks: [recordEnd(recording), ...(opened.hooks ?? [])],
      ...(opened.agents === undefined
        ? {}
        : { agents: recordedAgents(base, recording, opened.agents, underWay) }),
      ...(opened.tools === undefined || from === undefined || workspace === undefined
        ? {}
        : { tools: translatedTools(opened.tools, { from, to: workspace }, opened.sandbox) }),
      ...(opened.gate === undefined ? {} : { gate: recordedGate(base, recording) }),
      ...(opened.actions === undefined ? {} : { actions: recordedActions(base, recording) }),
    }),
  }
}

const keyOf = ({ iteration, step }: ReplayPlace): string => `${iteration}/${step}`

/** No iteration is begun that the record does not have. */
const recordEnd = (recording: Recording): Hook => ({
  name: 'replay',
  points: ['before-iteration'],
  blocking: true,
  run({ state }) {
    const iteration = state.open?.iteration ?? 0
    if (iteration > lastOf(recording)) throw beyond(`iteration ${iteration}`)
  },
})

const beyond = (what: string): FaultError =>
  new FaultError({
    code: 'record-ended',
    message: `The record ends here: it has no ${what}.`,
    retryable: false,
    fatal: true,
  })

/** What was certified then is certified now, where it is the same: no check is run in a clean place again. */
const recordedCertifier = (
  { blobs }: Pick<HostPorts, 'blobs'>,
  recording: Recording,
): Certifier => ({
  async certify({ tree }, { iteration, step }) {
    const recorded = stepOf(recording, iteration, step)?.end
    if (recorded === undefined) return refused('record-ended', 'The record does not certify this.')
    if (recorded.type === 'failed') throw new FaultError(recorded.fault)
    const answer = (await load(recorded.result, blobs)) as unknown as Certification
    const isSame = recording.iterations.get(iteration)?.treeAfter === tree
    if (answer.type !== 'certified' || isSame) return answer
    return refused('tree-changed', 'The record certifies other files.')
  },
})

const refused = (code: string, message: string): Certification => ({
  type: 'refused',
  refusals: [{ code, message }],
})

function recordedAgents(
  { blobs }: Pick<HostPorts, 'blobs'>,
  recording: Recording,
  agents: Agents,
  underWay: Map<string, readonly Exchange[]>,
): Agents {
  return {
    async work(role, task, context) {
      const { iteration, step } = context
      const recorded = stepOf(recording, iteration, step)
      if (recorded?.end === undefined) throw beyond(`end of step ${step} of iteration ${iteration}`)
      const key = keyOf({ iteration, step })
      const exchanges = recorded.exchanges.map(({ blob }) => loadExchange(blob, blobs))
      underWay.set(key, await Promise.all(exchanges))
      try {
        const sameAccount = await accountFor(context, recorded, recording.state.limits)
        return await agents.work(role, task, sameAccount)
      } catch (error) {
        throw onceOnly(error, recorded)
      } finally {
        underWay.delete(key)
      }
    },
  }
}

/** The last attempt is the one on record; there is no other to be tried. */
function onceOnly(error: unknown, { end }: RecordedStep): unknown {
  if (!(error instanceof FaultError) || end?.type !== 'failed') return error
  return new FaultError({ ...error.fault, retryable: false }, { cause: error })
}

/**
 * Earlier attempts and iterations that the run went back over were paid for and are not done again: they
 * are charged here. What a replay that was cut short has charged for this step is not charged twice.
 * Beside other branches nobody can tell what is whose.
 */
async function accountFor(
  context: AgentContext,
  { step, committedBefore }: RecordedStep,
  limits: Limits,
): Promise<AgentContext> {
  if (step.includes('/')) return context
  const left = context.remaining()
  const used = {
    tokens: limits.tokens - left.tokens,
    costMicros: limits.costMicros - left.costMicros,
  }
  const missing = lessBy(committedBefore, used)
  if (missing.tokens + missing.costMicros > 0) await (await context.reserve(zero)).settle(missing)
  let surplus = lessBy(used, committedBefore)
  if (surplus.tokens + surplus.costMicros === 0) return context
  const reserve = async (worst: Amount): Promise<Reservation> => {
    const reservation = await context.reserve(worst)
    return {
      async settle(spent) {
        const owed = lessBy(spent, surplus)
        surplus = lessBy(surplus, spent)
        await reservation.settle(owed)
      },
    }
  }
  const remaining = (): Remaining => {
    const { tokens, costMicros, ...others } = context.remaining()
    return { ...others, ...add({ tokens, costMicros }, surplus) }
  }
  return { ...context, reserve, remaining }
}

/** What is left of the first without the second, never less than nothing. */
const lessBy = (first: Amount, second: Amount): Amount => ({
  tokens: Math.max(0, first.tokens - second.tokens),
  costMicros: Math.max(0, first.costMicros - second.costMicros),
})

function recordedGate({ blobs }: Pick<HostPorts, 'blobs'>, recording: Recording): Gate {
  return {
    async judge({ kind }, { iteration, step }) {
      const end = stepOf(recording, iteration, step)?.end
      if (end?.type !== 'finished') throw beyond(`verdict about the action ${kind}`)
      return (await load(end.result, blobs)) as unknown as Verdict
    },
  }
}

/** The receipts of then. */
function recordedActions({ blobs }: Pick<HostPorts, 'blobs'>, recording: Recording): Actions {
  const receipt = async (kind: string, key: string): Promise<Receipt> => {
    const [, iteration, ...step] = key.split('/')
    const end = stepOf(recording, Number(iteration), step.join('/'))?.end
    if (end?.type === 'failed') throw new FaultError(end.fault)
    if (end === undefined) throw beyond(`receipt for the action ${kind}`)
    return (await load(end.result, blobs)) as unknown as Receipt
  }
  return {
    perform: ({ kind }, key) => receipt(kind, key),
    find: async ({ kind }, key) => ({ type: 'done', receipt: await receipt(kind, key) }),
  }
}
