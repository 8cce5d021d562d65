/**
 * The main program in the sandbox. It gets a job, has workers do it, and reports the results as
 * lines of JSON. It is started from text and leaves no file behind.
 */

import type { Job, SandboxMessage, SurveyJob } from '../messages.ts'
import { runCommandJob } from './command-job.ts'
import { inCopy } from './copy-project.ts'
import { runTryJob } from './try-job.ts'
import { createWorkerProcess } from './worker-process.ts'

export async function supervise(job: Job, workerProgram: string): Promise<void> {
  const report = (said: SandboxMessage): void =>
    void process.stdout.write(`${JSON.stringify(said)}\n`)
  try {
    if (job.type === 'command') await runCommandJob(job, report)
    else {
      // The end is reported after everything is cleaned up.
      let end: SandboxMessage | undefined
      const reportUntilEnd = (said: SandboxMessage): void => {
        if (said.type === 'end') end = said
        else report(said)
      }
      await inCopy(job.root, async (root) => {
        if (job.type === 'survey') await survey({ ...job, root }, workerProgram, reportUntilEnd)
        else await runTryJob({ ...job, root }, workerProgram, reportUntilEnd)
      })
      if (end !== undefined) report(end)
    }
  } catch (error) {
    report({
      type: 'problem',
      message: error instanceof Error ? (error.stack ?? '') : String(error),
    })
  }
  process.stdout.write('', () => process.exit(0))
}

/** Runs everything once with counters, then once more: tests with varying results are useless. */
async function survey(
  job: SurveyJob,
  program: string,
  report: (said: SandboxMessage) => void,
): Promise<void> {
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
  report({ type: 'end', next: 0, hung: 0 })

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
            if (round === 1) report(one)
            else report({ type: 'again', id: one.id, ok: one.ok, ms: one.ms })
          } else if (one.type === 'loaded') report(one)
        },
      },
    )
    if (answer !== undefined) return undefined
    if (round === 1)
      report({ type: 'test', id: current, ok: false, ms: testTimeoutMs, hits: '', hung: true })
    else report({ type: 'again', id: current, ok: false, ms: testTimeoutMs })
    return current
  }
}
