import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
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
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { createDaemonFolder } from '../system/daemon-files.ts'
import { makeToken, readToken, rotateToken } from './token-file.ts'

function newState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-token-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('is created once, random, and private to its owner', () => {
  const { token, readToken: other } = createDaemonFolder(newState())
  const umask = process.umask(0)
  const made = makeToken(token)
  process.umask(umask)
  expect(made).toMatch(/^[\w-]{43}$/)
  expect(makeToken(token)).toBe(made)
  expect(makeToken(other)).not.toBe(made)
  expect(lstatSync(token).mode & 0o777).toBe(0o600)
})

test('is replaced atomically, and leaves no temporary file', () => {
  const state = newState()
  const { folder, token } = createDaemonFolder(state)
  const old = makeToken(token)
  const next = rotateToken(state)
  expect(next).not.toBe(old)
  expect(readFileSync(token, 'utf8')).toBe(`${next}\n`)
  expect(lstatSync(token).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['token'])
})

test('can replace a file that is refused', () => {
  const state = newState()
  const { token } = createDaemonFolder(state)
  const elsewhere = join(state, 'elsewhere')
  symlinkSync(elsewhere, token)
  expect(rotateToken(state)).toBe(readToken(token))
  expect(existsSync(elsewhere)).toBe(false)
})

const word = 'x'.repeat(43)

test.each<[string, (path: string) => unknown, string]>([
  ['that others can read', (path) => writeWith(path, word, 0o644), 'mode 644'],
  ['that the group can read', (path) => writeWith(path, word, 0o640), 'mode 640'],
  ['that is a link', (path) => symlinkSync('/etc/hostname', path), 'is a link'],
  ['that is a dangling symlink', (path) => symlinkSync('/no/such/file', path), 'is a link'],
  ['with a short token', (path) => writeWith(path, 'secret', 0o600), 'no token of at least 32'],
  [
    'with two lines',
    (path) => writeWith(path, `${word}\n${word}`, 0o600),
    'no token of at least 32',
  ],
  ['that is empty', (path) => writeWith(path, '', 0o600), 'no token of at least 32'],
  ['that is a folder', (path) => mkdirSync(path, { mode: 0o700 }), 'is not a file'],
])('a file %s is refused, with advice', (_what, make, words) => {
  const { token } = createDaemonFolder(newState())
  make(token)
  expect(() => makeToken(token)).toThrow(words)
  expect(() => makeToken(token)).toThrow('token --rotate')
})

test('a file with a second hard link is refused, because the other name is not protected', () => {
  const state = newState()
  const { token } = createDaemonFolder(state)
  makeToken(token)
  linkSync(token, join(state, 'other-name'))
  expect(() => readToken(token)).toThrow('another hard link')
})

function writeWith(path: string, text: string, mode: number): void {
  writeFileSync(path, text)
  chmodSync(path, mode)
}
