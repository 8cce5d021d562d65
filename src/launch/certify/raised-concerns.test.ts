import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { RunId } from '../../loop/index.ts'
import { fileRaisedConcerns } from './raised-concerns.ts'

const folder = mkdtempSync(join(tmpdir(), 'loopwright-raised-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = 'r1' as RunId
const finding = { text: 'no limit', file: 'src/a.ts', line: 3 }

test('another process finds the concerns by run and consultant', async () => {
  await fileRaisedConcerns(folder).keep(run, '__proto__', [{ text: 'odd name' }])
  await fileRaisedConcerns(folder).keep(run, 'security', [finding])
  const later = fileRaisedConcerns(folder)
  expect(await later.find(run, 'security')).toEqual([finding])
  expect(await later.find(run, '__proto__')).toEqual([{ text: 'odd name' }])
  expect(await later.find('r2' as RunId, 'security')).toEqual([])
  expect(await later.find(run, 'style')).toEqual([])
})

test('a damaged file does not count as "no concerns"', async () => {
  writeFileSync(join(folder, 'consultations', 'r3.json'), '{ "security": [')
  await expect(fileRaisedConcerns(folder).find('r3' as RunId, 'security')).rejects.toMatchObject({
    code: 'store-failed',
  })
})
