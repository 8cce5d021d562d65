import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { openRotatingFile } from './rotating-file.ts'

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-log-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'loopd.log')
}

const line = (number: number): string => `${String(number).padStart(9, '0')}\n`

test('keeps the newest lines in a limited number of files of limited size', () => {
  const path = newPath()
  const file = openRotatingFile(path, { bytesMax: 100, filesMax: 3 })
  for (let number = 0; number < 55; number++) file.write(line(number))
  file.close()
  const names = readdirSync(join(path, '..')).toSorted()
  expect(names).toEqual(['loopd.log', 'loopd.log.1', 'loopd.log.2'])
  const kept = [`${path}.2`, `${path}.1`, path].map((one) => readFileSync(one, 'utf8')).join('')
  expect(kept).toBe(Array.from({ length: 25 }, (_, at) => line(30 + at)).join(''))
  for (const name of names) expect(statSync(join(path, '..', name)).mode & 0o777).toBe(0o600)
})

test('appends to an existing file, and makes it private', () => {
  const path = newPath()
  writeFileSync(path, 'before\n', { mode: 0o666 })
  const file = openRotatingFile(path, { bytesMax: 100, filesMax: 3 })
  file.write('after\n')
  file.close()
  expect(readFileSync(path, 'utf8')).toBe('before\nafter\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a link is not followed', () => {
  const path = newPath()
  const elsewhere = join(path, '..', 'elsewhere')
  writeFileSync(elsewhere, 'mine\n')
  symlinkSync(elsewhere, path)
  expect(() => openRotatingFile(path, { bytesMax: 100, filesMax: 3 })).toThrow('cannot be used')
  expect(readFileSync(elsewhere, 'utf8')).toBe('mine\n')
})

test('a failed write does not end the process, and is counted once writing works again', () => {
  const path = newPath()
  const file = openRotatingFile(path, { bytesMax: 20, filesMax: 2 })
  file.write(line(1))
  file.write(line(2))
  // If something else has the name, no new file is created.
  const aside = join(path, '..', 'aside')
  renameSync(path, aside)
  mkdirSync(path)
  mkdirSync(`${path}.1`)
  writeFileSync(join(`${path}.1`, 'x'), '')
  file.write(line(3))
  file.write(line(4))
  rmSync(path, { recursive: true })
  file.write(line(5))
  file.close()
  const kept = readFileSync(path, 'utf8')
  expect(kept).toContain('2 lines were lost')
  expect(kept).toContain(line(5))
})
