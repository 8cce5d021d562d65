// The digest over all loops: what it sums up, and that text of agents cannot control a terminal.

import { expect, test } from 'vitest'
import { renderDigest } from '../../src/cli/display/digest-view.ts'
import { writeDelivery, writeSinks } from '../../src/launch/deliver/delivery-facts.ts'
import type { Json, RunEvent, StepId } from '../../src/loop/index.ts'
import type { Digest, EscalatedRounds } from '../../src/protocol/api/index.ts'
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
    capped: [],
    escalated: [],
    isPartial: false,
  })
  const text = renderDigest(digest)
  expect(text).toContain('2 reported, 1 escalated')
  expect(text).toContain('L2-assisted became L1-report: reverted')
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  const all = (await get('/digest?since=0')).body as unknown as Digest
  expect(all.loops.map(({ runs }) => runs).reduce((sum, one) => sum + one, 0)).toBe(4)
})

test('a round that needs a person, though none is asked, is listed until a later one ends otherwise', async () => {
  const { host, get } = await openApi()
  const nowMs = Date.now()
  const outcome = { type: 'stuck', condition: 'escalated', detail: 'why' } as const
  const stuck = { type: 'run-ended', outcome } as const
  const escalated: RoundOutcome = { type: 'escalated', reason: 'not certified\u001b[2J' }
  const end = async (name: string, atMs: number, events: readonly RunEvent[]): Promise<void> => {
    const run = await writeRun(host.journal, { name, atMs })
    await run.write({ type: 'iteration-started', iteration: 1 }, ...events)
  }
  const listed = async (): Promise<readonly string[]> => {
    const { items } = (await get('/escalations')).body as unknown as EscalatedRounds
    return items.map(({ run }) => run)
  }
  await end('first', nowMs - 9000, [finished(report(escalated)), stuck])
  expect(await listed()).toEqual(['first'])
  const digest = (await get('/digest')).body as unknown as Digest
  const text = renderDigest(digest)
  expect(text).toContain('Escalated, without a question (1):\n  first (written): not certified')
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  await end('nothing-new', nowMs - 8000, [stuck])
  await end('goes-on', nowMs - 7000, [])
  expect(await listed()).toEqual(['first'])
  await end('second', nowMs - 6000, [finished(report(escalated)), stuck])
  expect(await listed()).toEqual(['second'])
  const completed = { type: 'completed', condition: 'reported' } as const
  await end('third', nowMs - 5000, [
    finished(report({ type: 'reported' })),
    { type: 'run-ended', outcome: completed },
  ])
  expect(await listed()).toEqual([])
})

test('it says that a loop file allows less than the level that its loop has', async () => {
  const { host, get } = await openApi()
  const atMs = Date.now() - 1000
  const run = await writeRun(host.journal, { name: 'capped', atMs, workspace: '/shop' })
  const fact = { setting: 1, kinds: ['merge'], judges: 'j', hasAgent: true }
  await host.journal.setFact(run.run, 'level', { value: fact, atMs })
  const scope = { loop: 'written', repository: '/shop', kind: 'merge' }
  const granted = {
    ...scope,
    key: 'k',
    cause: 'granted',
    level: 3,
    by: 'ann',
    reason: 'x',
  } as const
  await host.journal.trust.record({ ...granted, atMs })
  const digest = (await get('/digest')).body as unknown as Digest
  expect(digest.capped).toEqual([{ ...scope, granted: 3, ceiling: 1 }])
  expect(renderDigest(digest)).toContain(
    'written, merge: runs at L1-report, because its loop file allows no more; it has L3-unattended',
  )
})
