/**
 * The code of one loop, for one run. Its process is started when it is needed, and again when it is
 * needed after its end: what was in its memory is gone then, which only progress may cross anyway.
 */

import type { ScannedLoop } from '../../definition/code-loop/scan-code-loop.ts'
import { defined, FaultError, LoopError } from '../../loop/index.ts'
import { type Connection, openConnection } from './connection.ts'
import type { Described } from './wire.ts'

export interface SessionOptions {
  /** Of its process; ours unless told. */
  readonly cwd?: string
  /** How long its process may not answer while something waits for it; a minute unless told. */
  readonly unresponsiveMs?: number
  /** Where the variables that the file names are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Told of each line that its code prints; they go to stderr unless told. */
  readonly onLine?: (line: string) => void
  /** Aborting it gives up the loading; afterwards it means nothing. */
  readonly signal?: AbortSignal
}

export interface Session {
  readonly described: Described
  /** Of its process, while there is one. */
  readonly pid: number | undefined
  connection(): Promise<Connection>
  close(): Promise<void>
}

const defaultUnresponsiveMs = 60_000

export async function openSession(scanned: ScannedLoop, options: SessionOptions): Promise<Session> {
  let current: Promise<Loaded> | undefined
  let open: Connection | undefined
  let closed = false

  async function start(): Promise<Loaded> {
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
      connection.setEnv(valuesOf(described.env, options.env ?? process.env))
      return { connection, described }
    } catch (error) {
      current = undefined
      await connection.close()
      throw error
    }
  }

  function loaded(): Promise<Loaded> {
    if (closed) return Promise.reject(isClosed())
    current ??= start()
    return current
  }

  const { signal } = options
  signal?.throwIfAborted()
  const giveUp = (): void => void open?.close().catch(() => undefined)
  signal?.addEventListener('abort', giveUp, { once: true })
  const { described } = await loaded()
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      // Of a file that never worked, this is all there is to say; later it is a fault of that moment.
      throw error instanceof FaultError ? cannotLoad(scanned.file, error) : error
    })
    .finally(() => signal?.removeEventListener('abort', giveUp))
  return {
    described,
    get pid() {
      return open?.pid
    },
    connection: async () => (await loaded()).connection,
    async close() {
      closed = true
      await open?.close()
    },
  }
}

interface Loaded {
  readonly connection: Connection
  readonly described: Described
}

function valuesOf(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = names.map((name) => [name, env[name]] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const cannotLoad = (file: string, cause: FaultError): LoopError =>
  new LoopError(
    'bad-loop-file',
    `${file} cannot be loaded. ${cause.message} Check it with: loopctl validate`,
    { cause },
  )

const isClosed = (): LoopError =>
  new LoopError('wrong-status', "The loop's code was closed. Open it again.")
