/**
 * Runs checks as steps, requested by the loop's code or by the engine after it.
 *
 * A check with a fingerprint and a result on exactly these files in this run is not run again: its result
 * is reused. One that did not finish, or contradicted itself, is run again.
 */

import {
  type CheckResult,
  contradicts,
  defined,
  type Evidence,
  type EvidenceKept,
  isAnswer,
  type Json,
  LoopError,
  plainOutput,
  type RunStarted,
  toJson,
} from '../../loop/index.ts'
import type { Branch, LiveRun } from '../live-run.ts'
import type { Check, Ports, UnboundCheckResult } from '../ports.ts'
import { load } from '../stored.ts'
import { askStep } from './ask-step.ts'
import { checkContext } from './check-context.ts'

const checkTimeoutMs = 600_000
const graceMs = 10_000

/** Faults that say nothing about the files. */
const notAnswers: ReadonlySet<string> = new Set(['cannot-run', 'budget', 'iteration-limit'])

/** Describes the checks of a run for its journal. */
export function describeChecks(checks: Ports['checks'] = {}): Pick<RunStarted, 'checks'> {
  const described = Object.entries(checks).map(([check, { kind = 'code', condition }]) => ({
    check,
    kind,
    ...defined({ condition }),
  }))
  return described.length === 0 ? {} : { checks: described }
}

export async function runChecks(
  branch: Branch,
  names: readonly string[],
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for (const name of names) results.push(await runCheck(branch, name))
  return results
}

export async function runCheck(branch: Branch, name: string): Promise<CheckResult> {
  const { run, number } = branch.iteration
  const { ports, recorder } = run
  const known = ports.checks ?? {}
  const check = required(
    Object.hasOwn(known, name) ? known[name] : undefined,
    `the check "${name}"`,
  )
  const beganMs = ports.clock.now()
  const keptOf = (): readonly EvidenceKept[] => {
    const { answers } = recorder.state
    return (Object.hasOwn(answers, name) ? answers[name] : undefined) ?? []
  }
  const evidenceOf = (
    part: Pick<CheckResult, 'status' | 'tree' | 'reused' | 'allowed'>,
  ): Evidence => ({
    status: part.status,
    iteration: number,
    ...defined({ tree: part.tree, fingerprint: check.fingerprint }),
    ...(part.reused === true ? { reused: part.reused } : {}),
    ...(part.allowed === true ? { allowed: part.allowed } : {}),
  })
  const isFlaky = (found: Evidence): boolean => {
    const { evidence } = recorder.state
    const before = Object.hasOwn(evidence, name) && evidence[name]?.flaky === true
    return before || (check.isLive !== true && contradicts(keptOf(), found))
  }
  const withPermission = <T extends Pick<CheckResult, 'asBefore'>>(found: T): T =>
    found.asBefore === true && recorder.state.allows?.includes(name) === true
      ? { ...found, allowed: true }
      : found
  const complete = ({
    whole: _whole,
    ...part
  }: Pick<UnboundCheckResult, 'status' | 'output' | 'whole'>): Json => {
    const { tree } = recorder.state
    const durationMs = ports.clock.now() - beganMs
    const at = defined({ tree })
    const flaky = isFlaky(evidenceOf({ ...part, ...at })) ? { flaky: true } : {}
    const output = plainOutput(part.output ?? '')
    return toJson({ ...part, output, check: name, durationMs, ...at, ...flaky })
  }
  const result = (await askStep(branch, {
    kind: 'check',
    name,
    // A fallback for checks that have no time limit of their own or do not respect it.
    options: { timeoutMs: (check.timeoutMs ?? checkTimeoutMs) + graceMs, retry: { attempts: 1 } },
    files: 'reads',
    run: async (context, step, meter) => {
      const before = keptOf().findLast((one) => one.tree === recorder.state.tree)
      return check.fingerprint !== undefined && isTheSame(before, check)
        ? toJson(withPermission(await readAnswer(run, before)))
        : complete(withPermission(await check(checkContext(branch, step, context, meter))))
    },
    // A check that failed to run has not passed. A fatal fault ends the run, and so does a limit that its judge reached.
    onFault: (code, output) =>
      notAnswers.has(code)
        ? undefined
        : complete({ status: code === 'timeout' ? 'timeout' : 'error', output }),
    finished: (value) => {
      const found = value as unknown as CheckResult
      const flaky = found.flaky === true ? { flaky: found.flaky } : {}
      const evidence = { check: name, ...evidenceOf(found), ...flaky }
      return { evidence, untouched: found.reused === true }
    },
  })) as unknown as CheckResult
  // Applied to recorded results too.
  branch.iteration.checked.set(name, result)
  return result
}

/** Whether an earlier result on the same files can be reused. */
export const isTheSame = (
  before: EvidenceKept | undefined,
  check: Check | undefined,
): before is EvidenceKept =>
  before !== undefined &&
  isAnswer(before) &&
  before.flaky !== true &&
  before.fingerprint === check?.fingerprint &&
  check?.isLive !== true

/** The earlier result, from the journal. */
export async function readAnswer(run: LiveRun, { seq }: EvidenceKept): Promise<CheckResult> {
  const { journal, blobs } = run.ports
  const [found] = await journal.read(run.id, { afterSeq: seq - 1, limit: 1 })
  const event = found?.event
  const stored = event?.type === 'step-finished' ? event.result : undefined
  return { ...((await load(stored, blobs)) as unknown as CheckResult), reused: true }
}

export function required<T>(port: T | undefined, what: string): T {
  if (port !== undefined) return port
  const message = `The loop requests ${what}, but this run does not have it.`
  throw new LoopError('not-configured', `${message} Configure it when you start the run.`)
}
