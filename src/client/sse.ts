/**
 * Reads a stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html):
 * text goes in as it comes, messages come out. Pure.
 */

export interface Message {
  readonly id?: string
  /** `message` unless it says otherwise. */
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

  function line(text: string): Message | undefined {
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
    const said = data
    const name = event === '' ? 'message' : event
    data = []
    event = ''
    chars = 0
    if (said.length === 0) return undefined
    return { ...(id === undefined ? {} : { id }), event: name, data: said.join('\n') }
  }

  return {
    add(text) {
      // A CR at the end may be the first half of a line end.
      const whole = rest + text
      const isHalf = whole.endsWith('\r')
      const lines = (isHalf ? whole.slice(0, -1) : whole).split(/\r\n|\n|\r/)
      rest = `${lines.pop() ?? ''}${isHalf ? '\r' : ''}`
      if (rest.length + chars > messageCharsMax) throw new Error('a message is too long')
      return lines.flatMap((one) => line(one) ?? [])
    },
  }
}
