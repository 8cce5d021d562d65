// The digest over all loops: what it sums up, and that text of agents cannot control a terminal.

import { expect, test } from 'vitest'
import { renderDigest } from '../../src/cli/display/digest-view.ts'
import { writeDelivery, writeSinks } from '../../src/launch/deliver/delivery-facts.ts'
import type { Json, RunEvent, StepId } from '../../src/loop/index.ts'
import type { Digest } from '../../src/protocol/api/index.ts'
import type { RoundOutcome, RoundReport } from '../../src/protocol/round/round-report.ts'
import { writeRun } from '../../src/testing/write-run.ts'
import { openApi } from './api-fixture.ts'

const report = (outcome: RoundOutcome): RoundReport => ({
  loop: 'written',
  intent: 'look',
  level: 1,
  run: 'r',
  outcome,
  verified: { type: 'checker' },
  inputTokens: 1,
  outputTokens: 2,
  filesChanged: [],
  recalled: [],
  warnings: [],
  startedAtMs: 1,
  endedAtMs: 2,
})

const finished = (value: RoundReport): RunEvent => ({
  type: 'step-finished',
  iteration: 1,
  step: 'report#1' as StepId,
  attempt: 1,
  kind: 'step',
  role: 'round-report',
  result: { value: value as unknown as Json },
})

test('it counts rounds by outcome, and has levels and reports that were not delivered', async () => {
  const { host, get } = await openApi()
  const atMs = Date.now() - 1000
  const outcomes: readonly RoundOutcome[] = [
    { type: 'reported' },
    { type: 'reported' },
    { type: 'escalated', reason: 'why' },
  ]
  for (const [at, outcome] of outcomes.entries()) {
    const run = await writeRun(host.journal, { name: `round-${at}`, atMs })
    await run.write({ type: 'iteration-started', iteration: 1 }, finished(report(outcome)))
    if (at > 0) continue
    const failed = {
      seq: 1,
      sink: 0,
      status: 'failed',
      tries: 9,
      atMs,
      error: 'no\u001b[2J',
    } as const
    await writeSinks(host.journal, run.run, [{ type: 'slack', urlEnv: 'HOOK' }], atMs)
    await writeDelivery(host.journal, run.run, failed)
  }
  await writeRun(host.journal, { name: 'old', atMs: atMs - 3 * 86_400_000 })
  const scope = { loop: 'written', kind: 'merge', cause: 'escape', level: 1, starting: 2 } as const
  await host.journal.trust.record({ ...scope, key: 'e', by: 'evidence', reason: 'reverted', atMs })
  const digest = (await get('/digest')).body as unknown as Digest
  expect(digest).toMatchObject({
    loops: [{ loop: 'written', runs: 3, outcomes: { reported: 2, escalated: 1 } }],
    levels: [{ cause: 'escape', from: 2, level: 1 }],
    undelivered: [{ run: 'round-0', sink: 'slack', status: 'failed', tries: 9 }],
    schedules: [],
    isPartial: false,
  })
  const text = renderDigest(digest)
  expect(text).toContain('2 reported, 1 escalated')
  expect(text).toContain('L2-assisted became L1-report: reverted')
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  const all = (await get('/digest?since=0')).body as unknown as Digest
  expect(all.loops.map(({ runs }) => runs).reduce((sum, one) => sum + one, 0)).toBe(4)
})
