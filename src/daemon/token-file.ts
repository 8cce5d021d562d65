/**
 * The token files of a daemon, readable only by their owner: one with full access, one read-only.
 *
 * T1. A file that others can read, that another user owns, or that is a link is refused, not repaired,
 *     since it is unknown who has read it.
 * T2. Files are written atomically: a new token replaces the old one in one step.
 */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { LoopError } from '../loop/index.ts'
import { getDaemonFiles, toStateFolderError } from '../system/daemon-files.ts'

export type TokenKind = 'write' | 'read'

export const tokenCharsMin = 32
const tokenBytesMax = 4096

export const tokenPath = (state: string, kind: TokenKind): string =>
  getDaemonFiles(state)[kind === 'write' ? 'token' : 'readToken']

/** Creates it if there is none. */
export function makeToken(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    writeThen(path, (written) => {
      try {
        linkSync(written, path)
      } catch (error) {
        // Another process created it first; that one counts.
        if (lstatSync(path, { throwIfNoEntry: false }) === undefined) throw error
      }
    })
  }
  return readToken(path)
}

/** Replaces the token; a running daemon refuses the old one from then on. */
export function rotateToken(state: string, kind: TokenKind = 'write'): string {
  const path = tokenPath(state, kind)
  writeThen(path, (written) => renameSync(written, path))
  return readToken(path)
}

function writeThen(path: string, put: (written: string) => void): void {
  const written = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const text = `${randomBytes(32).toString('base64url')}\n`
    writeFileSync(written, text, { mode: 0o600, flag: 'wx', flush: true })
    put(written)
  } catch (cause) {
    throw toStateFolderError(path, cause)
  } finally {
    rmSync(written, { force: true })
  }
}

export function readToken(path: string): string {
  const token = readPrivateFile(path, tokenBytesMax).trim()
  if (isToken(token)) return token
  throw refused(path, `contains no token of at least ${tokenCharsMin} characters`, 'Remove it')
}

/** Reads a file that only its owner can read, and refuses any other (T1). */
export function readPrivateFile(path: string, bytesMax: number): string {
  const file = openToken(path)
  try {
    const found = fstatSync(file)
    const { uid, mode, nlink } = found
    if (!found.isFile()) throw refused(path, 'is not a file', 'Remove it')
    if (nlink > 1) throw refused(path, 'has another hard link', 'Remove it')
    if (uid !== process.getuid?.()) throw refused(path, 'belongs to another user', 'Remove it')
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8)
      throw refused(path, `can be read by others (mode ${shown})`, 'Remove it')
    }
    const bytes = Buffer.alloc(bytesMax)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytesMax, 0))
  } finally {
    closeSync(file)
  }
}

/** Characters that are valid in a header. */
export const isToken = (text: string): boolean =>
  text.length >= tokenCharsMin && /^[A-Za-z0-9._~+/-]+=*$/.test(text)

function openToken(path: string): number {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ELOOP') throw refused(path, 'is a link', 'Remove it')
    if (code === 'ENOENT') throw refused(path, 'does not exist', 'Start the daemon again')
    throw toStateFolderError(path, error)
  }
}

function refused(path: string, what: string, todo: string): LoopError {
  const message = `The token file ${path} ${what}, so it cannot be used.`
  return new LoopError(
    'no-token',
    `${message} ${todo}, or create a new one: loopctl daemon token --rotate`,
  )
}
