/** Where a daemon keeps what is its own, in the folder of the record; and what others find there. */

import { chmodSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { makeFolder } from './index.ts'

export interface DaemonPlace {
  readonly folder: string
  readonly lock: string
  /** Where it is reached: written when it listens, removed when it ends in good order. */
  readonly file: string
  readonly pid: string
  readonly token: string
  readonly readToken: string
  readonly log: string
  readonly socket: string
}

export function daemonPlace(state: string): DaemonPlace {
  const folder = join(state, 'daemon')
  return {
    folder,
    lock: join(folder, 'lock.db'),
    file: join(folder, 'daemon.json'),
    pid: join(folder, 'loopd.pid'),
    token: join(folder, 'token'),
    readToken: join(folder, 'read-token'),
    log: join(folder, 'loopd.log'),
    socket: join(folder, 'loopd.sock'),
  }
}

/** What `daemon.json` says. */
export interface DaemonFile {
  readonly pid: number
  /** Such as `http://127.0.0.1:7700`. */
  readonly address: string
  readonly socket: string
  readonly startedAtMs: number
  readonly version: string
}

/** Undefined where there is none, or none that can be understood. */
export function readDaemonFile(state: string): DaemonFile | undefined {
  try {
    const found = JSON.parse(readFileSync(daemonPlace(state).file, 'utf8')) as Partial<DaemonFile>
    const { pid, address, socket, startedAtMs, version } = found
    if (typeof pid !== 'number' || typeof startedAtMs !== 'number') return undefined
    if (typeof address !== 'string' || typeof socket !== 'string') return undefined
    return { pid, address, socket, startedAtMs, version: String(version) }
  } catch {
    return undefined
  }
}

/** Makes the folder, for its owner alone. */
export function makeDaemonFolder(state: string): DaemonPlace {
  const place = daemonPlace(state)
  try {
    makeFolder(place.folder)
    const found = lstatSync(place.folder)
    if (!found.isDirectory()) throw new Error('it is no folder, or a link to one')
    if (found.uid !== process.getuid?.()) throw new Error('it belongs to another user')
    chmodSync(place.folder, 0o700)
    return place
  } catch (cause) {
    throw placeFailure(place.folder, cause)
  }
}

const advices: Readonly<Record<string, string>> = {
  ENOSPC: 'Its disk is full: free some space, then try again.',
  EDQUOT: 'The quota of its disk is used up: free some space, then try again.',
  EROFS: 'Its disk can only be read: mount it for writing, or name another folder with --state.',
  EACCES: 'Allow it (chmod u+rwx), or name another folder with --state.',
}

export function placeFailure(path: string, cause: unknown): LoopError {
  if (cause instanceof LoopError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const advice = advices[code] ?? 'Put that right, or name another folder with --state.'
  return new LoopError('store-failed', `${path} cannot be used: ${reason}. ${advice}`, { cause })
}
