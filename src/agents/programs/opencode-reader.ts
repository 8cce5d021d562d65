/**
 * What opencode prints with `--format json`: a line for each part of a message that is finished.
 *
 * It says nothing while it tries again, and it does that for ever. It ends with code 0 when an answer was
 * cut short: only a last step that stopped by itself, with a word, is a result.
 */

import type { AgentEnd } from '../../loop/index.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { endOfExit, whyItEnded } from './end-of-exit.ts'
import { at, briefly, type EventObject, readEvent, textAt } from './event-line.ts'
import { lastWords } from './last-words.ts'

interface Seen {
  session: string | undefined
  turns: number
  /** Of the step that it is in, or the last one. */
  said: string
  /** Why the last step ended; undefined while it is in one. */
  reason: string | undefined
  failure: { readonly end: AgentEnd; readonly text: string } | undefined
  refusal: string | undefined
}

export function opencodeReader(): LineReader {
  const seen: Seen = {
    session: undefined,
    turns: 0,
    said: '',
    reason: undefined,
    failure: undefined,
    refusal: undefined,
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : [...sessionOf(event, seen), ...eventsOf(event, seen)]
    },
    conclude: (exit) => ({ ...conclude(exit, seen), turns: seen.turns }),
  }
}

function sessionOf(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  const id = textAt(event, 'sessionID')
  if (id === undefined || seen.session !== undefined) return []
  seen.session = id.slice(0, 100)
  return [{ type: 'session', id: seen.session }]
}

function eventsOf(event: EventObject, seen: Seen): readonly ProgramEvent[] {
  const part = at(event, 'part')
  switch (textAt(event, 'type')) {
    case 'step_start':
      seen.said = ''
      seen.reason = undefined
      return []
    case 'text': {
      const text = textAt(part, 'text') ?? ''
      seen.said = lastWords(seen.said, text, '\n')
      return [{ type: 'said', text }]
    }
    case 'tool_use':
      return toolUsed(part, seen)
    case 'step_finish':
      return stepEnded(textAt(part, 'reason') ?? '', seen)
    case 'error':
      seen.failure = failureOf(at(event, 'error'))
      return [{ type: 'ended', ...seen.failure, turns: seen.turns }]
    default:
      return []
  }
}

/** It is only told of when it has ended. */
function toolUsed(part: unknown, seen: Seen): readonly ProgramEvent[] {
  const tool = briefly(textAt(part, 'tool') ?? 'a tool', 200)
  const state = at(part, 'state')
  const error = textAt(state, 'error')
  if (error !== undefined && isRefusal.test(error)) seen.refusal = `${tool}: ${briefly(error)}`
  const ok = textAt(state, 'status') === 'completed' && tool !== 'invalid'
  const text = error ?? (ok ? undefined : textAt(state, 'output'))
  return [
    { type: 'tool-called', tool, args: briefly(at(state, 'input')) },
    { type: 'tool-ended', tool, ok, ...(text === undefined ? {} : { text: briefly(text) }) },
  ]
}

const isRefusal = /rejected permission|rule which prevents you/

function stepEnded(reason: string, seen: Seen): readonly ProgramEvent[] {
  seen.reason = reason
  seen.turns++
  const ended: ProgramEvent = { type: 'turn-ended' }
  if (reason === 'tool-calls') return [ended]
  return [ended, { type: 'ended', ...endOfStep(seen), turns: seen.turns }]
}

const endsByReason: Readonly<Record<string, readonly [AgentEnd, string]>> = {
  length: ['provider', 'The answer of its model was cut off at its longest.'],
  'content-filter': ['provider', 'The provider of its model filtered the answer.'],
  error: ['provider', 'The answer of its model broke off.'],
}

function endOfStep({ reason, said, turns }: Seen): Omit<Conclusion, 'turns'> {
  if (reason === 'stop') {
    if (said.trim() !== '') return { end: 'claimed', text: said }
    return { end: 'no-result', text: 'Its model stopped without a word.' }
  }
  if (reason === 'tool-calls' || reason === undefined) {
    const where = turns === 0 && reason === undefined ? 'before' : 'in the middle of'
    return { end: 'no-result', text: `It ended ${where} its work.` }
  }
  const known = Object.hasOwn(endsByReason, reason) ? endsByReason[reason] : undefined
  const [end, why] = known ?? ['provider', `Its model stopped: ${briefly(reason, 100)}.`]
  return { end, text: [why, said].filter((part) => part !== '').join('\n') }
}

const endsByName: Readonly<Record<string, AgentEnd>> = {
  APIError: 'provider',
  ProviderAuthError: 'provider',
  ProviderModelNotFoundError: 'provider',
  ContentFilterError: 'provider',
  ContextOverflowError: 'provider',
  MessageOutputLengthError: 'provider',
  MessageAbortedError: 'interrupted',
}

function failureOf(error: unknown): Omit<Conclusion, 'turns'> {
  const name = textAt(error, 'name') ?? ''
  const end = Object.hasOwn(endsByName, name) ? endsByName[name] : undefined
  const message = textAt(error, 'data', 'message') ?? briefly(error)
  return { end: end ?? 'crashed', text: briefly(`${name}: ${message}`, 2000) }
}

function conclude(exit: ProgramExit, seen: Seen): Omit<Conclusion, 'turns'> {
  const { failure, refusal, said } = seen
  if (failure !== undefined) return failure
  if (exit.exitCode !== 0) return { end: endOfExit(exit, 'crashed'), text: whyItEnded(exit) }
  const refused = refusal ?? /permission requested: .*auto-rejecting/.exec(exit.stderr)?.[0]
  if (refused !== undefined) return { end: 'refused', text: [refused, said].join('\n').trim() }
  return endOfStep(seen)
}
