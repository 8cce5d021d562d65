/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from text
 * that arrives in parts. Pure.
 */

export interface Message {
  readonly id?: string
  /** Default: `message`. */
  readonly event: string
  readonly data: string
}

export interface MessageReader {
  /** The messages that this text completes. */
  add(text: string): readonly Message[]
}

const messageCharsMax = 64 * 1024 * 1024

export function createMessageReader(): MessageReader {
  let rest = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []
  let chars = 0

  function readLine(text: string): Message | undefined {
    if (text === '') return end()
    const colon = text.indexOf(':')
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'event') event = value
    else if (field === 'data') {
      chars += value.length
      data.push(value)
    }
    return undefined
  }

  function end(): Message | undefined {
    const lines = data
    const name = event === '' ? 'message' : event
    data = []
    event = ''
    chars = 0
    if (lines.length === 0) return undefined
    return { ...(id === undefined ? {} : { id }), event: name, data: lines.join('\n') }
  }

  return {
    add(text) {
      // A CR at the end may be the first half of a line break.
      const pending = rest + text
      const isHalf = pending.endsWith('\r')
      const lines = (isHalf ? pending.slice(0, -1) : pending).split(/\r\n|\n|\r/)
      rest = `${lines.pop() ?? ''}${isHalf ? '\r' : ''}`
      if (rest.length + chars > messageCharsMax) throw new Error('a message is too long')
      return lines.flatMap((line) => readLine(line) ?? [])
    },
  }
}
