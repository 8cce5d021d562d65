/**
 * What Gemini CLI prints with `--output-format stream-json`: a line for each piece of an answer.
 *
 * It ends with code 0 when a model answered nothing or nonsense, and calls it a success when it stopped
 * because it went in circles. That an answer was cut short it does not say at all: only the gateway knows.
 */

import type { AgentEnd } from '../../loop/index.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { endOfExit, whyItEnded } from './end-of-exit.ts'
import { at, briefly, type EventObject, readEvent, textAt } from './event-line.ts'
import { lastWords } from './last-words.ts'

interface Seen {
  turns: number
  /** It is in an answer: more of it may come. */
  isAnswering: boolean
  /** Of the answer that it is in, or the last one. */
  said: string
  /** Of it, what nobody was told yet. */
  untold: string
  /** By the id of the call. */
  readonly tools: Map<string, string>
  result: Omit<Conclusion, 'turns'> | undefined
  /** What stands against a success that it claims. */
  trouble: Omit<Conclusion, 'turns'> | undefined
}

export function geminiReader(): LineReader {
  const seen: Seen = {
    turns: 0,
    isAnswering: false,
    said: '',
    untold: '',
    tools: new Map(),
    result: undefined,
    trouble: undefined,
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : eventsOf(event, seen)
    },
    conclude: (exit) => ({ ...conclude(exit, seen), turns: seen.turns }),
  }
}

function eventsOf(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  switch (textAt(event, 'type')) {
    case 'init':
      return sessionOf(event)
    case 'message':
      return textAt(event, 'role') === 'assistant' ? said(event, seen) : []
    case 'tool_use':
      return [...told(seen), ...toolCalled(event, seen)]
    case 'tool_result':
      return [...answered(seen), ...toolEnded(event, seen)]
    case 'error': {
      const message = briefly(textAt(event, 'message') ?? '', 2000)
      seen.trouble ??= troubleOf(message, textAt(event, 'severity') !== 'warning')
      return [...told(seen), { type: 'warned', message }]
    }
    case 'result': {
      const events = answered(seen)
      seen.result = resultOf(event, seen)
      return [...events, { type: 'ended', ...seen.result, turns: seen.turns }]
    }
    default:
      return []
  }
}

function sessionOf(event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'session_id')
  const model = textAt(event, 'model')
  if (id === undefined) return []
  const named = model === undefined ? {} : { model: model.slice(0, 200) }
  return [{ type: 'session', id: id.slice(0, 100), ...named }]
}

/** Whatever it said before, it goes on. */
function beginAnswer(seen: Seen): void {
  if (!seen.isAnswering) seen.said = ''
  seen.isAnswering = true
  seen.result = undefined
}

/** Answers come in pieces: a line is told when it is whole. */
function said(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  beginAnswer(seen)
  const text = textAt(event, 'content') ?? ''
  seen.said = lastWords(seen.said, text, '')
  seen.untold = lastWords(seen.untold, text, '')
  const end = seen.untold.lastIndexOf('\n')
  if (end < 0) return []
  const whole = seen.untold.slice(0, end)
  seen.untold = seen.untold.slice(end + 1)
  return whole.trim() === '' ? [] : [{ type: 'said', text: whole }]
}

function told(seen: Seen): readonly ProgramEvent[] {
  const text = seen.untold
  seen.untold = ''
  return text.trim() === '' ? [] : [{ type: 'said', text }]
}

function answered(seen: Seen): readonly ProgramEvent[] {
  const events = told(seen)
  if (!seen.isAnswering) return events
  seen.isAnswering = false
  seen.turns++
  return [...events, { type: 'turn-ended' }]
}

const callsMax = 200

const callId = (event: EventObject): string => briefly(textAt(event, 'tool_id') ?? '', 200)

function toolCalled(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  beginAnswer(seen)
  const tool = briefly(textAt(event, 'tool_name') ?? 'a tool', 200)
  if (seen.tools.size >= callsMax) seen.tools.clear()
  seen.tools.set(callId(event), tool)
  return [{ type: 'tool-called', tool, args: briefly(at(event, 'parameters')) }]
}

/** Those that end the work, or that somebody forbade. A success after them is none. */
const refusals: readonly string[] = ['policy_violation', 'stop_execution']

function toolEnded(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  const id = callId(event)
  const tool = seen.tools.get(id) ?? 'a tool'
  seen.tools.delete(id)
  seen.said = ''
  const error = textAt(event, 'error', 'message')
  const text = briefly(error ?? textAt(event, 'output') ?? '')
  if (refusals.includes(textAt(event, 'error', 'type') ?? '')) {
    seen.trouble ??= { end: 'refused', text: `It was refused ${tool}: ${text}` }
  }
  const ok = textAt(event, 'status') === 'success' && error === undefined
  return [{ type: 'tool-ended', tool, ok, text }]
}

const troubles: readonly (readonly [RegExp, AgentEnd])[] = [
  [/maximum session turns/i, 'limit'],
  [/execution blocked/i, 'refused'],
  [/loop detected/i, 'crashed'],
]

/** A warning that is none of these changes nothing. */
function troubleOf(message: string, isError: boolean): Omit<Conclusion, 'turns'> | undefined {
  const known = troubles.find(([pattern]) => pattern.test(message))?.[1]
  if (known === undefined && !isError) return undefined
  return { end: known ?? 'provider', text: message }
}

const endsByError: Readonly<Record<string, AgentEnd>> = {
  FatalTurnLimitedError: 'limit',
  FatalCancellationError: 'interrupted',
  FatalAuthenticationError: 'provider',
  FatalInputError: 'crashed',
  FatalConfigError: 'crashed',
  FatalSandboxError: 'crashed',
  FatalToolExecutionError: 'crashed',
}

function resultOf(event: EventObject, { trouble, said: words }: Seen): Omit<Conclusion, 'turns'> {
  if (textAt(event, 'status') !== 'success') {
    const type = textAt(event, 'error', 'type') ?? ''
    const message = textAt(event, 'error', 'message')
    const known = Object.hasOwn(endsByError, type) ? endsByError[type] : undefined
    const isApi = message?.startsWith('[API Error') === true || message === undefined
    const end = known ?? trouble?.end ?? (isApi ? 'provider' : 'crashed')
    return { end, text: briefly(message ?? trouble?.text ?? 'It failed.', 2000) }
  }
  if (trouble !== undefined) return { ...trouble, text: [trouble.text, words].join('\n').trim() }
  if (words.trim() === '') return { end: 'no-result', text: 'Its model stopped without a word.' }
  return { end: 'claimed', text: words }
}

/** What a status of HTTP becomes, which it ends with. */
const exitCodes = (...statuses: readonly number[]): Readonly<Record<number, AgentEnd>> =>
  Object.fromEntries(statuses.map((status) => [status % 256, 'provider']))

/** Of those that it ends with; all others say nothing more. */
const endsByCode: Readonly<Record<number, AgentEnd>> = {
  ...exitCodes(400, 401, 403, 404, 429, 500, 502, 503, 504),
  41: 'provider',
  53: 'limit',
}

function conclude(exit: ProgramExit, { result }: Seen): Omit<Conclusion, 'turns'> {
  const { exitCode = -1 } = exit
  if (exitCode === 0) return result ?? { end: 'no-result', text: whyItEnded(exit) }
  if (result !== undefined && result.end !== 'claimed') return result
  const end = endsByCode[exitCode] ?? endOfExit(exit, 'crashed')
  return { end, text: whyItEnded(exit) }
}
