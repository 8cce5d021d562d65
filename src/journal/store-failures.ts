/** Explains failures of the journal: damage, a lock of another process, or a failing disk. */

import { LoopError } from '../loop/index.ts'

/** Why a journal could not be opened; distinguishes damage from a temporary failure of the disk. */
export function openFailure(path: string, cause: unknown): LoopError {
  const message = messageOf(cause)
  if (isDamage(message)) return damaged(path, message, cause)
  const advice = isBusy(message)
    ? lookForHolder
    : 'Check the disk, its free space and the permissions of that folder, then try again.'
  return new LoopError(
    'store-failed',
    `The journal ${path} cannot be opened: ${message}. ${advice}`,
    { cause },
  )
}

export function damaged(path: string, what: string, cause?: unknown): LoopError {
  return new LoopError(
    'store-damaged',
    `The journal ${path} is not usable: ${what}. It was not changed. ` +
      'Restore it from a backup, or move it to start with an empty one.',
    { cause },
  )
}

/** Why a journal that was open could not be read or written. */
export function storeFailed(cause: unknown): LoopError {
  if (cause instanceof LoopError) return cause
  const message = messageOf(cause)
  if (isDamage(message)) {
    const advice = 'Stop all processes that use it, and restore it from a backup.'
    return new LoopError('store-damaged', `The journal is damaged: ${message}. ${advice}`, {
      cause,
    })
  }
  return new LoopError(
    'store-failed',
    `The journal failed: ${message}. This change was not saved; ${adviceFor(message)}`,
    { cause },
  )
}

export const closedMessage = 'database is not open'

const lookForHolder =
  'Another process has the journal locked and does not release it. Find a process that is stopped or ' +
  'hangs, continue or end it, then try again.'

function adviceFor(message: string): string {
  if (message.includes(closedMessage)) return 'the host is closed. Open a new one.'
  if (isBusy(message)) return `try again later. ${lookForHolder}`
  return 'free disk space or repair the disk, then resume the run.'
}

const isDamage = (message: string): boolean => /malformed|not a database|corrupt/i.test(message)

const isBusy = (message: string): boolean =>
  /\bis (locked|busy)|SQLITE_(BUSY|LOCKED)/i.test(message)

/** Another process holds a lock, and may release it. */
export const isBusyError = (cause: unknown): boolean =>
  !(cause instanceof LoopError) && isBusy(messageOf(cause))

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
