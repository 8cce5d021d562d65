/** The files of the daemon in the state folder, and what other processes read there. */

import { chmodSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { makeFolder } from './index.ts'

export interface DaemonFiles {
  readonly folder: string
  readonly lock: string
  /** Its address: written when it listens, removed when it shuts down cleanly. */
  readonly file: string
  readonly pid: string
  readonly token: string
  readonly readToken: string
  readonly namedTokens: string
  readonly log: string
  readonly socket: string
}

export function getDaemonFiles(state: string): DaemonFiles {
  const folder = join(state, 'daemon')
  return {
    folder,
    lock: join(folder, 'lock.db'),
    file: join(folder, 'daemon.json'),
    pid: join(folder, 'loopd.pid'),
    token: join(folder, 'token'),
    readToken: join(folder, 'read-token'),
    namedTokens: join(folder, 'named-tokens.json'),
    log: join(folder, 'loopd.log'),
    socket: join(folder, 'loopd.sock'),
  }
}

/** The content of `daemon.json`. */
export interface DaemonFile {
  readonly pid: number
  /** Such as `http://127.0.0.1:7700`. */
  readonly address: string
  readonly socket: string
  readonly startedAtMs: number
  readonly version: string
}

/** Undefined if the file is missing or invalid. */
export function readDaemonFile(state: string): DaemonFile | undefined {
  try {
    const found = JSON.parse(
      readFileSync(getDaemonFiles(state).file, 'utf8'),
    ) as Partial<DaemonFile>
    const { pid, address, socket, startedAtMs, version } = found
    if (typeof pid !== 'number' || typeof startedAtMs !== 'number') return undefined
    if (typeof address !== 'string' || typeof socket !== 'string') return undefined
    return { pid, address, socket, startedAtMs, version: String(version) }
  } catch {
    return undefined
  }
}

/** Creates the folder, accessible to its owner only. */
export function createDaemonFolder(state: string): DaemonFiles {
  const place = getDaemonFiles(state)
  try {
    makeFolder(place.folder)
    const found = lstatSync(place.folder)
    if (!found.isDirectory()) throw new Error('it is not a folder, or is a symlink')
    if (found.uid !== process.getuid?.()) throw new Error('it belongs to another user')
    chmodSync(place.folder, 0o700)
    return place
  } catch (cause) {
    throw toStateFolderError(place.folder, cause)
  }
}

const advices: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then try again.',
  EDQUOT: 'The disk quota is exceeded: free some space, then try again.',
  EROFS: 'The disk is mounted read-only: remount it, or use another folder with --state.',
  EACCES: 'Make it writable (chmod u+rwx), or use another folder with --state.',
}

export function toStateFolderError(path: string, cause: unknown): LoopError {
  if (cause instanceof LoopError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const advice = advices[code] ?? 'Fix that, or use another folder with --state.'
  return new LoopError('store-failed', `${path} cannot be used: ${reason}. ${advice}`, { cause })
}
