/**
 * Reads along while an answer passes: what it used, whether it came to its end, whether it is what its
 * format promises. It changes nothing and keeps at most one line.
 */

import { type ExtraReading, newExtras, readExtras } from './extra-price.ts'
import type { WireFormat } from './route.ts'
import { newTurn, readTurn, type TurnReading } from './turn.ts'
import { part, readUsage, type SaidUsage } from './usage.ts'

export interface AnswerWatch {
  /** True when something whole came: a byte now and then is no progress. */
  push(chunk: Buffer): boolean
  /** The answer is over. */
  end(): void
  readonly reading: AnswerReading
  /** Between two events, where another one can be put. */
  readonly isAtBoundary: boolean
}

export interface AnswerReading {
  readonly usage: SaidUsage
  /** What it used is the last word of the provider. */
  readonly isFinal: boolean
  /** It said that this is all. */
  readonly hasStop: boolean
  readonly isMalformed: boolean
  /** The error that it ended with, after it had begun well. */
  readonly error: string | undefined
  readonly turn: TurnReading
  readonly extras: ExtraReading
}

/** A longer line is passed on, unread. */
const lineBytesMax = 24 * 1024 * 1024
const messageCharsMax = 500

interface State {
  usage: SaidUsage
  isFinal: boolean
  hasStop: boolean
  isMalformed: boolean
  error: string | undefined
  readonly turn: TurnReading
  readonly extras: ExtraReading
}

export function watchAnswer(format: WireFormat, isStream: boolean): AnswerWatch {
  const state: State = {
    usage: {},
    isFinal: false,
    hasStop: false,
    isMalformed: false,
    error: undefined,
    turn: newTurn(),
    extras: newExtras(),
  }
  return isStream ? watchEvents(format, state) : watchBody(format, state)
}

const newline = 0x0a
const dataPrefix = Buffer.from('data:')

function watchEvents(format: WireFormat, state: State): AnswerWatch {
  let kept: Buffer[] = []
  let keptBytes = 0
  let isOverlong = false
  /** Something of an event has come and no empty line after it. */
  let isInside = false

  function takeLine(line: Buffer): void {
    const end = line.length > 0 && line[line.length - 1] === 0x0d ? line.length - 1 : line.length
    isInside = end > 0
    if (end < dataPrefix.length || line.compare(dataPrefix, 0, 5, 0, 5) !== 0) return
    readEvent(format, line.toString('utf8', 5, end).trim(), state)
  }

  function keep(rest: Buffer): void {
    if (rest.length === 0) return
    isInside = true
    if (keptBytes + rest.length > lineBytesMax) {
      isOverlong = true
      kept = []
      keptBytes = 0
    }
    if (isOverlong) return
    kept.push(rest)
    keptBytes += rest.length
  }

  return {
    reading: state,
    get isAtBoundary() {
      return !isInside
    },
    push(chunk) {
      let place = 0
      let found = chunk.indexOf(newline)
      const progressed = found !== -1
      while (found !== -1) {
        const rest = chunk.subarray(place, found)
        if (isOverlong) isOverlong = false
        else takeLine(keptBytes === 0 ? rest : Buffer.concat([...kept, rest]))
        kept = []
        keptBytes = 0
        place = found + 1
        found = chunk.indexOf(newline, place)
      }
      keep(chunk.subarray(place))
      return progressed
    },
    end() {
      // The last line may have no end of its own.
      if (keptBytes > 0) takeLine(Buffer.concat(kept))
      kept = []
      keptBytes = 0
    },
  }
}

function watchBody(format: WireFormat, state: State): AnswerWatch {
  const kept: Buffer[] = []
  let bytes = 0
  return {
    reading: state,
    isAtBoundary: false,
    push(chunk) {
      bytes += chunk.length
      if (bytes <= lineBytesMax) kept.push(chunk)
      return true
    },
    end() {
      if (bytes > lineBytesMax) return
      const value = parsed(Buffer.concat(kept).toString())
      if (value === undefined) {
        state.isMalformed = true
        return
      }
      // Gemini streams an array when it is not asked for events.
      for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
        takeUsage(format, one, state)
        readTurn(format, one, state.turn)
        if (typeof one === 'object' && one !== null) state.error ??= errorOf(one)
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
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) {
    state.isMalformed = true
    return
  }
  takeUsage(format, value, state)
  readTurn(format, value, state.turn)
  const failure = errorOf(value)
  if (failure !== undefined) state.error = failure
  const end = endOf(format, value as Readonly<Record<string, unknown>>)
  if (end.stop) state.hasStop = true
  if (end.lastUsage && isKnown(state.usage)) state.isFinal = true
}

/** Both: a stream whose beginning was unreadable says only its output. */
const isKnown = ({ input, output }: SaidUsage): boolean =>
  input !== undefined && output !== undefined

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function takeUsage(format: WireFormat, value: unknown, state: State): void {
  const said = readUsage(format, value)
  if (said !== undefined) state.usage = { ...state.usage, ...said }
  readExtras(format, value, state.extras)
}

interface End {
  readonly stop: boolean
  /** No later event says more of what was used. */
  readonly lastUsage: boolean
}

const notYet: End = { stop: false, lastUsage: false }

function endOf(format: WireFormat, event: Readonly<Record<string, unknown>>): End {
  switch (format) {
    case 'anthropic':
      if (event['type'] === 'message_stop') return { stop: true, lastUsage: true }
      return event['type'] === 'message_delta' ? { stop: false, lastUsage: true } : notYet
    case 'responses': {
      const ends = ['response.completed', 'response.incomplete', 'response.failed']
      return ends.includes(String(event['type'])) ? { stop: true, lastUsage: true } : notYet
    }
    case 'chat':
      return endOfChat(event)
    case 'gemini': {
      const stop = finishes(event['candidates'], 'finishReason') || 'promptFeedback' in event
      return { stop, lastUsage: stop }
    }
  }
}

/** Some servers say in each event what was used so far; the last word comes with the end or after it. */
function endOfChat(event: Readonly<Record<string, unknown>>): End {
  const { choices } = event
  const stop = finishes(choices, 'finish_reason')
  const isAfter = !Array.isArray(choices) || choices.length === 0
  return { stop, lastUsage: part(event, 'usage') !== undefined && (stop || isAfter) }
}

function finishes(choices: unknown, name: string): boolean {
  if (!Array.isArray(choices)) return false
  return choices.some((choice: unknown) => {
    const reason = typeof choice === 'object' && choice !== null ? Reflect.get(choice, name) : null
    return typeof reason === 'string' && reason !== ''
  })
}

function errorOf(value: object): string | undefined {
  const error = part(value, 'error') ?? part(part(value, 'response'), 'error')
  const words: unknown = Reflect.get(value, 'error')
  if (typeof words === 'string' && words !== '') return words.slice(0, messageCharsMax)
  if (error === undefined) return undefined
  const { message, type } = error
  const text = [type, message].filter((one) => typeof one === 'string').join(': ')
  return text.slice(0, messageCharsMax)
}
