/**
 * The code of one loop, for one run. Its process starts when it is needed, and again if it ended before. Then
 * its memory is lost, which is fine because only progress crosses iterations.
 */

import type { ScannedLoop } from '../../definition/code-loop/scan-code-loop.ts'
import { defined, FaultError, LoopError } from '../../loop/index.ts'
import { type Connection, openConnection } from './connection.ts'
import type { LoopDescription } from './wire.ts'

export interface SessionOptions {
  /** Of its process; default: ours. */
  readonly cwd?: string
  /** How long its process may not respond while a call is pending; default: one minute. */
  readonly unresponsiveMs?: number
  /** The values of the variables that the file names; default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Receives each line that its code prints; default: stderr. */
  readonly onLine?: (line: string) => void
  /** Aborts loading; has no effect afterwards. */
  readonly signal?: AbortSignal
}

export interface Session {
  readonly described: LoopDescription
  /** The pid of its process, if there is one. */
  readonly pid: number | undefined
  connection(): Promise<Connection>
  close(): Promise<void>
}

const defaultUnresponsiveMs = 60_000

/** A session of a file that was described before. Starts its process when it is first used. */
export function createSession(
  scanned: ScannedLoop,
  described: LoopDescription,
  options: SessionOptions,
): Session {
  const { load, pid, close } = manageProcess(scanned, options)
  return {
    described,
    get pid() {
      return pid()
    },
    connection: async () => (await load()).connection,
    close,
  }
}

/** Starts the process of a file, which describes it. Rejects with `bad-loop-file` if it cannot be loaded. */
export async function openSession(scanned: ScannedLoop, options: SessionOptions): Promise<Session> {
  const { load, pid, close } = manageProcess(scanned, options)
  const { signal } = options
  signal?.throwIfAborted()
  const giveUp = (): void => void close().catch(() => undefined)
  signal?.addEventListener('abort', giveUp, { once: true })
  const { described } = await load()
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      // The first load failed, so the file is bad; a later failure is a fault of that moment.
      throw error instanceof FaultError ? createLoadError(scanned.file, error) : error
    })
    .finally(() => signal?.removeEventListener('abort', giveUp))
  return {
    described,
    get pid() {
      return pid()
    },
    connection: async () => (await load()).connection,
    close,
  }
}

interface ManagedProcess {
  /** Starts the process, unless it runs. */
  load(): Promise<LoadedConnection>
  pid(): number | undefined
  close(): Promise<void>
}

function manageProcess(scanned: ScannedLoop, options: SessionOptions): ManagedProcess {
  let current: Promise<LoadedConnection> | undefined
  let open: Connection | undefined
  let closed = false

  async function start(): Promise<LoadedConnection> {
    const connection = openConnection({
      unresponsiveMs: options.unresponsiveMs ?? defaultUnresponsiveMs,
      show: options.onLine ?? ((line) => void process.stderr.write(`${line}\n`)),
      onEnd: () => {
        if (open !== connection) return
        open = undefined
        current = undefined
      },
      ...defined({ cwd: options.cwd, env: options.env }),
    })
    open = connection
    try {
      const described = await connection.load(scanned)
      connection.setEnv(selectVariables(described.env, options.env ?? process.env))
      return { connection, described }
    } catch (error) {
      current = undefined
      await connection.close()
      throw error
    }
  }

  function load(): Promise<LoadedConnection> {
    if (closed) return Promise.reject(createClosedError())
    current ??= start()
    return current
  }

  return {
    load,
    pid: () => open?.pid,
    async close() {
      closed = true
      await open?.close()
    },
  }
}

interface LoadedConnection {
  readonly connection: Connection
  readonly described: LoopDescription
}

function selectVariables(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = names.map((name) => [name, env[name]] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const createLoadError = (file: string, cause: FaultError): LoopError =>
  new LoopError(
    'bad-loop-file',
    `Cannot load ${file}. ${cause.message} Check it with: loopctl validate`,
    { cause },
  )

const createClosedError = (): LoopError =>
  new LoopError('wrong-status', 'The code loop is closed. Open it again.')
