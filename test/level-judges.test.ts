// Evidence for a level counts only for what judges the work now: what verified a round is kept with it, and is compared.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../src/engine/index.ts'
import type { CalibrationReport } from '../src/evidence/index.ts'
import { createBlobStore } from '../src/journal/index.ts'
import { storeJudges } from '../src/launch/calibrate/judges.ts'
import { decideLevel } from '../src/launch/levels/decide-level.ts'
import { recordLevelFact } from '../src/launch/levels/level-fact.ts'
import { updateLevels } from '../src/launch/levels/update-levels.ts'
import type { LevelSetting, RunEvent, StepId, TreeId } from '../src/loop/index.ts'
import { createMemoryStore } from '../src/testing/index.ts'
import { type WrittenRun, writeRun } from '../src/testing/write-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-judges-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const judged = {
  type: 'step-finished',
  iteration: 1,
  step: 'gate:merge#1' as StepId,
  attempt: 1,
  kind: 'gate',
  role: 'merge',
  result: {
    value: {
      type: 'deny',
      rule: 'level',
      facts: { level: 1, verified: true, filesChanged: 1, tokens: 1, costMicros: 1 },
    },
  },
} as const satisfies RunEvent

function open(setting: LevelSetting) {
  const journal = createMemoryStore()
  const base = {
    folder,
    journal,
    blobs: createBlobStore({ root: join(folder, 'blobs') }),
    clock: systemClock,
  }
  let atMs = 1000
  /** A process takes the run with these judges. */
  const drive = async (run: WrittenRun, judges: string | undefined) => {
    const kinds = ['merge']
    if (judges !== undefined) {
      await recordLevelFact(journal, run.run, { setting, kinds, judges, hasAgent: false }, atMs)
    }
    await run.write({ type: 'run-started', owner: 'me', fence: 1 })
  }
  const create = () => writeRun(journal, { atMs: (atMs += 1) })
  const finish = (run: WrittenRun) =>
    run.write(judged, { type: 'run-ended', outcome: { type: 'completed', condition: 'goal' } })
  const rounds = async (count: number, judges: string | undefined): Promise<void> => {
    for (let done = 0; done < count; done += 1) {
      const run = await create()
      await drive(run, judges)
      await run.write({ type: 'iteration-started', iteration: 1 })
      await finish(run)
    }
  }
  const measure = (judges: string) => storeJudges(folder, { judges, agent: undefined }, report)
  const standing = async () => {
    const { items } = await updateLevels(base)
    const [only] = items
    if (only === undefined || items.length > 1) throw new Error(`${items.length} levels`)
    return only
  }
  const accept = () => decideLevel(base, { loop: 'written', accept: true }, 'ada')
  return { drive, create, finish, rounds, measure, standing, accept }
}

const none = { count: 0, value: 0, low: 0, high: 0.16, n: 20 }
const report: CalibrationReport = {
  loop: 'written',
  tree: 'tree' as TreeId,
  seed: 1,
  atMs: 1,
  durationMs: 1,
  checks: [],
  together: { falseAccepts: none, falseRejects: none },
  survivors: [],
  turnedAway: [],
  planted: 20,
  revertedFixes: 0,
  good: 8,
  costMicros: 0,
}

test('rounds under trivial checks do not count once measured checks judge the work', async () => {
  const loop = open('earned')
  await loop.rounds(10, 'trivial')
  expect(await loop.standing()).toMatchObject({ level: 1, evidence: { trials: 10 } })
  await loop.measure('thorough')
  await loop.rounds(9, 'thorough')
  const found = await loop.standing()
  expect(found).toMatchObject({ level: 1, evidence: { trials: 9, successes: 9 } })
  expect(found.missing[0]).toBe(
    '9 of 10 finished rounds (rounds that something else judged do not count)',
  )
  await loop.rounds(1, 'thorough')
  expect(await loop.standing()).toMatchObject({ level: 2, evidence: { trials: 10 } })
})

test('rounds of which it is not known what judged them do not count', async () => {
  const loop = open('earned')
  await loop.measure('thorough')
  await loop.rounds(10, undefined)
  await loop.rounds(1, 'thorough')
  expect(await loop.standing()).toMatchObject({ level: 1, evidence: { trials: 1 } })
})

test('a round that was resumed with other checks, or was begun without a record of them, does not count', async () => {
  const loop = open('earned')
  for (const begun of ['trivial', undefined]) {
    const run = await loop.create()
    await loop.drive(run, begun)
    await run.write({ type: 'iteration-started', iteration: 1 })
    // Twice: the second one must not forget what the first one found.
    for (const _ of [1, 2]) await loop.drive(run, 'thorough')
    await loop.finish(run)
  }
  await loop.rounds(1, 'thorough')
  expect(await loop.standing()).toMatchObject({ evidence: { trials: 1 } })
})

test('a round that was resumed with the same checks counts once', async () => {
  const loop = open('earned')
  const run = await loop.create()
  await loop.drive(run, 'thorough')
  await run.write({ type: 'iteration-started', iteration: 1 })
  await loop.drive(run, 'thorough')
  await loop.finish(run)
  expect(await loop.standing()).toMatchObject({ evidence: { trials: 1 } })
})

test('a proposal is void while something else judges the work than what it was concluded from', async () => {
  const loop = open('earned')
  await loop.measure('thorough')
  await loop.rounds(30, 'thorough')
  expect(await loop.standing()).toMatchObject({ level: 2 })
  expect(await loop.standing()).toMatchObject({ level: 2, proposed: 3 })
  await loop.measure('trivial')
  await loop.rounds(1, 'trivial')
  expect(await loop.standing()).not.toHaveProperty('proposed')
  await expect(loop.accept()).rejects.toThrow('No level is proposed')
  await loop.rounds(1, 'thorough')
  expect(await loop.standing()).toMatchObject({ level: 2, proposed: 3, evidence: { trials: 31 } })
  expect(await loop.accept()).toMatchObject({ level: 3 })
})
