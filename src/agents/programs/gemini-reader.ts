/**
 * Reads the output of Gemini CLI with `--output-format stream-json`: a line for each piece of a
 * response.
 *
 * It exits with 0 if a model responded with nothing or nonsense, and reports success if it stopped
 * because it looped. It does not report responses that were cut short: only the gateway knows.
 */

import type { AgentEnd } from '../../loop/index.ts'
import { readTodoCall } from '../todo-items.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { appendText } from './append-text.ts'
import { classifyExit, describeExit } from './classify-exit.ts'
import { at, type EventObject, readEvent, textAt, toShortText } from './event-line.ts'

interface ReaderState {
  turns: number
  /** A response is in progress: more of it may come. */
  isAnswering: boolean
  /** The text of the current or last response. */
  said: string
  /** The part of it that was not reported yet. */
  pending: string
  /** By the id of the call. */
  readonly tools: Map<string, string>
  result: Omit<Conclusion, 'turns'> | undefined
  /** What contradicts a success that it claims. */
  trouble: Omit<Conclusion, 'turns'> | undefined
}

export function geminiReader(): LineReader {
  const state: ReaderState = {
    turns: 0,
    isAnswering: false,
    said: '',
    pending: '',
    tools: new Map(),
    result: undefined,
    trouble: undefined,
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : toEvents(event, state)
    },
    conclude: (exit) => ({ ...conclude(exit, state), turns: state.turns }),
  }
}

function toEvents(event: EventObject, state: ReaderState): readonly ProgramEvent[] {
  switch (textAt(event, 'type')) {
    case 'init':
      return toSession(event)
    case 'message':
      return textAt(event, 'role') === 'assistant' ? said(event, state) : []
    case 'tool_use':
      return [...flushText(state), ...readToolUse(event, state)]
    case 'tool_result':
      return [...endResponse(state), ...readToolResult(event, state)]
    case 'error': {
      const message = toShortText(textAt(event, 'message') ?? '', 2000)
      state.trouble ??= classifyTrouble(message, textAt(event, 'severity') !== 'warning')
      return [...flushText(state), { type: 'warned', message }]
    }
    case 'result': {
      const events = endResponse(state)
      state.result = toResult(event, state)
      return [...events, { type: 'ended', ...state.result, turns: state.turns }]
    }
    default:
      return []
  }
}

function toSession(event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'session_id')
  const model = textAt(event, 'model')
  if (id === undefined) return []
  const named = model === undefined ? {} : { model: model.slice(0, 200) }
  return [{ type: 'session', id: id.slice(0, 100), ...named }]
}

/** Whatever it reported before, it continues. */
function startResponse(state: ReaderState): void {
  if (!state.isAnswering) state.said = ''
  state.isAnswering = true
  state.result = undefined
}

/** Responses come in pieces: a line is reported when it is complete. */
function said(event: EventObject, state: ReaderState): readonly ProgramEvent[] {
  startResponse(state)
  const text = textAt(event, 'content') ?? ''
  state.said = appendText(state.said, text, '')
  state.pending = appendText(state.pending, text, '')
  const end = state.pending.lastIndexOf('\n')
  if (end < 0) return []
  const whole = state.pending.slice(0, end)
  state.pending = state.pending.slice(end + 1)
  return whole.trim() === '' ? [] : [{ type: 'said', text: whole }]
}

function flushText(state: ReaderState): readonly ProgramEvent[] {
  const text = state.pending
  state.pending = ''
  return text.trim() === '' ? [] : [{ type: 'said', text }]
}

function endResponse(state: ReaderState): readonly ProgramEvent[] {
  const events = flushText(state)
  if (!state.isAnswering) return events
  state.isAnswering = false
  state.turns++
  return [...events, { type: 'turn-ended' }]
}

const callsMax = 200

const callId = (event: EventObject): string => toShortText(textAt(event, 'tool_id') ?? '', 200)

function readToolUse(event: EventObject, state: ReaderState): readonly ProgramEvent[] {
  startResponse(state)
  const tool = toShortText(textAt(event, 'tool_name') ?? 'a tool', 200)
  if (state.tools.size >= callsMax) state.tools.clear()
  state.tools.set(callId(event), tool)
  const args = at(event, 'parameters')
  const items = readTodoCall(tool, args)
  return [
    { type: 'tool-called', tool, args: toShortText(args) },
    ...(items === undefined ? [] : [{ type: 'todo', items } as const]),
  ]
}

/** Errors that end the work or come from a policy. They contradict a later success. */
const refusals: readonly string[] = ['policy_violation', 'stop_execution']

function readToolResult(event: EventObject, state: ReaderState): readonly ProgramEvent[] {
  const id = callId(event)
  const tool = state.tools.get(id) ?? 'a tool'
  state.tools.delete(id)
  state.said = ''
  const error = textAt(event, 'error', 'message')
  const text = toShortText(error ?? textAt(event, 'output') ?? '')
  if (refusals.includes(textAt(event, 'error', 'type') ?? '')) {
    state.trouble ??= { end: 'refused', text: `It was refused ${tool}: ${text}` }
  }
  const ok = textAt(event, 'status') === 'success' && error === undefined
  return [{ type: 'tool-ended', tool, ok, text }]
}

const troubles: readonly (readonly [RegExp, AgentEnd])[] = [
  [/maximum session turns/i, 'limit'],
  [/execution blocked/i, 'refused'],
  [/loop detected/i, 'crashed'],
]

/** Other warnings are ignored. */
function classifyTrouble(message: string, isError: boolean): Omit<Conclusion, 'turns'> | undefined {
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

function toResult(
  event: EventObject,
  { trouble, said: words }: ReaderState,
): Omit<Conclusion, 'turns'> {
  if (textAt(event, 'status') !== 'success') {
    const type = textAt(event, 'error', 'type') ?? ''
    const message = textAt(event, 'error', 'message')
    const known = Object.hasOwn(endsByError, type) ? endsByError[type] : undefined
    const isApi = message?.startsWith('[API Error') === true || message === undefined
    const end = known ?? trouble?.end ?? (isApi ? 'provider' : 'crashed')
    return { end, text: toShortText(message ?? trouble?.text ?? 'It failed.', 2000) }
  }
  if (trouble !== undefined) return { ...trouble, text: [trouble.text, words].join('\n').trim() }
  if (words.trim() === '') return { end: 'no-result', text: 'Its model stopped without a word.' }
  return { end: 'claimed', text: words }
}

/** The exit codes that result from HTTP statuses. */
const exitCodes = (...statuses: readonly number[]): Readonly<Record<number, AgentEnd>> =>
  Object.fromEntries(statuses.map((status) => [status % 256, 'provider']))

/** Exit codes with a meaning; all others have none. */
const endsByCode: Readonly<Record<number, AgentEnd>> = {
  ...exitCodes(400, 401, 403, 404, 429, 500, 502, 503, 504),
  41: 'provider',
  53: 'limit',
}

function conclude(exit: ProgramExit, { result }: ReaderState): Omit<Conclusion, 'turns'> {
  const { exitCode = -1 } = exit
  if (exitCode === 0) return result ?? { end: 'no-result', text: describeExit(exit) }
  if (result !== undefined && result.end !== 'claimed') return result
  const end = endsByCode[exitCode] ?? classifyExit(exit, 'crashed')
  return { end, text: describeExit(exit) }
}
