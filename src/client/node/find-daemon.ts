/**
 * Finds the daemon of a state folder by the file that it writes there. It is reached through its Unix
 * socket, so that a program that took over its port never gets the token.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Client } from '../client.ts'
import { type Connection, connect } from './connect.ts'

/** What a daemon writes to `daemon/daemon.json` once it listens. */
export interface DaemonFile {
  readonly pid: number
  readonly address: string
  readonly socket?: string
  readonly startedAtMs: number
  readonly version: string
}

export const daemonFolder = (folder: string): string => join(folder, 'daemon')

/** Undefined if there is no file, or if another user owns it. The daemon may have ended since. */
export function readDaemonFile(folder: string): DaemonFile | undefined {
  const text = readOwn(join(daemonFolder(folder), 'daemon.json'))
  if (text === undefined) return undefined
  try {
    const file = JSON.parse(text) as DaemonFile
    return typeof file.address === 'string' && typeof file.pid === 'number' ? file : undefined
  } catch {
    return undefined // partially written when the machine crashed
  }
}

/** The token that the daemon created at its first start. */
export function readToken(
  folder: string,
  name: 'token' | 'read-token' = 'token',
): string | undefined {
  const path = join(daemonFolder(folder), name)
  requirePrivate(path)
  const text = readOwn(path)?.trim()
  return text === '' ? undefined : text
}

/** The daemon does not accept a token from a file that others can read: it may be known to them. */
function requirePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return
  const shown = (mode & 0o777).toString(8)
  throw new LoopError(
    'no-token',
    `Other users can read the token file ${path} (mode ${shown}), so the daemon does not accept the token ` +
      'in it. Create a new one: loopctl daemon token --rotate',
  )
}

/**
 * A client of the daemon in that file, which may not answer. Without a known token there is a client,
 * too: its requests report that there is a daemon and that it needs a token.
 */
export function clientOf(folder: string, token?: string): Client | undefined {
  const file = readDaemonFile(folder)
  if (file === undefined) return undefined
  const readCurrent = (): string => readToken(folder) ?? ''
  // Fails early if others can read the token file.
  if (token === undefined) readCurrent()
  const given = token ?? readCurrent
  const { socket, address } = file
  const connection: Connection =
    socket === undefined ? { address, token: given } : { socket, token: given }
  return connect(connection)
}

const bytesMax = 64 * 1024

/** Refuses files of other users, who could make us connect to their daemon. */
function readOwn(path: string): string | undefined {
  let file: number
  try {
    // Does not block on a named pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const message = `Cannot read ${path} (${code ?? 'unknown'}).`
    throw new LoopError(
      'not-configured',
      `${message} If it is not yours, name a daemon with --addr.`,
      {
        cause: error,
      },
    )
  }
  try {
    const found = fstatSync(file)
    const own = process.getuid?.()
    const isOwn = own === undefined || found.uid === own || found.uid === 0
    return isOwn && found.isFile() && found.size <= bytesMax
      ? readFileSync(file, 'utf8')
      : undefined
  } finally {
    closeSync(file)
  }
}
