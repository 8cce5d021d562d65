/**
 * The parts of a run that is replayed from its recording. Checks and tools are the real ones; the answers of
 * models, people, gates and actions come from the recording.
 *
 * R1. No model and no person is asked, and nothing outside the workspace changes: a missing answer ends the
 *     replay.
 * R2. At each step, the replay has spent what the original had spent, so that limits end both at the same
 *     point.
 */

import {
  type Actions,
  type Agents,
  type Certification,
  type Certifier,
  type CommandRunner,
  type Gate,
  type Hook,
  load,
  type Ports,
  type Verdict,
} from '../../engine/index.ts'
import type { Exchange, ReplaySettings } from '../../gateway/index.ts'
import { loadExchange } from '../../history/load-exchange.ts'
import {
  findStep,
  lastIteration,
  type RecordedStep,
  type Recording,
} from '../../history/recording.ts'
import {
  type AgentContext,
  type Amount,
  add,
  FaultError,
  type Limits,
  outputTokensOf,
  type Receipt,
  type Remaining,
  type Reservation,
  zero,
} from '../../loop/index.ts'
import type { CommandReport } from '../../loop/step/command-task.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunParts } from '../../runs/options.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { ReplayPosition } from '../agents/metered-agent.ts'
import { createNormalizer } from './normalize-request.ts'
import { translateTools } from './translate-tools.ts'

export interface ReplayAnswers {
  /** For the gateway sessions of agents: the recorded exchanges of the running step. */
  readonly replay: (at: ReplayPosition) => ReplaySettings | undefined
  /** The parts of the loop, with recorded answers instead of the outside world. */
  parts(opened: RunParts): RunParts & Pick<Ports, 'certifier' | 'isAttempt'>
}

export function createReplayAnswers(
  base: Pick<HostPorts, 'blobs'>,
  recording: Recording,
  { workspace, worktree }: Pick<RunPlace, 'workspace' | 'worktree'>,
): ReplayAnswers {
  /** Only of running steps: all exchanges of a long run would need too much memory. */
  const running = new Map<string, readonly Exchange[]>()
  const from = recording.run.workspace
  const normalize = createNormalizer({
    folders: [from, workspace].filter((path) => path !== undefined),
    branches: [recording.created.worktree, worktree].flatMap((one) => one?.branch ?? []),
    run: recording.run.name,
  })
  return {
    replay: (at) => ({ exchanges: running.get(toKey(at)) ?? [], normalize }),
    parts: (opened) => ({
      ...opened,
      waitMsMax: 0,
      certifier: recordedCertifier(base, recording),
      isAttempt: false,
      hooks: [createRecordEndHook(recording), ...(opened.hooks ?? [])],
      ...(opened.agents === undefined
        ? {}
        : { agents: recordedAgents(base, recording, opened.agents, running) }),
      ...(opened.tools === undefined || from === undefined || workspace === undefined
        ? {}
        : { tools: translateTools(opened.tools, { from, to: workspace }, opened.sandbox) }),
      commands: recordedCommands(base, recording),
      ...(opened.gate === undefined ? {} : { gate: recordedGate(base, recording) }),
      // Also for the actions of a loop file, whose executors would be opened otherwise.
      actions: recordedActions(base, recording),
    }),
  }
}

const toKey = ({ iteration, step }: ReplayPosition): string => `${iteration}/${step}`

/** Stops before an iteration that the recording does not have. */
const createRecordEndHook = (recording: Recording): Hook => ({
  name: 'replay',
  points: ['before-iteration'],
  blocking: true,
  run({ state }) {
    const iteration = state.open?.iteration ?? 0
    if (iteration > lastIteration(recording)) throw createRecordEnded(`iteration ${iteration}`)
  },
})

const createRecordEnded = (what: string): FaultError =>
  new FaultError({
    code: 'record-ended',
    message: `The recording ends here: it has no ${what}.`,
    retryable: false,
    fatal: true,
  })

/** Repeats the recorded certification if the tree is the same, without running checks in a clean checkout. */
const recordedCertifier = (
  { blobs }: Pick<HostPorts, 'blobs'>,
  recording: Recording,
): Certifier => ({
  async certify({ tree }, { iteration, step }) {
    const recorded = findStep(recording, iteration, step)?.end
    if (recorded === undefined)
      return createRefusal('record-ended', 'The original run did not certify this.')
    if (recorded.type === 'failed') throw new FaultError(recorded.fault)
    const answer = (await load(recorded.result, blobs)) as unknown as Certification
    const isSame = recording.iterations.get(iteration)?.treeAfter === tree
    if (answer.type !== 'certified' || isSame) return answer
    return createRefusal('tree-changed', 'The original run certified different files.')
  },
})

const createRefusal = (code: string, message: string): Certification => ({
  type: 'refused',
  refusals: [{ code, message }],
})

function recordedAgents(
  { blobs }: Pick<HostPorts, 'blobs'>,
  recording: Recording,
  agents: Agents,
  running: Map<string, readonly Exchange[]>,
): Agents {
  return {
    async work(role, task, context) {
      const { iteration, step } = context
      const recorded = findStep(recording, iteration, step)
      if (recorded?.end === undefined)
        throw createRecordEnded(`end of step ${step} of iteration ${iteration}`)
      const key = toKey({ iteration, step })
      const exchanges = recorded.exchanges.map(({ blob }) => loadExchange(blob, blobs))
      running.set(key, await Promise.all(exchanges))
      try {
        const agentContext = await withRecordedSpending(context, recorded, recording.state.limits)
        return await agents.work(role, task, agentContext)
      } catch (error) {
        throw withoutRetry(error, recorded)
      } finally {
        running.delete(key)
      }
    },
  }
}

/** Only the last attempt is recorded, so there is nothing to retry. */
function withoutRetry(error: unknown, { end }: RecordedStep): unknown {
  if (!(error instanceof FaultError) || end?.type !== 'failed') return error
  return new FaultError({ ...error.fault, retryable: false }, { cause: error })
}

/**
 * Charges earlier attempts and repeated iterations, which were paid for and are not replayed. What an
 * interrupted replay has already charged for this step is not charged twice. Parallel branches are not
 * corrected, because their spending cannot be told apart.
 */
async function withRecordedSpending(
  context: AgentContext,
  { step, committedBefore }: RecordedStep,
  limits: Limits,
): Promise<AgentContext> {
  if (step.includes('/')) return context
  const left = context.remaining()
  const used = left.committed ?? {
    tokens: limits.tokens - left.tokens,
    costMicros: limits.costMicros - left.costMicros,
  }
  const missing = subtract(committedBefore, used)
  if (missing.tokens + missing.costMicros > 0) await (await context.reserve(zero)).settle(missing)
  let surplus = subtract(used, committedBefore)
  if (surplus.tokens + surplus.costMicros === 0) return context
  const reserve = async (worst: Amount): Promise<Reservation> => {
    const reservation = await context.reserve(worst)
    return {
      async settle(spent) {
        const owed = subtract(spent, surplus)
        surplus = subtract(surplus, spent)
        await reservation.settle(owed)
      },
    }
  }
  const remaining = (): Remaining => {
    const now = context.remaining()
    const { tokens, costMicros } = add(now, surplus)
    return { ...now, tokens, costMicros }
  }
  return { ...context, reserve, remaining }
}

/** Never less than zero. */
function subtract(first: Amount, second: Amount): Amount {
  const tokens = Math.max(0, first.tokens - second.tokens)
  const outputTokens = outputTokensOf(first) - outputTokensOf(second)
  return {
    tokens,
    costMicros: Math.max(0, first.costMicros - second.costMicros),
    ...(first.outputTokens === undefined && second.outputTokens === undefined
      ? {}
      : { outputTokens: Math.min(tokens, Math.max(0, outputTokens)) }),
  }
}

/** What a command said the last time: it may have cost money, and its machine is another one now. */
const recordedCommands = (
  { blobs }: Pick<HostPorts, 'blobs'>,
  recording: Recording,
): CommandRunner => ({
  async run(_task, { iteration, step }) {
    const end = findStep(recording, iteration, step)?.end
    if (end === undefined) throw createRecordEnded(`result of ${step} in iteration ${iteration}`)
    if (end.type === 'failed') throw new FaultError(end.fault)
    return (await load(end.result, blobs)) as unknown as CommandReport
  },
})

function recordedGate({ blobs }: Pick<HostPorts, 'blobs'>, recording: Recording): Gate {
  return {
    async judge({ kind }, { iteration, step }) {
      const end = findStep(recording, iteration, step)?.end
      if (end?.type !== 'finished') throw createRecordEnded(`verdict about the action ${kind}`)
      return (await load(end.result, blobs)) as unknown as Verdict
    },
  }
}

/** Returns the recorded receipts. */
function recordedActions({ blobs }: Pick<HostPorts, 'blobs'>, recording: Recording): Actions {
  const receipt = async (kind: string, key: string): Promise<Receipt> => {
    const [, iteration, ...step] = key.split('/')
    const end = findStep(recording, Number(iteration), step.join('/'))?.end
    if (end?.type === 'failed') throw new FaultError(end.fault)
    if (end === undefined) throw createRecordEnded(`receipt for the action ${kind}`)
    return (await load(end.result, blobs)) as unknown as Receipt
  }
  return {
    perform: ({ kind }, key) => receipt(kind, key),
    find: async ({ kind }, key) => ({ type: 'done', receipt: await receipt(kind, key) }),
  }
}
