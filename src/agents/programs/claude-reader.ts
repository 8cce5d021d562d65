/**
 * Reads the output of Claude Code with `--output-format stream-json`, and judges how it ended.
 *
 * Its result is unreliable: `subtype: "success"` comes with `is_error: true` if its model failed,
 * and it exits with 0 if it was refused what it wanted or was interrupted. So every field has to
 * agree.
 */

import { type AgentEnd, defined } from '../../loop/index.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { classifyExit, describeExit } from './classify-exit.ts'
import { type ClaudeTodo, createClaudeTodo } from './claude-todo.ts'
import {
  at,
  countAt,
  type EventObject,
  listAt,
  readEvent,
  textAt,
  toShortText,
} from './event-line.ts'

interface Result {
  readonly end: AgentEnd
  readonly text: string
}

/** The state kept from its output. */
interface ReaderState {
  result: Result | undefined
  /** The id of the current response, which spans several lines. */
  message: string | undefined
  isAnswering: boolean
  turns: number
  /** Background commands that it waits for; it continues when one has ended. */
  background: number
  /** Tool calls in progress, by id. */
  readonly tools: Map<string, string>
  readonly todo: ClaudeTodo
}

const callsMax = 200

export function claudeReader(): LineReader {
  const state: ReaderState = {
    result: undefined,
    message: undefined,
    isAnswering: false,
    turns: 0,
    background: 0,
    tools: new Map(),
    todo: createClaudeTodo(),
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : (readers.get(textAt(event, 'type'))?.(state, event) ?? [])
    },
    conclude: (exit) => ({ ...conclude(state.result, exit), turns: state.turns }),
  }
}

type Read = (state: ReaderState, event: EventObject) => readonly ProgramEvent[]

const readers: ReadonlyMap<string | undefined, Read> = new Map([
  ['system', readSystem],
  ['assistant', readAssistant],
  ['user', readToolResults],
  ['result', readResult],
])

function readAssistant(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  // Whatever it reported before, it continues.
  state.result = undefined
  // Texts by its sub-agents are internal; their tool calls are reported.
  const isOwn = typeof at(event, 'parent_tool_use_id') !== 'string'
  const ended = isOwn ? startTurn(state, event) : []
  const said = listAt(event, 'message', 'content').flatMap((block): readonly ProgramEvent[] => {
    const type = textAt(block, 'type')
    const text = textAt(block, 'text')
    if (type === 'text' && text !== undefined && isOwn) return [{ type: 'said', text }]
    const tool = textAt(block, 'name')
    if (type !== 'tool_use' || tool === undefined) return []
    const id = textAt(block, 'id')
    remember(state, id, tool)
    const input = at(block, 'input')
    const items = isOwn ? state.todo.called(tool, input, id) : undefined
    return [
      { type: 'tool-called', tool, args: toShortText(input) },
      ...(items === undefined ? [] : [{ type: 'todo', items } as const]),
    ]
  })
  return [...ended, ...said]
}

/** Messages by the program itself are not model responses. */
function startTurn(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'message', 'id')
  const isSynthetic = textAt(event, 'message', 'model') === '<synthetic>'
  if (isSynthetic || (state.isAnswering && id === state.message)) return []
  const ended = endTurn(state)
  state.message = id
  state.isAnswering = true
  state.turns++
  return ended
}

function endTurn(state: ReaderState): readonly ProgramEvent[] {
  if (!state.isAnswering) return []
  state.isAnswering = false
  return [{ type: 'turn-ended' }]
}

function remember({ tools }: ReaderState, id: string | undefined, tool: string): void {
  if (id === undefined) return
  if (tools.size >= callsMax) tools.clear()
  tools.set(id, tool)
}

function readToolResults(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  const ended = listAt(event, 'message', 'content').flatMap((block): readonly ProgramEvent[] => {
    const id = textAt(block, 'tool_use_id')
    if (textAt(block, 'type') !== 'tool_result' || id === undefined) return []
    const tool = state.tools.get(id) ?? 'tool'
    state.tools.delete(id)
    const ok = at(block, 'is_error') !== true
    const text = toShortText(at(block, 'content'))
    const items = state.todo.ended(id, ok, text)
    return [
      { type: 'tool-ended', tool, ok, text },
      ...(items === undefined ? [] : [{ type: 'todo', items } as const]),
    ]
  })
  return [...endTurn(state), ...ended]
}

function readResult(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  const claimed = classifyResult(event)
  // Without a model call, nothing was done.
  const end = claimed === 'claimed' && state.turns === 0 ? 'no-result' : claimed
  state.result = { end, text: readResultText(event) }
  return [...endTurn(state), ...toEnded(state)]
}

/** A result is not final while background commands are running. */
function toEnded({ result, background, turns }: ReaderState): readonly ProgramEvent[] {
  return result === undefined || background > 0 ? [] : [{ type: 'ended', ...result, turns }]
}

function readSystem(state: ReaderState, event: EventObject): readonly ProgramEvent[] {
  switch (textAt(event, 'subtype')) {
    case 'init': {
      const id = textAt(event, 'session_id')
      const model = textAt(event, 'model')
      if (id === undefined) return []
      return [{ type: 'session', id, ...defined({ model }) }]
    }
    case 'api_retry': {
      const status = countAt(event, 'error_status')
      const why = textAt(event, 'error') ?? 'unknown'
      const message = status === undefined ? why : `${status} ${why}`
      return [{ type: 'retrying', message }]
    }
    case 'background_tasks_changed':
      state.background = listAt(event, 'tasks').length
      return toEnded(state)
    case 'permission_denied':
      return [{ type: 'warned', message: `${textAt(event, 'tool_name') ?? 'A tool'} was refused.` }]
    default:
      return []
  }
}

const limits: ReadonlySet<unknown> = new Set([
  'error_max_turns',
  'error_max_budget_usd',
  'max_turns',
  'budget_exhausted',
])

/** The first contradiction counts. */
function classifyResult(event: EventObject): AgentEnd {
  const subtype = textAt(event, 'subtype')
  const reason = textAt(event, 'terminal_reason')
  if (limits.has(subtype) || limits.has(reason)) return 'limit'
  if (reason?.startsWith('aborted') === true) return 'interrupted'
  const failures = ['api_error_status', 'api_error', 'api_error_type'].map((key) => at(event, key))
  const hasFailed = failures.some((failure) => failure !== null && failure !== undefined)
  if (hasFailed || reason === 'api_error' || reason === 'prompt_too_long') return 'provider'
  const denials = at(event, 'permission_denials')
  if (denials !== undefined && !(Array.isArray(denials) && denials.length === 0)) return 'refused'
  const isGood =
    subtype === 'success' &&
    at(event, 'is_error') === false &&
    (reason === undefined || reason === 'completed') &&
    textAt(event, 'result') !== undefined
  return isGood ? 'claimed' : 'crashed'
}

function readResultText(event: EventObject): string {
  const said = textAt(event, 'result')
  if (said !== undefined) return said
  return listAt(event, 'errors')
    .map((error) => toShortText(error))
    .join('\n')
}

function conclude(result: Result | undefined, exit: ProgramExit): Omit<Conclusion, 'turns'> {
  if (result === undefined)
    return { end: classifyExit(exit, 'no-result'), text: describeExit(exit) }
  if (result.end !== 'claimed' || exit.exitCode === 0) return result
  const text = [describeExit(exit), result.text].join('\n').trim()
  return { end: classifyExit(exit, 'crashed'), text }
}
