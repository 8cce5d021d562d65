/**
 * Reads the output of opencode with `--format json`: a line for each finished part of a message.
 *
 * It prints nothing while it retries, which it does forever. It exits with 0 if a response was cut
 * short: only a last step that stopped by itself, with a text, is a result.
 */

import type { AgentEnd } from '../../loop/index.ts'
import { readTodoCall } from '../todo-items.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { appendText } from './append-text.ts'
import { classifyExit, describeExit } from './classify-exit.ts'
import { at, type EventObject, readEvent, textAt, toShortText } from './event-line.ts'

interface ReaderState {
  session: string | undefined
  turns: number
  /** The text of the current or last step. */
  said: string
  /** Why the last step ended; undefined during a step. */
  reason: string | undefined
  failure: { readonly end: AgentEnd; readonly text: string } | undefined
  refusal: string | undefined
}

export function opencodeReader(): LineReader {
  const state: ReaderState = {
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
      return event === undefined ? [] : [...toSession(event, state), ...toEvents(event, state)]
    },
    conclude: (exit) => ({ ...conclude(exit, state), turns: state.turns }),
  }
}

function toSession(event: EventObject, state: ReaderState): readonly ProgramEvent[] {
  const id = textAt(event, 'sessionID')
  if (id === undefined || state.session !== undefined) return []
  state.session = id.slice(0, 100)
  return [{ type: 'session', id: state.session }]
}

function toEvents(event: EventObject, state: ReaderState): readonly ProgramEvent[] {
  const part = at(event, 'part')
  switch (textAt(event, 'type')) {
    case 'step_start':
      state.said = ''
      state.reason = undefined
      return []
    case 'text': {
      const text = textAt(part, 'text') ?? ''
      state.said = appendText(state.said, text, '\n')
      return [{ type: 'said', text }]
    }
    case 'tool_use':
      return readToolUse(part, state)
    case 'step_finish':
      return endStep(textAt(part, 'reason') ?? '', state)
    case 'error':
      state.failure = toFailure(at(event, 'error'))
      return [{ type: 'ended', ...state.failure, turns: state.turns }]
    default:
      return []
  }
}

/** A call is only reported after it has ended. */
function readToolUse(part: unknown, state: ReaderState): readonly ProgramEvent[] {
  const tool = toShortText(textAt(part, 'tool') ?? 'a tool', 200)
  const call = at(part, 'state')
  const error = textAt(call, 'error')
  if (error !== undefined && isRefusal.test(error)) state.refusal = `${tool}: ${toShortText(error)}`
  const ok = textAt(call, 'status') === 'completed' && tool !== 'invalid'
  const text = error ?? (ok ? undefined : textAt(call, 'output'))
  const items = ok ? readTodoCall(tool, at(call, 'input')) : undefined
  return [
    { type: 'tool-called', tool, args: toShortText(at(call, 'input')) },
    ...(items === undefined ? [] : [{ type: 'todo', items } as const]),
    { type: 'tool-ended', tool, ok, ...(text === undefined ? {} : { text: toShortText(text) }) },
  ]
}

const isRefusal = /rejected permission|rule which prevents you/

function endStep(reason: string, state: ReaderState): readonly ProgramEvent[] {
  state.reason = reason
  state.turns++
  const ended: ProgramEvent = { type: 'turn-ended' }
  if (reason === 'tool-calls') return [ended]
  return [ended, { type: 'ended', ...classifyStep(state), turns: state.turns }]
}

const endsByReason: Readonly<Record<string, readonly [AgentEnd, string]>> = {
  length: ['provider', 'The answer of its model was cut off at its longest.'],
  'content-filter': ['provider', 'The provider of its model filtered the answer.'],
  error: ['provider', 'The answer of its model broke off.'],
}

function classifyStep({ reason, said, turns }: ReaderState): Omit<Conclusion, 'turns'> {
  if (reason === 'stop') {
    if (said.trim() !== '') return { end: 'claimed', text: said }
    return { end: 'no-result', text: 'Its model stopped without a word.' }
  }
  if (reason === 'tool-calls' || reason === undefined) {
    const where = turns === 0 && reason === undefined ? 'before' : 'in the middle of'
    return { end: 'no-result', text: `It ended ${where} its work.` }
  }
  const known = Object.hasOwn(endsByReason, reason) ? endsByReason[reason] : undefined
  const [end, why] = known ?? ['provider', `Its model stopped: ${toShortText(reason, 100)}.`]
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

function toFailure(error: unknown): Omit<Conclusion, 'turns'> {
  const name = textAt(error, 'name') ?? ''
  const end = Object.hasOwn(endsByName, name) ? endsByName[name] : undefined
  const message = textAt(error, 'data', 'message') ?? toShortText(error)
  return { end: end ?? 'crashed', text: toShortText(`${name}: ${message}`, 2000) }
}

function conclude(exit: ProgramExit, state: ReaderState): Omit<Conclusion, 'turns'> {
  const { failure, refusal, said } = state
  if (failure !== undefined) return failure
  if (exit.exitCode !== 0) return { end: classifyExit(exit, 'crashed'), text: describeExit(exit) }
  const refused = refusal ?? /permission requested: .*auto-rejecting/.exec(exit.stderr)?.[0]
  if (refused !== undefined) return { end: 'refused', text: [refused, said].join('\n').trim() }
  return classifyStep(state)
}
