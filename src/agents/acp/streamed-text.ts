/**
 * Collects an agent's streamed text: reports it by paragraph or after a moment, and keeps the last
 * message.
 */

export interface StreamedText {
  add(piece: string): void
  /** Reports what is still pending. */
  flush(): void
  /** The next piece starts a new message. */
  next(): void
  /** The end of the last message that is not empty. */
  last(): string
}

const keptCharsMax = 20_000
/** Longer paragraphs are reported in parts. */
const paragraphCharsMax = 400
const emittedCharsMax = 1000
const momentMs = 1000

export function createStreamedText(emit: (text: string) => void): StreamedText {
  let pending = ''
  let message = ''
  let previous = ''
  let timer: NodeJS.Timeout | undefined

  function emitUpTo(end: number): void {
    if (end <= 0) return
    const text = pending.slice(0, end).trim()
    pending = pending.slice(end)
    clearTimeout(timer)
    timer = undefined
    // It is shortened later anyway, and that takes time.
    if (text !== '') emit(text.slice(0, emittedCharsMax))
  }

  return {
    add(piece) {
      message += piece
      // Not for each piece: cutting costs a copy.
      if (message.length > 2 * keptCharsMax) message = message.slice(-keptCharsMax)
      pending = (pending + piece).slice(-keptCharsMax)
      emitUpTo(pending.length > paragraphCharsMax ? pending.length : pending.lastIndexOf('\n\n'))
      if (pending !== '') timer ??= setTimeout(() => emitUpTo(pending.length), momentMs).unref()
    },
    flush: () => emitUpTo(pending.length),
    next() {
      if (message.trim() !== '') previous = message
      message = ''
    },
    last: () => (message.trim() === '' ? previous : message).slice(-keptCharsMax).trim(),
  }
}
