import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changedSince, listUpper, writtenIn } from './written-in.ts'

function newUpper(): string {
  const upper = mkdtempSync(join(tmpdir(), 'loopwright-upper-'))
  onTestFinished(() => rmSync(upper, { recursive: true, force: true }))
  return upper
}

test('files, links and empty folders are listed; folders with something in them are not', async () => {
  const upper = newUpper()
  expect(await writtenIn(upper)).toEqual([])
  mkdirSync(join(upper, 'src/deep'), { recursive: true })
  mkdirSync(join(upper, 'closed'))
  writeFileSync(join(upper, 'src/a.js'), '')
  writeFileSync(join(upper, 'closed/b.js'), '')
  writeFileSync(Buffer.concat([Buffer.from(`${upper}/`), Buffer.of(0xff)]), '')
  symlinkSync('/', join(upper, 'link'))
  chmodSync(join(upper, 'closed'), 0)
  expect(await writtenIn(upper)).toEqual(['\\xff', 'closed/b.js', 'link', 'src/a.js', 'src/deep'])
})

test('of two listings, what is new, changed or gone is listed', async () => {
  const upper = newUpper()
  for (const name of ['same', 'changed', 'gone']) writeFileSync(join(upper, name), name)
  const before = await listUpper(upper)
  expect(changedSince(await listUpper(upper), before)).toEqual([])
  writeFileSync(join(upper, 'changed'), 'other')
  writeFileSync(join(upper, 'new'), '')
  rmSync(join(upper, 'gone'))
  expect(changedSince(await listUpper(upper), before)).toEqual(['changed', 'gone', 'new'])
})

test('what was created and removed at the top changes the top', async () => {
  const upper = newUpper()
  const before = await listUpper(upper)
  writeFileSync(join(upper, 'file'), '')
  rmSync(join(upper, 'file'))
  expect(changedSince(await listUpper(upper), before)).toEqual(['.'])
})
