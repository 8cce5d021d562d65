import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOutputFolder } from './output-folder.ts'

let base: string
let folder: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'loopwright-output-'))
  folder = join(base, 'a/b')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('names continue where an earlier process stopped', async () => {
  mkdirSync(folder, { recursive: true })
  for (const name of ['2.txt', '7.txt', '07.txt', 'x.txt', '9.txt.tmp']) {
    writeFileSync(join(folder, name), 'old')
  }
  const output = createOutputFolder(folder)
  expect(await output.keep('new')).toEqual({ file: '@output/8.txt', bytes: 3 })
  expect(readFileSync(join(folder, '8.txt'), 'utf8')).toBe('new')
})

test('concurrent calls get different names', async () => {
  const output = createOutputFolder(folder)
  const kept = await Promise.all(['a', 'b', 'c'].map((text) => output.keep(text)))
  expect(new Set(kept.map((one) => one?.file))).toEqual(
    new Set(['@output/1.txt', '@output/2.txt', '@output/3.txt']),
  )
})

test('a text is stored as far as it fits, and not at all if the folder is full', async () => {
  const output = createOutputFolder(folder, { fileBytesMax: 5, totalBytesMax: 8 })
  expect(await output.keep('0123456789')).toEqual({ file: '@output/1.txt', bytes: 5 })
  expect(await output.keep('0123456789')).toEqual({ file: '@output/2.txt', bytes: 3 })
  expect(await output.keep('0')).toBeUndefined()
  const later = createOutputFolder(folder, { totalBytesMax: 8 })
  expect(await later.keep('0')).toBeUndefined()
})

test('the number of files is limited', async () => {
  const output = createOutputFolder(folder, { filesMax: 2 })
  await output.keep('a')
  await output.keep('b')
  expect(await output.keep('c')).toBeUndefined()
  expect(readdirSync(folder)).toEqual(['1.txt', '2.txt'])
})

test('only its own files are opened, and no link', async () => {
  const output = createOutputFolder(folder)
  await output.keep('text')
  symlinkSync('1.txt', join(folder, '2.txt'))
  const handle = await output.open('@output/1.txt')
  expect(await handle?.readFile('utf8')).toBe('text')
  await handle?.close()
  for (const name of ['@output/2.txt', '@output/3.txt', '1.txt', '@output/../b/1.txt', '']) {
    expect(await output.open(name)).toBeUndefined()
  }
})

test('a folder that cannot be created is tried again later', async () => {
  writeFileSync(join(base, 'a'), 'in the way')
  const output = createOutputFolder(folder)
  expect(await output.keep('x')).toBeUndefined()
  rmSync(join(base, 'a'))
  expect(await output.keep('x')).toEqual({ file: '@output/1.txt', bytes: 1 })
})
