/** What went wrong with the journal, and what to do: damage, a rival's lock and a failing disk differ. */

import { LoopError } from '../loop/index.ts'

/** Why a journal could not be opened or prepared; damage is told from a disk that fails for now. */
export function openFailure(path: string, cause: unknown): LoopError {
  const message = messageOf(cause)
  if (isDamage(message)) return damaged(path, message, cause)
  const advice = isBusy(message)
    ? lookForHolder
    : 'Check the disk, its space and the rights on that folder, then try again.'
  return new LoopError(
    'store-failed',
    `The journal ${path} cannot be opened: ${message}. ${advice}`,
    { cause },
  )
}

export function damaged(path: string, what: string, cause?: unknown): LoopError {
  return new LoopError(
    'store-damaged',
    `The journal ${path} is not usable: ${what}. It was left as it is. ` +
      'Restore it from a backup, or move it away to start with an empty one.',
    { cause },
  )
}

/** Why a journal that was open could not be read or written. */
export function storeFailed(cause: unknown): LoopError {
  if (cause instanceof LoopError) return cause
  const message = messageOf(cause)
  if (isDamage(message)) {
    const advice = 'Close what uses it, and restore it from a backup.'
    return new LoopError('store-damaged', `The journal is damaged: ${message}. ${advice}`, {
      cause,
    })
  }
  return new LoopError(
    'store-failed',
    `The journal failed: ${message}. Nothing of this change was kept; ${adviceFor(message)}`,
    { cause },
  )
}

export const closedMessage = 'database is not open'

const lookForHolder =
  'Another process holds the record and does not let go of it: look for one that is stopped or ' +
  'hangs, let it go on or end it, then try again.'

function adviceFor(message: string): string {
  if (message.includes(closedMessage)) return 'the host is closed: open another.'
  if (isBusy(message)) return `try again later. ${lookForHolder}`
  return 'free disk space or repair the disk, then resume the run.'
}

const isDamage = (message: string): boolean => /malformed|not a database|corrupt/i.test(message)

const isBusy = (message: string): boolean =>
  /\bis (locked|busy)|SQLITE_(BUSY|LOCKED)/i.test(message)

/** Another process holds what is needed, and may let go of it. */
export const isBusyError = (cause: unknown): boolean =>
  !(cause instanceof LoopError) && isBusy(messageOf(cause))

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
