import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type CalibrationReport, checkDigest, wilson } from '../../evidence/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { mayBeCalibrated, readCalibration, storeCalibration } from './calibration-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'calibration-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const check = {
  name: 'test',
  kind: 'command',
  command: ['npm', 'test'],
  toolDigest: 'abc',
} as const
const rates = { falseAccepts: wilson(1, 20), falseRejects: wilson(0, 8) }
const report: CalibrationReport = {
  loop: 'fix',
  tree: 'git:1' as TreeId,
  seed: 4,
  atMs: 17,
  durationMs: 1,
  checks: [{ check: 'test', kind: 'command', digest: checkDigest(check), ...rates }],
  together: rates,
  survivors: [],
  turnedAway: [],
  planted: 20,
  revertedFixes: 0,
  good: 8,
  costMicros: 0,
}

test('a calibration is found for the same loop and the same check only', async () => {
  await storeCalibration(folder, report)
  await storeCalibration(folder, { ...report, seed: 5 })
  const found = await readCalibration(folder, 'fix', check)
  expect(found).toMatchObject({ ...rates, atMs: 17, tree: 'git:1', seed: 5 })
  expect(await readCalibration(folder, 'other', check)).toBeUndefined()
  expect(await mayBeCalibrated(folder, 'fix', 'test')).toBe(true)
  expect(await mayBeCalibrated(folder, 'fix', 'lint')).toBe(false)
  const changed = { ...check, toolDigest: 'abd' }
  expect(await readCalibration(folder, 'fix', changed)).toBeUndefined()
  const [name = '', ...more] = readdirSync(join(folder, 'calibration'))
  expect(more).toEqual([])
  expect(statSync(join(folder, 'calibration', name)).mode & 0o777).toBe(0o600)
  writeFileSync(join(folder, 'calibration', name), '{ "version": 1 }')
  expect(await readCalibration(folder, 'fix', check)).toBeUndefined()
})

test('without a measurement there is no calibration', async () => {
  expect(await readCalibration(folder, 'fix', check)).toBeUndefined()
})
