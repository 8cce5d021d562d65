/**
 * How a daemon shuts down: what was opened last is closed first, even if closing another failed. A hurried
 * shutdown does not wait for running work; the journal is closed in any case.
 */

export interface StopOptions {
  /** Does not wait: the next daemon resumes what is running. */
  readonly atOnce?: boolean
}

export interface Shutdown {
  /** Registers what to close; its signal aborts when the shutdown must not wait. */
  atEnd(undo: Undo): void
  /** The same, but skipped in a hurried shutdown. */
  beforeEnd(undo: Undo): void
  isEnding(): boolean
  /** Aborted when all work has ended, so that streams end. */
  readonly closing: AbortSignal
  readonly stop: (options?: StopOptions) => Promise<void>
  readonly ended: Promise<void>
}

type Undo = (hurry: AbortSignal) => unknown

export function createShutdown(): Shutdown {
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
        // The others are closed anyway.
      }
    }
    resolveEnded?.()
  }
  return {
    atEnd: (undo) => void undos.push(undo),
    beforeEnd(undo) {
      // Streams end after the work that they report.
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
