/**
 * E8. No new evidence, no spend: an agent is not called with exactly the same input as an earlier attempt,
 * in this run or in another run of the store. If another run completed the work and its certificate still
 * verifies, the run ends as completed by it; otherwise it is stuck, and says what would have to change.
 *
 * An attempt counts if the agent and its iteration ended by themselves. It does not count if it failed because
 * of a provider or a crash, was interrupted, or ended in an error. A run that starts from another run
 * (`origin`) is a requested repetition, and so is a run with a `repeat` number. Nothing counts if the ports
 * say that the work is not an attempt (`isAttempt`). What a run knows of the world besides its files (`outside`:
 * new issues, the results of a CI, the tick of a schedule) is part of what makes an attempt the same.
 */

import { createHash } from 'node:crypto'
import {
  type AgentEnd,
  type AgentReport,
  type AgentTask,
  describeEnding,
  type EarlierRun,
  type Ending,
  FaultError,
  type Json,
  type Met,
  type StepId,
  toJson,
} from '../../loop/index.ts'
import type { LiveIteration, LiveRun } from '../live-run.ts'
import { eventsAfter } from '../load-run.ts'
import type { Journal, PastAttempt } from '../ports.ts'

/** Undefined if a run has no workspace: then it is unknown whether something changed. */
export function fingerprintOf(
  { ports, recorder }: LiveRun,
  step: StepId,
  role: string,
  task: AgentTask,
): string | undefined {
  const { tree, progress, agent, limits, codeDigest, source, repeat, worktree, policy, outside } =
    recorder.state
  if (ports.workspace === undefined || tree === undefined || ports.isAttempt === false) {
    return undefined
  }
  const checks = Object.entries(ports.checks ?? {}).map(([name, check]) => [
    name,
    check.fingerprint ?? null,
  ])
  const { tokens, costMicros, timeMs } = limits
  const given: Json = toJson([
    { tree, progress: progress ?? null, step, role, prompt: task.basis ?? task.prompt },
    { where: worktree?.repository ?? ports.workspace.path },
    { dependencies: ports.preflight?.digest?.() ?? null },
    { settings: task.settings ?? {}, agent: agent ?? null, changes: source?.changes ?? null },
    {
      codeDigest,
      checks,
      limits: { tokens, costMicros, timeMs },
      policy: policy?.digest ?? 'none',
    },
    { repeat: repeat ?? 0 },
    // Only where there are some: fingerprints of earlier versions stay as they are.
    ...(outside === undefined ? [] : [{ outside }]),
  ])
  return createHash('sha256').update(JSON.stringify(given)).digest('hex')
}

/** Ends that say more about the environment than about the work. */
const notItsOwn: ReadonlySet<AgentEnd> = new Set([
  'provider',
  'interrupted',
  'crashed',
  'time',
  'idle',
])

export function isTried(result: Json | undefined): boolean {
  const { status, ended } = result as unknown as AgentReport
  if (ended !== undefined) return !notItsOwn.has(ended)
  return status !== 'failed'
}

/** Throws, which ends the run, if this exact attempt was already made. */
export async function requireNew(iteration: LiveIteration, fingerprint: string): Promise<void> {
  const { run, number } = iteration
  if (run.recorder.state.origin !== undefined) return
  const before = await run.ports.journal.tried(fingerprint)
  // The end of an iteration of this run may not be on disk yet.
  if (before.length > 0) await run.recorder.flushed()
  for (const tried of before) {
    // An iteration that restarts is the same attempt.
    if (tried.run === run.id && tried.iteration === number) continue
    const ending = await endingOf(run.ports.journal, tried)
    if (ending === undefined) continue
    const met = await metBy(run, tried, ending)
    if (met === undefined) continue
    iteration.stuck = met
    throw notNew(met)
  }
}

export const notNew = ({ condition, detail = '' }: Met): FaultError =>
  new FaultError({ code: condition, message: detail, retryable: false, fatal: true })

/** Undefined: it never ended in a way that says something about the work. */
async function endingOf(journal: Journal, tried: PastAttempt): Promise<Ending | undefined> {
  for await (const { event } of eventsAfter(journal, tried.run, tried.seq)) {
    if (event.type === 'iteration-restarted' || event.type === 'run-rewound') return undefined
    if (event.type !== 'iteration-ended' || event.iteration !== tried.iteration) continue
    const { type } = event.ending
    if (type === 'continue' || type === 'complete') return event.ending
    if (type === 'error') return undefined
  }
  return undefined
}

/** Undefined: work that was completed but is gone may be done again. */
async function metBy(run: LiveRun, tried: PastAttempt, ending: Ending): Promise<Met | undefined> {
  if (tried.run === run.id) return stuckBy(run, tried, ending)
  // Nothing was certified that could be verified again, and with the same input it would find the same.
  if (ending.type === 'complete' && ending.met.byLoop === 'unchanged') {
    return stuckBy(run, tried, ending)
  }
  const { status } = await run.ports.journal.findRun(tried.run)
  if (status !== 'completed') return stuckBy(run, tried, ending)
  const { tree } = run.recorder.state
  const earlier = tree === undefined ? undefined : await run.ports.earlierWork?.(tried.run, tree)
  return earlier === undefined
    ? undefined
    : { condition: 'already-done', ends: 'completed', detail: describeEarlier(earlier), earlier }
}

const describeEarlier = ({ name, branch, certificate }: EarlierRun): string =>
  `run "${name}" already did this${branch === undefined ? '' : ` on the branch ${branch}`}; ` +
  `certificate ${certificate.slice(0, 16)} still verifies. To merge its work: loopctl merge ${name}. ` +
  'To run the task anyway, pass --again'

async function stuckBy(run: LiveRun, tried: PastAttempt, ending: Ending): Promise<Met> {
  const { name, status } = await run.ports.journal.findRun(tried.run)
  const isOther = tried.run !== run.id
  const where = isOther ? `run "${name}" (${status})` : 'this run'
  const goOn = isOther ? goOnFrom(name, tried.iteration) : ''
  const detail =
    `iteration ${tried.iteration} of ${where} already made this exact attempt; it ended with: ` +
    `${describeEnding(ending)}. Change the files, the prompt or input, the model or agent, the checks ` +
    `or the limits, or pass --again (in code: again)${goOn}`
  return { condition: 'no-new-evidence', ends: 'stuck', detail }
}

const goOnFrom = (name: string, iteration: number): string =>
  `. To continue from there: loopctl fork ${name} --at ${iteration}`
