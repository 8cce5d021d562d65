/**
 * The daemon of a folder of the record, as it wrote itself down there. It is reached through its
 * socket: whoever sits on its port in its place never gets the token.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'
import { type Connection, connect } from './connect.ts'

/** What a daemon says of itself once it listens, in `daemon/daemon.json`. */
export interface DaemonFile {
  readonly pid: number
  readonly address: string
  readonly socket?: string
  readonly startedAtMs: number
  readonly version: string
}

export const daemonFolder = (folder: string): string => join(folder, 'daemon')

/** Undefined where none is written down, or by somebody else. It may be gone all the same. */
export function readDaemonFile(folder: string): DaemonFile | undefined {
  const text = readOwn(join(daemonFolder(folder), 'daemon.json'))
  if (text === undefined) return undefined
  try {
    const file = JSON.parse(text) as DaemonFile
    return typeof file.address === 'string' && typeof file.pid === 'number' ? file : undefined
  } catch {
    return undefined // half of it was written when its machine went down
  }
}

/** The token that the daemon made at its first start. */
export function readToken(
  folder: string,
  name: 'token' | 'read-token' = 'token',
): string | undefined {
  const path = join(daemonFolder(folder), name)
  requireClosed(path)
  const text = readOwn(path)?.trim()
  return text === '' ? undefined : text
}

/** The daemon takes no token from a file that others can read: who has read it is not known. */
function requireClosed(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return
  const shown = (mode & 0o777).toString(8)
  throw new LoopError(
    'no-token',
    `The token file ${path} can be read by others (mode ${shown}), so that the daemon takes no token ` +
      'from it. Make a new one: loopctl daemon token --rotate',
  )
}

/**
 * A client of the daemon that is written down there, which may not answer. One whose token nobody knows
 * has a client too: it says that there is a daemon, and that it must be given a token.
 */
export function clientOf(folder: string, token?: string): Client | undefined {
  const file = readDaemonFile(folder)
  if (file === undefined) return undefined
  const find = (): string => readToken(folder) ?? ''
  // One that others can read is said at once.
  if (token === undefined) find()
  const given = token ?? find
  const { socket, address } = file
  const connection: Connection =
    socket === undefined ? { address, token: given } : { socket, token: given }
  return connect(connection)
}

const bytesMax = 64 * 1024

/** Who else could write there could have us talk to a daemon of theirs. */
function readOwn(path: string): string | undefined {
  let file: number
  try {
    // A pipe is not waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const message = `${path} cannot be read (${code ?? 'unknown'}).`
    throw new LoopError('not-configured', `${message} Is it yours? Name a daemon with --addr.`, {
      cause: error,
    })
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
