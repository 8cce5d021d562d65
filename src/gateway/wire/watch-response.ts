/**
 * Reads a response while it passes through: its usage, whether it is complete, and whether it is
 * valid in its wire format. It changes nothing and buffers at most one line.
 */

import { type ExtraReading, emptyExtras, readExtras } from '../pricing/extra-price.ts'
import type { WireFormat } from './route.ts'
import { emptyTurn, readTurn, type TurnReading } from './turn.ts'
import { part, type ReportedUsage, readUsage } from './usage.ts'

export interface ResponseWatch {
  /** True if the chunk completed a line: an incomplete line does not count as progress. */
  push(chunk: Buffer): boolean
  /** Call when the response has ended. */
  end(): void
  readonly reading: ResponseReading
  /** Between two events, so another event can be inserted. */
  readonly isAtBoundary: boolean
}

export interface ResponseReading {
  readonly usage: ReportedUsage
  /** The provider will report no further usage. */
  readonly isFinal: boolean
  /** The provider marked the end of the response. */
  readonly hasStop: boolean
  readonly isMalformed: boolean
  /** The error that ended a response that had started successfully. */
  readonly error: string | undefined
  readonly turn: TurnReading
  readonly extras: ExtraReading
}

/** Longer lines are passed on without being read. */
const lineBytesMax = 24 * 1024 * 1024
const messageCharsMax = 500

interface State {
  usage: ReportedUsage
  isFinal: boolean
  hasStop: boolean
  isMalformed: boolean
  error: string | undefined
  readonly turn: TurnReading
  readonly extras: ExtraReading
}

export function watchResponse(format: WireFormat, isStream: boolean): ResponseWatch {
  const state: State = {
    usage: {},
    isFinal: false,
    hasStop: false,
    isMalformed: false,
    error: undefined,
    turn: emptyTurn(),
    extras: emptyExtras(),
  }
  return isStream ? watchEvents(format, state) : watchBody(format, state)
}

const newline = 0x0a
const dataPrefix = Buffer.from('data:')

function watchEvents(format: WireFormat, state: State): ResponseWatch {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let isOverlong = false
  /** Part of an event has arrived, but not the empty line that ends it. */
  let isInsideEvent = false

  function readLine(line: Buffer): void {
    const end = line.length > 0 && line[line.length - 1] === 0x0d ? line.length - 1 : line.length
    isInsideEvent = end > 0
    if (end < dataPrefix.length || line.compare(dataPrefix, 0, 5, 0, 5) !== 0) return
    readEvent(format, line.toString('utf8', 5, end).trim(), state)
  }

  function addPending(rest: Buffer): void {
    if (rest.length === 0) return
    isInsideEvent = true
    if (pendingBytes + rest.length > lineBytesMax) {
      isOverlong = true
      pending = []
      pendingBytes = 0
    }
    if (isOverlong) return
    pending.push(rest)
    pendingBytes += rest.length
  }

  return {
    reading: state,
    get isAtBoundary() {
      return !isInsideEvent
    },
    push(chunk) {
      let offset = 0
      let found = chunk.indexOf(newline)
      const progressed = found !== -1
      while (found !== -1) {
        const rest = chunk.subarray(offset, found)
        if (isOverlong) isOverlong = false
        else readLine(pendingBytes === 0 ? rest : Buffer.concat([...pending, rest]))
        pending = []
        pendingBytes = 0
        offset = found + 1
        found = chunk.indexOf(newline, offset)
      }
      addPending(chunk.subarray(offset))
      return progressed
    },
    end() {
      // The last line may lack a line break.
      if (pendingBytes > 0) readLine(Buffer.concat(pending))
      pending = []
      pendingBytes = 0
    },
  }
}

function watchBody(format: WireFormat, state: State): ResponseWatch {
  const pending: Buffer[] = []
  let bytes = 0
  return {
    reading: state,
    isAtBoundary: false,
    push(chunk) {
      bytes += chunk.length
      if (bytes <= lineBytesMax) pending.push(chunk)
      return true
    },
    end() {
      if (bytes > lineBytesMax) return
      const value = parseJson(Buffer.concat(pending).toString())
      if (value === undefined) {
        state.isMalformed = true
        return
      }
      // Gemini streams an array unless the client asks for events.
      for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
        addUsage(format, one, state)
        readTurn(format, one, state.turn)
        if (typeof one === 'object' && one !== null) state.error ??= findError(one)
      }
      state.hasStop = true
      state.isFinal = isKnown(state.usage)
    },
  }
}

function readEvent(format: WireFormat, text: string, state: State): void {
  if (text === '[DONE]') {
    state.hasStop = true
    return
  }
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) {
    state.isMalformed = true
    return
  }
  addUsage(format, value, state)
  readTurn(format, value, state.turn)
  const failure = findError(value)
  if (failure !== undefined) state.error = failure
  const end = findEnd(format, value as Readonly<Record<string, unknown>>)
  if (end.stop) state.hasStop = true
  if (end.lastUsage && isKnown(state.usage)) state.isFinal = true
}

/** Both are required: a stream whose start was unreadable reports only its output. */
const isKnown = ({ input, output }: ReportedUsage): boolean =>
  input !== undefined && output !== undefined

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function addUsage(format: WireFormat, value: unknown, state: State): void {
  const reported = readUsage(format, value)
  if (reported !== undefined) state.usage = { ...state.usage, ...reported }
  readExtras(format, value, state.extras)
}

interface EndMarkers {
  readonly stop: boolean
  /** No later event reports more usage. */
  readonly lastUsage: boolean
}

const notEnded: EndMarkers = { stop: false, lastUsage: false }

function findEnd(format: WireFormat, event: Readonly<Record<string, unknown>>): EndMarkers {
  switch (format) {
    case 'anthropic':
      if (event['type'] === 'message_stop') return { stop: true, lastUsage: true }
      return event['type'] === 'message_delta' ? { stop: false, lastUsage: true } : notEnded
    case 'responses': {
      const ends = ['response.completed', 'response.incomplete', 'response.failed']
      return ends.includes(String(event['type'])) ? { stop: true, lastUsage: true } : notEnded
    }
    case 'chat':
      return findChatEnd(event)
    case 'gemini': {
      const stop = hasFinishReason(event['candidates'], 'finishReason') || 'promptFeedback' in event
      return { stop, lastUsage: stop }
    }
  }
}

/**
 * Some servers report usage so far in every event; the final figure comes with or after the end.
 */
function findChatEnd(event: Readonly<Record<string, unknown>>): EndMarkers {
  const { choices } = event
  const stop = hasFinishReason(choices, 'finish_reason')
  const isAfter = !Array.isArray(choices) || choices.length === 0
  return { stop, lastUsage: part(event, 'usage') !== undefined && (stop || isAfter) }
}

function hasFinishReason(choices: unknown, name: string): boolean {
  if (!Array.isArray(choices)) return false
  return choices.some((choice: unknown) => {
    const reason = typeof choice === 'object' && choice !== null ? Reflect.get(choice, name) : null
    return typeof reason === 'string' && reason !== ''
  })
}

function findError(value: object): string | undefined {
  const error = part(value, 'error') ?? part(part(value, 'response'), 'error')
  const message: unknown = Reflect.get(value, 'error')
  if (typeof message === 'string' && message !== '') return message.slice(0, messageCharsMax)
  if (error === undefined) return undefined
  const text = [error['type'], error['message']].filter((one) => typeof one === 'string').join(': ')
  return text.slice(0, messageCharsMax)
}
