/**
 * A daemon that has the record and does not answer: it stands still, hangs, begins, or its files were
 * removed. Who has the record is known by its lock, whatever the files say.
 */

import type { Client } from '../../client/index.ts'
import { isLoopError, LoopError } from '../../loop/index.ts'

export interface Holder {
  /** The folder of the record. */
  readonly folder: string
  readonly token?: string | undefined
  /** How long it may take to answer. */
  readonly windowMs?: number | undefined
}

/** For one that begins, on a machine that may be busy. */
const beginWindowMs = 30_000
/** For one that did answer before. */
const answerWindowMs = 5000

/** The process that has the record. */
export async function holderOf(folder: string): Promise<number | undefined> {
  const { daemonHolder } = await import('../../host/lock-daemon.ts')
  return daemonHolder(folder)
}

/** The daemon that has the record, when it answers; undefined where none has it. Else rejected. */
export async function answerOfHolder(holder: Holder): Promise<Client | undefined> {
  const { folder, token } = holder
  const { daemonHolder } = await import('../../host/lock-daemon.ts')
  const pid = daemonHolder(folder)
  if (pid === undefined) return undefined
  const [{ clientOf, readDaemonFile }, { waitForHealth }] = await Promise.all([
    import('../../client/find-daemon.ts'),
    import('../../client/wait-for-health.ts'),
  ])
  const hasAnswered = readDaemonFile(folder)?.pid === pid
  const { windowMs = hasAnswered ? answerWindowMs : beginWindowMs } = holder
  try {
    const isLost = (): boolean => daemonHolder(folder) !== pid
    return await waitForHealth(() => clientOf(folder, token), { windowMs, isLost })
  } catch (error) {
    if (!isLoopError(error, 'not-available')) throw error
    // It ended meanwhile; there may be the next.
    return daemonHolder(folder) === pid ? refuse(pid, error) : answerOfHolder(holder)
  }
}

/** For those who read the record without it. */
export const describeSilence = (pid: number): string =>
  `The daemon, process ${pid}, has this record and does not answer: this is what the record says. ` +
  'See: loopctl daemon status'

function refuse(pid: number, cause: unknown): never {
  throw new LoopError(
    'not-available',
    `Process ${pid} has this record and does not answer. If it was stopped: kill -CONT ${pid}. ` +
      'To end it: loopctl daemon stop, and if that does not help: loopctl daemon stop --force. ' +
      'Nothing is lost: its runs go on when the daemon is started again.',
    { cause },
  )
}

export interface EndOptions {
  readonly folder: string
  readonly force: boolean
  readonly windowMs: number
}

/**
 * Ends the process that has the record by a signal, and waits for it. One that stands still is woken to
 * hear it. With force it is killed: runs are taken up by the next daemon, as after a crash.
 */
export async function endHolder(
  pid: number,
  { folder, windowMs, force }: EndOptions,
): Promise<void> {
  const { daemonHolder } = await import('../../host/lock-daemon.ts')
  const endMs = performance.now() + windowMs
  // The number may be another's by now.
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
    const message = `Process ${pid} has this record and cannot be ended (${why}).`
    throw new LoopError('not-available', `${message} End it as its owner: kill ${pid}`, { cause })
  }
}

export function notEnded(pid: number, windowMs: number, force: boolean): LoopError {
  const message = `The daemon, process ${pid}, has not ended after ${windowMs / 1000} s.`
  const advice = force
    ? `The system does not let go of it: see what it waits for (ps -o stat,wchan ${pid}), mostly a disk.`
    : 'See why: loopctl daemon logs. At once, without loss: loopctl daemon stop --force'
  return new LoopError('not-available', `${message} ${advice}`)
}
