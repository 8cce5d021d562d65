/**
 * Reads the output of Codex with `exec --json`, and judges how it ended.
 *
 * It exits with 0 even if it was refused what it wanted; and an item of type `error` is a warning,
 * while an event of that type is a failure that it may still recover from.
 */

import type { AgentEnd } from '../../loop/index.ts'
import { readTodoItems } from '../todo-items.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { classifyExit, describeExit } from './classify-exit.ts'
import { at, type EventObject, listAt, readEvent, textAt, toShortText } from './event-line.ts'

/** Its last message is its report; more than anyone reads is not kept. */
const textCharsMax = 64 * 1024

/** The state kept from its output. */
interface ReaderState {
  end: AgentEnd | undefined
  text: string
  error: string
  /** The first refused call. */
  refused: string | undefined
  isAnswering: boolean
  turns: number
}

export function codexReader(): LineReader {
  const state: ReaderState = {
    end: undefined,
    text: '',
    error: '',
    refused: undefined,
    isAnswering: false,
    turns: 0,
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : (readers.get(textAt(event, 'type'))?.(state, event) ?? [])
    },
    conclude: (exit) => ({ ...conclude(state, exit), turns: state.turns }),
  }
}

type Read = (state: ReaderState, event: EventObject) => readonly ProgramEvent[]

const readers: ReadonlyMap<string | undefined, Read> = new Map([
  ['thread.started', (_heard, event) => readThread(event)],
  ['item.started', (state, event) => readStarted(state, at(event, 'item'))],
  ['item.updated', (_state, event) => readTodo(at(event, 'item'))],
  ['item.completed', (state, event) => readCompleted(state, at(event, 'item'))],
  ['turn.completed', readTurnCompleted],
  ['turn.failed', readTurnFailed],
  ['error', readError],
])

function readThread(event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'thread_id')
  return id === undefined ? [] : [{ type: 'session', id }]
}

function readStarted(state: ReaderState, item: unknown): readonly ProgramEvent[] {
  const call = toCall(item)
  if (call === undefined) return readTodo(item)
  startTurn(state)
  return [{ type: 'tool-called', ...call }]
}

function readCompleted(state: ReaderState, item: unknown): readonly ProgramEvent[] {
  const type = textAt(item, 'type')
  if (type === 'agent_message') {
    startTurn(state)
    state.text = (textAt(item, 'text') ?? '').slice(-textCharsMax)
    return [{ type: 'said', text: state.text }]
  }
  if (type === 'error') return [{ type: 'warned', message: readMessage(item) }]
  const call = toCall(item)
  if (call === undefined) return readTodo(item)
  const { tool } = call
  if (wasRefused(item)) state.refused ??= `${tool} ${call.args}`
  const ok = textAt(item, 'status') === 'completed'
  const output = textAt(item, 'aggregated_output') ?? textAt(item, 'error', 'message') ?? ''
  return [...endTurn(state), { type: 'tool-ended', tool, ok, text: output.slice(-500) }]
}

function readTodo(item: unknown): readonly ProgramEvent[] {
  if (textAt(item, 'type') !== 'todo_list') return []
  return [{ type: 'todo', items: readTodoItems(listAt(item, 'items')) }]
}

/**
 * Its output does not mark the end of a model response: it ends when a tool call of it has ended.
 */
function startTurn(state: ReaderState): void {
  // Whatever it reported before, it continues.
  state.end = undefined
  if (!state.isAnswering) state.turns++
  state.isAnswering = true
}

function endTurn(state: ReaderState): readonly ProgramEvent[] {
  if (!state.isAnswering) return []
  state.isAnswering = false
  return [{ type: 'turn-ended' }]
}

function readTurnCompleted(state: ReaderState): readonly ProgramEvent[] {
  const { refused, turns } = state
  // Without a model call, nothing was done.
  const end = turns === 0 ? 'no-result' : refused === undefined ? 'claimed' : 'refused'
  if (refused !== undefined) state.text = `It was not allowed: ${refused}\n${state.text}`
  state.end = end
  return [...endTurn(state), { type: 'ended', end, text: state.text, turns }]
}

function readTurnFailed(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  state.end = 'provider'
  state.error = textAt(event, 'error', 'message') ?? state.error
  return [...endTurn(state), { type: 'ended', end: 'provider', text: state.error }]
}

function readError(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  const message = readMessage(event)
  state.error = message.slice(0, textCharsMax)
  return [{ type: message.startsWith('Reconnecting') ? 'retrying' : 'warned', message }]
}

const readMessage = (value: unknown): string => textAt(value, 'message') ?? 'Something went wrong.'

function conclude(
  { end, text, error }: ReaderState,
  exit: ProgramExit,
): Pick<Conclusion, 'end' | 'text'> {
  if (end === undefined) {
    const why = [describeExit(exit), error].filter((part) => part !== '').join('\n')
    return { end: classifyExit(exit, 'no-result'), text: why }
  }
  if (end === 'provider') return { end, text: error }
  if (exit.exitCode === 0) return { end, text }
  const why = [describeExit(exit), text].join('\n').trim()
  return { end: end === 'claimed' ? classifyExit(exit, 'crashed') : end, text: why }
}

/** The item as a tool call. Items of other types are not shown. */
function toCall(item: unknown): { readonly tool: string; readonly args: string } | undefined {
  switch (textAt(item, 'type')) {
    case 'command_execution':
      return { tool: 'command', args: toShortText(textAt(item, 'command') ?? '') }
    case 'file_change': {
      const paths = listAt(item, 'changes').flatMap((change) => textAt(change, 'path') ?? [])
      return { tool: 'edit', args: toShortText(paths.join(' ')) }
    }
    case 'mcp_tool_call': {
      const tool = [textAt(item, 'server'), textAt(item, 'tool')].join('.')
      return { tool, args: toShortText(at(item, 'arguments')) }
    }
    case 'web_search':
      return { tool: 'search', args: toShortText(textAt(item, 'query') ?? '') }
    default:
      return undefined
  }
}

/**
 * A command that did not run has no exit code, or the program's own sandbox complains; one that ran
 * and failed is part of the work.
 */
function wasRefused(item: unknown): boolean {
  const status = textAt(item, 'status')
  if (status === 'declined') return true
  if (textAt(item, 'type') !== 'command_execution' || status !== 'failed') return false
  const exitCode = at(item, 'exit_code')
  const isOwnSandbox = textAt(item, 'aggregated_output')?.startsWith('bwrap: ') === true
  return typeof exitCode !== 'number' || exitCode < 0 || isOwnSandbox
}
