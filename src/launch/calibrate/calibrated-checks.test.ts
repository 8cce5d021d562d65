import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Check, CheckContext } from '../../engine/index.ts'
import { checkDigest, wilson } from '../../evidence/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { calibratedChecks } from './calibrated-checks.ts'
import { storeCalibration } from './calibration-store.ts'

const record = mkdtempSync(join(tmpdir(), 'calibrated-'))
afterEach(() => rmSync(record, { recursive: true, force: true }))

test('a measured check returns its error rates; an unmeasured one is not even described', async () => {
  const described = { kind: 'command', command: ['npm', 'test'], toolDigest: 'a' } as const
  const rates = { falseAccepts: wilson(1, 20), falseRejects: wilson(0, 8) }
  await storeCalibration(record, {
    loop: 'fix',
    tree: 'git:1' as TreeId,
    seed: 1,
    atMs: 1,
    durationMs: 1,
    checks: [{ check: 'test', kind: 'command', digest: checkDigest(described), ...rates }],
    together: rates,
    survivors: [],
    turnedAway: [],
    planted: 20,
    revertedFixes: 0,
    good: 8,
    costMicros: 0,
  })
  const asked: string[] = []
  const answer: Check = Object.assign(
    () => Promise.resolve({ status: 'met', output: '' } as const),
    { fingerprint: 'f' },
  )
  const checks = calibratedChecks(
    { test: answer, lint: answer },
    {
      record,
      loop: 'fix',
      describe(name) {
        asked.push(name)
        return Promise.resolve(described)
      },
    },
  )
  const context = {} as CheckContext
  expect(await checks['test']?.(context)).toEqual({ status: 'met', output: '', calibration: rates })
  expect(await checks['test']?.(context)).toMatchObject({ calibration: rates })
  expect(await checks['lint']?.(context)).toEqual({ status: 'met', output: '' })
  expect(asked).toEqual(['test'])
  expect(checks['test']?.fingerprint).toBe('f')
})
