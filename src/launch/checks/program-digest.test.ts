import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { programDigest } from './program-digest.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-programs-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the digest of a program', () => {
  test('is the same for all who ask while it is read, and another one once the file changed', async () => {
    const program = join(folder, 'tool')
    // More than one chunk.
    const content = Buffer.alloc(3 * 1024 * 1024, 'a')
    writeFileSync(program, content)
    chmodSync(program, 0o755)
    const ask = (): Promise<string> => programDigest(['./tool', '-v'], folder)
    const [first, second] = await Promise.all([ask(), ask()])
    expect(second).toBe(first)
    content[content.length - 1] = 98
    writeFileSync(program, Buffer.concat([content, Buffer.from('b')]))
    expect(await ask()).not.toBe(first)
  })

  test('covers the first program of a shell script', async () => {
    writeFileSync(join(folder, 'tool'), 'one')
    const ask = (): Promise<string> => programDigest(['/bin/sh', '-c', 'A=1 ./tool -v'], folder)
    const first = await ask()
    writeFileSync(join(folder, 'tool'), 'another')
    expect(await ask()).not.toBe(first)
  })

  test('a missing program has one, too, until it is there', async () => {
    const ask = (): Promise<string> => programDigest(['./tool'], folder)
    const missing = await ask()
    writeFileSync(join(folder, 'tool'), 'one')
    expect(await ask()).not.toBe(missing)
  })
})
