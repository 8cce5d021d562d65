/**
 * How a daemon ends: what was opened last is closed first, each whatever became of the others. Whoever
 * is in a hurry does not wait for work under way; the record is closed in any case.
 */

export interface StopOptions {
  /** Nothing is waited for: what is under way is taken up again by the next daemon. */
  readonly atOnce?: boolean
}

export interface Ending {
  /** What to do at the end; told to hurry if it is to wait for nobody. */
  atEnd(undo: Undo): void
  /** The same, and left alone when there is a hurry. */
  beforeEnd(undo: Undo): void
  isEnding(): boolean
  /** Aborted when work is over, so that streams end. */
  readonly closing: AbortSignal
  readonly stop: (options?: StopOptions) => Promise<void>
  readonly ended: Promise<void>
}

type Undo = (hurry: AbortSignal) => unknown

export function createEnding(): Ending {
  const undos: Undo[] = []
  const hurry = new AbortController()
  const closing = new AbortController()
  let resolveEnded: (() => void) | undefined
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve
  })
  let isEnding = false
  const undoAll = async (): Promise<void> => {
    for (const undo of undos.toReversed()) {
      try {
        await undo(hurry.signal)
      } catch {
        // The others are closed all the same.
      }
    }
    resolveEnded?.()
  }
  return {
    atEnd: (undo) => void undos.push(undo),
    beforeEnd(undo) {
      // Streams end when what they tell of has.
      undos.push(() => closing.abort())
      undos.push((signal) => Promise.race([undo(signal), whenAborted(signal)]))
    },
    isEnding: () => isEnding,
    closing: closing.signal,
    stop(options = {}) {
      if (options.atOnce === true) hurry.abort()
      if (!isEnding) void undoAll()
      isEnding = true
      return ended
    },
    ended,
  }
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
