/**
 * One daemon for a record. A second is told who the first is, at once: little is loaded to say so.
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

/** Rejects with `daemon-running` where another daemon has it. */
export function lockDaemon(state: string): DaemonLock {
  const place = createDaemonFolder(state)
  const held = hold(place)
  if (held === undefined) throw new LoopError('daemon-running', describeHolder(state, place))
  return { place, release: () => held.release() }
}

/** The process of the daemon that works on it, whether it answers or not. */
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

/** The kernel knows who it is; files may be from one before it. */
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
