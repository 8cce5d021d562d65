/**
 * Tries edits on as many workers as configured. Their order matters: an edit counts as found only
 * after all before it have been tried.
 */

import type { RunLimits, SandboxMessage, TryJob } from '../messages.ts'
import { createWorkerProcess, type WorkerProcess } from './worker-process.ts'

type Verdict = 'failed' | 'hung' | 'passed' | { readonly overfit: number }

const reportEvery = 100
const slowdownFactor = 8
const extraMsMax = 4000
/** After this many retries that hung again, no more are retried. */
const lostRetriesMax = 4

export async function runTryJob(
  job: TryJob,
  program: string,
  report: (said: SandboxMessage) => void,
): Promise<void> {
  const { root, files, bases, preload, edits } = job
  const endMs = performance.now() + job.deadlineMs
  const verdicts: (Verdict | undefined)[] = edits.map(() => undefined)
  let next = 0
  let found = edits.length
  let hung = 0
  let said = 0
  const retries = { lost: 0 }

  function reportProgress(): void {
    let done = said
    while (done < next && verdicts[done] !== undefined) done++
    if (done - said >= reportEvery) {
      said = done
      report({ type: 'tried', upTo: done, hung })
    }
  }

  async function work(): Promise<void> {
    const worker = createWorkerProcess(program, {
      type: 'open',
      root,
      files,
      bases,
      preload,
      probes: 0,
      testTimeoutMs: job.allLimits.testMs,
    })
    while (next < found && performance.now() < endMs) {
      const index = next++
      const verdict = await judge(worker, job, index, retries)
      verdicts[index] = verdict
      if (verdict === 'hung') hung++
      if (verdict === 'passed') found = Math.min(found, index)
      reportProgress()
    }
    await worker.close()
  }

  const count = Math.max(1, Math.min(job.workers, edits.length))
  await Promise.all(Array.from({ length: count }, work))
  const tried = verdicts.findIndex((verdict) => verdict === undefined)
  for (const [index, verdict] of verdicts.slice(0, found).entries()) {
    if (typeof verdict !== 'object') continue
    report({ type: 'overfit', edit: index, failed: verdict.overfit })
  }
  if (found < edits.length) report({ type: 'found', edit: found })
  report({
    type: 'end',
    next: found < edits.length ? found : tried === -1 ? edits.length : tried,
    hung,
  })
}

async function judge(
  worker: WorkerProcess,
  job: TryJob,
  index: number,
  retries: { lost: number },
): Promise<Verdict> {
  const edit = job.edits[index]
  if (edit === undefined) return 'failed'
  const run = async (
    tests: readonly string[],
    { testMs, totalMs }: RunLimits,
    bail: boolean,
    isSecond = false,
  ): Promise<{ readonly failed: number; readonly hung: boolean }> => {
    if (tests.length === 0) return { failed: 0, hung: false }
    const answer = await worker.ask(
      { type: 'try', edit, tests, bail, timeoutMs: testMs },
      { timeoutMs: totalMs, isLast: ({ type }) => type === 'tried' },
    )
    if (answer?.type !== 'tried') return { failed: tests.length, hung: true }
    if (isSecond && answer.hung) retries.lost++
    if (!answer.starved || isSecond || retries.lost >= lostRetriesMax) return answer
    // On a busy machine, elapsed time is misleading.
    const extraMs = Math.min(slowdownFactor * testMs, extraMsMax)
    const longer = { testMs: testMs + extraMs, totalMs: totalMs + 3 * extraMs }
    return run(tests, longer, bail, true)
  }
  const first = await run(job.first, job.firstLimits, true)
  if (first.failed > 0) return first.hung ? 'hung' : 'failed'
  const all = await run(job.visible, job.allLimits, true)
  if (all.failed > 0) return all.hung ? 'hung' : 'failed'
  const held = await run(job.heldBack, job.allLimits, false)
  return held.failed > 0 ? { overfit: held.failed } : 'passed'
}
