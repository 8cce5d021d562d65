import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { diffListings, listUpper, listWritten } from './upper-listing.ts'

function newUpper(): string {
  const upper = mkdtempSync(join(tmpdir(), 'loopwright-upper-'))
  onTestFinished(() => rmSync(upper, { recursive: true, force: true }))
  return upper
}

test('lists files, symlinks and empty folders, but no other folders', async () => {
  const upper = newUpper()
  expect(await listWritten(upper)).toEqual([])
  mkdirSync(join(upper, 'src/deep'), { recursive: true })
  mkdirSync(join(upper, 'closed'))
  writeFileSync(join(upper, 'src/a.js'), '')
  writeFileSync(join(upper, 'closed/b.js'), '')
  writeFileSync(Buffer.concat([Buffer.from(`${upper}/`), Buffer.of(0xff)]), '')
  symlinkSync('/', join(upper, 'link'))
  chmodSync(join(upper, 'closed'), 0)
  expect(await listWritten(upper)).toEqual(['\\xff', 'closed/b.js', 'link', 'src/a.js', 'src/deep'])
})

test('the difference of two listings contains new, changed and removed files', async () => {
  const upper = newUpper()
  for (const name of ['same', 'changed', 'gone']) writeFileSync(join(upper, name), name)
  const before = await listUpper(upper)
  expect(diffListings(await listUpper(upper), before)).toEqual([])
  writeFileSync(join(upper, 'changed'), 'other')
  writeFileSync(join(upper, 'new'), '')
  rmSync(join(upper, 'gone'))
  expect(diffListings(await listUpper(upper), before)).toEqual(['changed', 'gone', 'new'])
})

test('a file that was created and removed in the top folder changes the top folder', async () => {
  const upper = newUpper()
  const before = await listUpper(upper)
  writeFileSync(join(upper, 'file'), '')
  rmSync(join(upper, 'file'))
  expect(diffListings(await listUpper(upper), before)).toEqual(['.'])
})
