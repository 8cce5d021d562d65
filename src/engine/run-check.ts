/** Checks as steps, whoever asks for them: the loop's code, or the engine after it. */

import { type CheckResult, type Json, LoopError, toJson } from '../loop/index.ts'
import { askStep } from './ask-step.ts'
import { checkContext } from './check-context.ts'
import type { Branch } from './live-run.ts'

const checkTimeoutMs = 600_000
const graceMs = 10_000

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
  const complete = (part: Pick<CheckResult, 'status' | 'output'>): Json => {
    const { tree } = recorder.state
    const durationMs = ports.clock.now() - beganMs
    return toJson({ ...part, output: part.output ?? '', check: name, durationMs, tree })
  }
  const result = (await askStep(branch, {
    kind: 'check',
    name,
    // Its own limit comes first; this one is for those that have none, or do not keep it.
    options: { timeoutMs: (check.timeoutMs ?? checkTimeoutMs) + graceMs, retry: { attempts: 1 } },
    files: 'reads',
    run: async (context, step) => complete(await check(checkContext(branch, step, context))),
    // A check that failed to run has not passed.
    onFault: (code, output) =>
      complete({ status: code === 'timeout' ? 'timeout' : 'error', output }),
    finished: (value) => {
      const { status, tree } = value as unknown as CheckResult
      const found = { check: name, status, iteration: number }
      return { evidence: tree === undefined ? found : { ...found, tree } }
    },
  })) as unknown as CheckResult
  // Also when it comes from the journal.
  branch.iteration.checked.set(name, result)
  return result
}

export function required<T>(port: T | undefined, what: string): T {
  if (port !== undefined) return port
  throw new LoopError('not-configured', `The loop asks for ${what}, and this run has none.`)
}
