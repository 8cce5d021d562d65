/**
 * Allows one daemon per state folder. A second one fails with the pid of the first. This file imports little, so that
 * the error is fast.
 */

import { existsSync, readFileSync } from 'node:fs'
import { type HeldFile, holderOf, lockFile } from '../journal/hold-file.ts'
import { LoopError } from '../loop/index.ts'
import {
  createDaemonFolder,
  type DaemonFiles,
  getDaemonFiles,
  readDaemonFile,
  toStateFolderError,
} from '../system/daemon-files.ts'

export interface DaemonLock {
  readonly place: DaemonFiles
  release(): void
}

/** Throws `daemon-running` if another daemon holds the lock. */
export function lockDaemon(state: string): DaemonLock {
  const place = createDaemonFolder(state)
  const held = hold(place)
  if (held === undefined) throw new LoopError('daemon-running', describeHolder(state, place))
  return { place, release: () => held.release() }
}

/** The pid of the daemon that holds the lock, whether or not it responds. */
export function daemonHolder(state: string): number | undefined {
  const place = getDaemonFiles(state)
  if (!existsSync(place.lock)) return undefined
  if (existsSync('/proc/locks')) return holderOf(place.lock)
  // On other systems the holder has written its pid to a file.
  const held = hold(place)
  held?.release()
  return held === undefined ? readPid(place.pid) : undefined
}

function hold(place: DaemonFiles): HeldFile | undefined {
  try {
    return lockFile(place.lock)
  } catch (cause) {
    throw toStateFolderError(place.lock, cause)
  }
}

/** Asks the kernel for the holder, since the files may be from an earlier daemon. */
function describeHolder(state: string, place: DaemonFiles): string {
  const file = readDaemonFile(state)
  const pid = holderOf(place.lock) ?? readPid(place.pid) ?? file?.pid
  const address = file !== undefined && file.pid === pid ? ` at ${file.address}` : ''
  const who = pid === undefined ? 'Another daemon' : `A daemon with pid ${pid}`
  return (
    `${who} uses ${state}${address}. Use that one, ` +
    'stop it with loopctl daemon stop (with --force if it hangs), or pass another state folder with --state.'
  )
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim())
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
