import { expect, test } from 'vitest'
import type { Json, RunEvent, StepId } from '../../loop/index.ts'
import type { RoundReport } from '../../protocol/round/round-report.ts'
import { createMemoryStore } from '../../testing/index.ts'
import { memoryBlobs } from '../../testing/memory-blobs.ts'
import { writeRun } from '../../testing/write-run.ts'
import { findRoundReport } from './find-round-report.ts'

const report: RoundReport = {
  loop: 'triage',
  intent: 'look',
  level: 1,
  run: 'triage-1',
  outcome: { type: 'reported' },
  verified: { type: 'unverified', reason: 'the maker failed' },
  inputTokens: 1,
  outputTokens: 2,
  filesChanged: [],
  recalled: [],
  warnings: [],
  startedAtMs: 1,
  endedAtMs: 2,
}

const finished = (step: string, role: string, value: unknown): RunEvent => ({
  type: 'step-finished',
  iteration: 1,
  step: step as StepId,
  attempt: 1,
  kind: 'step',
  role,
  result: { value: value as Json },
})

test('the report of a round is the last valid result of the step with its role', async () => {
  const journal = createMemoryStore()
  const source = { journal, blobs: memoryBlobs() }
  const run = await writeRun(journal)
  expect(await findRoundReport(source, run.run)).toBeUndefined()
  await run.write(
    { type: 'iteration-started', iteration: 1 },
    finished('prompt#1', 'prompt', report),
    finished('report#1', 'round-report', report),
    finished('report#2', 'round-report', { ...report, outcome: { type: 'great' } }),
  )
  expect(await findRoundReport(source, run.run)).toEqual(report)
})
