/** What an agent says, piece by piece: told in paragraphs or after a moment, and the last of it kept. */

export interface Speech {
  add(piece: string): void
  /** Tells what was not told yet. */
  tellAll(): void
  /** What comes next is another message. */
  next(): void
  /** The end of the last message that had words. */
  last(): string
}

const keptCharsMax = 20_000
/** Longer paragraphs are told in parts. */
const paragraphCharsMax = 400
const toldCharsMax = 1000
const momentMs = 1000

export function createSpeech(tell: (text: string) => void): Speech {
  let untold = ''
  let message = ''
  let before = ''
  let timer: NodeJS.Timeout | undefined

  function tellUpTo(end: number): void {
    if (end <= 0) return
    const text = untold.slice(0, end).trim()
    untold = untold.slice(end)
    clearTimeout(timer)
    timer = undefined
    // Whoever tells it cuts it anyway, and takes its time for that.
    if (text !== '') tell(text.slice(0, toldCharsMax))
  }

  return {
    add(piece) {
      message += piece
      // Not at each piece: cutting costs a copy.
      if (message.length > 2 * keptCharsMax) message = message.slice(-keptCharsMax)
      untold = (untold + piece).slice(-keptCharsMax)
      tellUpTo(untold.length > paragraphCharsMax ? untold.length : untold.lastIndexOf('\n\n'))
      if (untold !== '') timer ??= setTimeout(() => tellUpTo(untold.length), momentMs).unref()
    },
    tellAll: () => tellUpTo(untold.length),
    next() {
      if (message.trim() !== '') before = message
      message = ''
    },
    last: () => (message.trim() === '' ? before : message).slice(-keptCharsMax).trim(),
  }
}
