import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSights } from './look-at-files.ts'

let folder: string
let path: string

/** Without what was seen before. */
const look = (): Promise<string | undefined> => createSights().look('a', { type: 'file', path })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-sights-'))
  path = join(folder, 'watched')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a watched file', () => {
  test('is seen by its content', async () => {
    writeFileSync(path, 'a')
    const first = await look()
    writeFileSync(path, 'b')
    const second = await look()
    writeFileSync(path, 'a')
    expect(await look()).toBe(first)
    expect(second).not.toBe(first)
  })

  test('that is too large to read is seen by its size and time', async () => {
    writeFileSync(path, 'a')
    truncateSync(path, 64 * 1024 ** 3)
    const first = await look()
    expect(await look()).toBe(first)
    truncateSync(path, 65 * 1024 ** 3)
    expect(await look()).not.toBe(first)
  })

  test('that is a pipe or a device is as if it were absent', async () => {
    const absent = await look()
    execFileSync('mkfifo', [path])
    expect(await look()).toBe(absent)
    rmSync(path)
    symlinkSync('/dev/zero', path)
    expect(await look()).toBe(absent)
  })
})
