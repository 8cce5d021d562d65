/**
 * Our program inside the sandbox. It is given a job, has workers do it, and says what came of it, a line
 * of JSON at a time. It is started from text and leaves no file behind.
 */

import type { Job, Said, SurveyJob } from '../messages.ts'
import { runCommandJob } from './command-job.ts'
import { inCopy } from './copy-project.ts'
import { runTryJob } from './try-job.ts'
import { createWorkerProcess } from './worker-process.ts'

export async function supervise(job: Job, workerProgram: string): Promise<void> {
  const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`)
  try {
    if (job.type === 'command') await runCommandJob(job, say)
    else {
      // The end is said when nothing is left of it.
      let end: Said | undefined
      const sayFirst = (said: Said): void => {
        if (said.type === 'end') end = said
        else say(said)
      }
      await inCopy(job.root, async (root) => {
        if (job.type === 'survey') await survey({ ...job, root }, workerProgram, sayFirst)
        else await runTryJob({ ...job, root }, workerProgram, sayFirst)
      })
      if (end !== undefined) say(end)
    }
  } catch (error) {
    say({ type: 'problem', message: error instanceof Error ? (error.stack ?? '') : String(error) })
  }
  process.stdout.write('', () => process.exit(0))
}

/** Everything once with counters, then once more: what answers differently is of no use. */
async function survey(job: SurveyJob, program: string, say: (said: Said) => void): Promise<void> {
  const { root, files, preload, probes, testTimeoutMs } = job
  const endMs = performance.now() + job.deadlineMs
  const worker = createWorkerProcess(program, {
    type: 'open',
    root,
    files,
    bases: [],
    preload,
    probes,
    testTimeoutMs,
  })
  for (const round of [1, 2]) {
    for (const file of job.tests) {
      const skip: string[] = []
      // Each test can hang once.
      for (let attempt = 0; attempt < 8; attempt++) {
        if (performance.now() > endMs) break
        const hung = await surveyFile(file, skip, round)
        if (hung === undefined) break
        skip.push(hung)
      }
    }
  }
  await worker.close()
  say({ type: 'end', next: 0, hung: 0 })

  async function surveyFile(
    file: string,
    skip: string[],
    round: number,
  ): Promise<string | undefined> {
    let current = file
    const answer = await worker.ask(
      { type: 'survey', file, skip },
      {
        timeoutMs: 3 * testTimeoutMs,
        isLast: ({ type }) => type === 'done',
        onAnswer(one) {
          if (one.type === 'starting') current = one.id
          else if (one.type === 'test') {
            if (!skip.includes(one.id)) skip.push(one.id)
            if (round === 1) say(one)
            else say({ type: 'again', id: one.id, ok: one.ok, ms: one.ms })
          } else if (one.type === 'loaded') say(one)
        },
      },
    )
    if (answer !== undefined) return undefined
    if (round === 1)
      say({ type: 'test', id: current, ok: false, ms: testTimeoutMs, hits: '', hung: true })
    else say({ type: 'again', id: current, ok: false, ms: testTimeoutMs })
    return current
  }
}
