import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLoopFile } from '../definition/loop-file/index.ts'
import { createReadLoops, type Reader, type ReadLoops } from './read-loops.ts'

let folder: string
let file: string
let count: number
const reader: Reader = {
  name: 'run',
  read(path) {
    count++
    return readLoopFile(path)
  },
}

const text = (prompt: string): string =>
  `prompt: ${prompt}\nagent: { script: [[{ say: ok }]] }\nchecks: { a: "true" }\n`

/** As if the files had been written a minute ago. */
const later = (): ReadLoops => createReadLoops(() => Date.now() + 60_000)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-reads-'))
  file = join(folder, 'loop.yaml')
  count = 0
  await writeFile(file, text('{ file: prompt.md }'))
  await writeFile(join(folder, 'prompt.md'), 'Go.')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('an unchanged loop file is read once', async () => {
  const reads = later()
  const first = await reads.read(file, reader)
  expect(await reads.read(file, reader)).toBe(first)
  expect(count).toBe(1)
})

test('a loop file is read again after it, or a file that it names, changed or was removed', async () => {
  const reads = later()
  const first = await reads.read(file, reader)
  await writeFile(join(folder, 'prompt.md'), 'Do it.')
  const second = await reads.read(file, reader)
  expect(second.digest).not.toBe(first.digest)
  await writeFile(file, text('Do.'))
  expect((await reads.read(file, reader)).digest).not.toBe(second.digest)
  await rm(file)
  await expect(reads.read(file, reader)).rejects.toMatchObject({ code: 'unknown-file' })
})

test('a loop file that was just written is read again, unless that content was reviewed', async () => {
  const reads = createReadLoops()
  const { digest } = await reads.read(file, reader)
  await reads.read(file, reader, 'another')
  expect(count).toBe(2)
  await reads.read(file, reader, digest)
  expect(count).toBe(2)
})

test('another reader reads it again', async () => {
  const reads = later()
  await reads.read(file, reader)
  await reads.read(file, { ...reader, name: 'resume' })
  expect(count).toBe(2)
})
