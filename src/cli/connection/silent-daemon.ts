/**
 * A daemon that holds the lock of the state folder and does not answer: it is stopped, hangs, is still
 * starting, or its files were removed. The lock identifies its process, whatever the files say.
 */

import type { Client } from '../../client/index.ts'
import { isLoopError, LoopError } from '../../loop/index.ts'

export interface Holder {
  /** The state folder. */
  readonly folder: string
  readonly token?: string | undefined
  /** How long it may take to answer. */
  readonly windowMs?: number | undefined
}

/** For a daemon that is starting, perhaps on a busy machine. */
const beginWindowMs = 30_000
/** For a daemon that answered before. */
const answerWindowMs = 5000

/** The process that holds the lock of the state folder. */
export async function holderOf(folder: string): Promise<number | undefined> {
  const { daemonHolder } = await import('../../host/lock-daemon.ts')
  return daemonHolder(folder)
}

/** The daemon of the state folder; undefined: none is running. Rejects if it does not answer. */
export async function answerOfHolder(holder: Holder): Promise<Client | undefined> {
  const { folder, token } = holder
  const { daemonHolder } = await import('../../host/lock-daemon.ts')
  const pid = daemonHolder(folder)
  if (pid === undefined) return undefined
  const [{ clientOf, readDaemonFile }, { waitForHealth }] = await Promise.all([
    import('../../client/node/find-daemon.ts'),
    import('../../client/wait-for-health.ts'),
  ])
  const hasAnswered = readDaemonFile(folder)?.pid === pid
  const { windowMs = hasAnswered ? answerWindowMs : beginWindowMs } = holder
  try {
    const isLost = (): boolean => daemonHolder(folder) !== pid
    return await waitForHealth(() => clientOf(folder, token), { windowMs, isLost })
  } catch (error) {
    if (!isLoopError(error, 'not-available')) throw error
    // It ended meanwhile; another may have started.
    return daemonHolder(folder) === pid ? refuse(pid, error) : answerOfHolder(holder)
  }
}

/** Printed when a command reads the state folder without the daemon. */
export const describeSilence = (pid: number): string =>
  `The daemon (process ${pid}) does not answer, so this was read from the state folder directly. ` +
  'See: loopctl daemon status'

function refuse(pid: number, cause: unknown): never {
  throw new LoopError(
    'not-available',
    `The daemon (process ${pid}) does not answer. If it was suspended: kill -CONT ${pid}. ` +
      'To stop it: loopctl daemon stop, and if that fails: loopctl daemon stop --force. ' +
      'Nothing is lost: its runs resume when the daemon starts again.',
    { cause },
  )
}

export interface EndOptions {
  readonly folder: string
  readonly force: boolean
  readonly windowMs: number
}

/**
 * Ends the process that holds the lock by a signal, and waits for it. A suspended process is continued, so
 * that it gets the signal. With force it is killed; the next daemon resumes its runs, as after a crash.
 */
export async function endHolder(
  pid: number,
  { folder, windowMs, force }: EndOptions,
): Promise<void> {
  const { daemonHolder } = await import('../../host/lock-daemon.ts')
  const endMs = performance.now() + windowMs
  // Another process may have this pid by now.
  if (daemonHolder(folder) !== pid) return
  for (const name of force ? (['SIGKILL'] as const) : (['SIGTERM', 'SIGCONT'] as const))
    send(pid, name)
  while (daemonHolder(folder) === pid) {
    if (performance.now() > endMs) throw notEnded(pid, windowMs, force)
    await new Promise((done) => void setTimeout(done, lookMs))
  }
}

const lookMs = 50

function send(pid: number, name: 'SIGKILL' | 'SIGTERM' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ESRCH') return
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `The daemon (process ${pid}) cannot be stopped: ${why}.`
    throw new LoopError('not-available', `${message} Stop it as its owner: kill ${pid}`, { cause })
  }
}

export function notEnded(pid: number, windowMs: number, force: boolean): LoopError {
  const message = `The daemon (process ${pid}) has not stopped after ${windowMs / 1000} s.`
  const advice = force
    ? `The system cannot end it: it waits for a device, usually a disk. See: ps -o stat,wchan ${pid}`
    : 'See why: loopctl daemon logs. To kill it, without losing runs: loopctl daemon stop --force'
  return new LoopError('not-available', `${message} ${advice}`)
}
