/**
 * Edits, one after the other, on as many workers as there are processors. Their order is kept: an edit
 * is found only when all before it have been tried.
 */

import type { RunLimits, Said, TryJob } from '../messages.ts'
import { createWorkerProcess, type WorkerProcess } from './worker-process.ts'

type Verdict = 'failed' | 'hung' | 'passed' | { readonly overfit: number }

const saidEach = 100
const patience = 8
const patienceMsMax = 4000
/** So many that hung again, and no more are tried again. */
const lostMax = 4

export async function runTryJob(
  job: TryJob,
  program: string,
  say: (said: Said) => void,
): Promise<void> {
  const { root, files, bases, preload, edits } = job
  const endMs = performance.now() + job.deadlineMs
  const verdicts: (Verdict | undefined)[] = edits.map(() => undefined)
  let next = 0
  let found = edits.length
  let hung = 0
  let said = 0
  const mercy = { lost: 0 }

  function tell(): void {
    let done = said
    while (done < next && verdicts[done] !== undefined) done++
    if (done - said >= saidEach) {
      said = done
      say({ type: 'tried', upTo: done, hung })
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
      const verdict = await judge(worker, job, index, mercy)
      verdicts[index] = verdict
      if (verdict === 'hung') hung++
      if (verdict === 'passed') found = Math.min(found, index)
      tell()
    }
    await worker.close()
  }

  const count = Math.max(1, Math.min(job.workers, edits.length))
  await Promise.all(Array.from({ length: count }, work))
  const tried = verdicts.findIndex((verdict) => verdict === undefined)
  for (const [index, verdict] of verdicts.slice(0, found).entries()) {
    if (typeof verdict !== 'object') continue
    say({ type: 'overfit', edit: index, failed: verdict.overfit })
  }
  if (found < edits.length) say({ type: 'found', edit: found })
  say({
    type: 'end',
    next: found < edits.length ? found : tried === -1 ? edits.length : tried,
    hung,
  })
}

async function judge(
  worker: WorkerProcess,
  job: TryJob,
  index: number,
  mercy: { lost: number },
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
    if (isSecond && answer.hung) mercy.lost++
    if (!answer.starved || isSecond || mercy.lost >= lostMax) return answer
    // On a busy machine time is not what it seems.
    const extraMs = Math.min(patience * testMs, patienceMsMax)
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
