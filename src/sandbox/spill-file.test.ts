import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSpillFile } from './spill-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-spill-'))
  file = join(folder, 'all.txt')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function createProducers() {
  const calls: string[] = []
  return { calls, pause: () => void calls.push('pause'), resume: () => void calls.push('resume') }
}

const chunk = Buffer.alloc(64 * 1024, 'x')

test('a disk that fails midway leaves no file, and the producers are resumed', async () => {
  let writes = 0
  const create = (): Writable => {
    const stream = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        done(++writes > 2 ? new Error('ENOSPC') : null)
      },
    })
    queueMicrotask(() => stream.emit('open'))
    return stream
  }
  await writeFile(file, 'partly')
  const producers = createProducers()
  const spill = createSpillFile({ file, bytesMax: 1e9 }, 10, producers, { create })
  for (let total = 1; total <= 10; total++) {
    spill.push(chunk, total * chunk.length)
    await new Promise((resolve) => setImmediate(resolve))
  }
  spill.release()
  expect(await spill.close()).toBeUndefined()
  expect(producers.calls).toContain('pause')
  expect(producers.calls.at(-1)).toBe('resume')
  while (existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5))
})

test('a disk that hangs is given up, and the producers are resumed at the end', async () => {
  const create = (): Writable => new Writable({ highWaterMark: 1, write() {} })
  const producers = createProducers()
  const spill = createSpillFile({ file, bytesMax: 1e9 }, 10, producers, { create, closeMsMax: 20 })
  spill.push(chunk, chunk.length)
  expect(producers.calls).toEqual(['pause'])
  spill.release()
  spill.push(chunk, 2 * chunk.length)
  expect(producers.calls).toEqual(['pause', 'resume'])
  expect(await spill.close()).toBeUndefined()
})

test('many small chunks before the file is created keep their order', async () => {
  const written: Buffer[] = []
  const create = (): Writable =>
    new Writable({
      write(part: Buffer, _encoding, done) {
        written.push(part)
        done()
      },
    })
  const spill = createSpillFile({ file, bytesMax: 1e9 }, 5000, createProducers(), { create })
  const text = Array.from({ length: 6000 }, (_, index) => String(index % 10)).join('')
  for (let index = 0; index < text.length; index++) {
    spill.push(Buffer.from(text.slice(index, index + 1)), index + 1)
  }
  expect(await spill.close()).toEqual({ file, bytes: 6000 })
  expect(Buffer.concat(written).toString()).toBe(text)
})
