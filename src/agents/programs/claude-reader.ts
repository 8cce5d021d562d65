/**
 * What Claude Code prints with `--output-format stream-json`, and what is to be made of its end.
 *
 * Its result lies: `subtype: "success"` comes with `is_error: true` when its model failed; it ends with
 * code 0 when it was refused what it wanted, and when it was interrupted. So each field has to agree.
 */

import { type AgentEnd, defined } from '../../loop/index.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { endOfExit, whyItEnded } from './end-of-exit.ts'
import { at, briefly, countAt, type EventObject, listAt, readEvent, textAt } from './event-line.ts'

interface Result {
  readonly end: AgentEnd
  readonly text: string
}

/** What is kept of its lines. */
interface Heard {
  result: Result | undefined
  /** The answer that is told now; one comes in several lines. */
  message: string | undefined
  isAnswering: boolean
  turns: number
  /** Its commands that go on while it waits; it works again when one has ended. */
  background: number
  /** Calls under way, by their ids. */
  readonly tools: Map<string, string>
}

const callsMax = 200

export function claudeReader(): LineReader {
  const heard: Heard = {
    result: undefined,
    message: undefined,
    isAnswering: false,
    turns: 0,
    background: 0,
    tools: new Map(),
  }
  return {
    read(line) {
      const event = readEvent(line)
      return event === undefined ? [] : (readers.get(textAt(event, 'type'))?.(heard, event) ?? [])
    },
    conclude: (exit) => ({ ...conclude(heard.result, exit), turns: heard.turns }),
  }
}

type Read = (heard: Heard, event: EventObject) => readonly ProgramEvent[]

const readers: ReadonlyMap<string | undefined, Read> = new Map([
  ['system', noticed],
  ['assistant', answered],
  ['user', returned],
  ['result', finished],
])

function answered(heard: Heard, event: EventObject): readonly ProgramEvent[] {
  // Whatever it said before, it goes on.
  heard.result = undefined
  // What its own agents say to it is not for us; what they do is.
  const isOwn = typeof at(event, 'parent_tool_use_id') !== 'string'
  const ended = isOwn ? begin(heard, event) : []
  const said = listAt(event, 'message', 'content').flatMap((block): readonly ProgramEvent[] => {
    const type = textAt(block, 'type')
    const text = textAt(block, 'text')
    if (type === 'text' && text !== undefined && isOwn) return [{ type: 'said', text }]
    const tool = textAt(block, 'name')
    if (type !== 'tool_use' || tool === undefined) return []
    remember(heard, textAt(block, 'id'), tool)
    return [{ type: 'tool-called', tool, args: briefly(at(block, 'input')) }]
  })
  return [...ended, ...said]
}

/** What the program says itself is no answer of a model. */
function begin(heard: Heard, event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'message', 'id')
  const isSynthetic = textAt(event, 'message', 'model') === '<synthetic>'
  if (isSynthetic || (heard.isAnswering && id === heard.message)) return []
  const ended = endTurn(heard)
  heard.message = id
  heard.isAnswering = true
  heard.turns++
  return ended
}

function endTurn(heard: Heard): readonly ProgramEvent[] {
  if (!heard.isAnswering) return []
  heard.isAnswering = false
  return [{ type: 'turn-ended' }]
}

function remember({ tools }: Heard, id: string | undefined, tool: string): void {
  if (id === undefined) return
  if (tools.size >= callsMax) tools.clear()
  tools.set(id, tool)
}

function returned(heard: Heard, event: EventObject): readonly ProgramEvent[] {
  const ended = listAt(event, 'message', 'content').flatMap((block): readonly ProgramEvent[] => {
    const id = textAt(block, 'tool_use_id')
    if (textAt(block, 'type') !== 'tool_result' || id === undefined) return []
    const tool = heard.tools.get(id) ?? 'tool'
    heard.tools.delete(id)
    const ok = at(block, 'is_error') !== true
    return [{ type: 'tool-ended', tool, ok, text: briefly(at(block, 'content')) }]
  })
  return [...endTurn(heard), ...ended]
}

function finished(heard: Heard, event: EventObject): readonly ProgramEvent[] {
  const claimed = endOfResult(event)
  // One that asked no model has done nothing.
  const end = claimed === 'claimed' && heard.turns === 0 ? 'no-result' : claimed
  heard.result = { end, text: textOfResult(event) }
  return [...endTurn(heard), ...resultOf(heard)]
}

/** A result is not the end while something that it waits for goes on. */
function resultOf({ result, background, turns }: Heard): readonly ProgramEvent[] {
  return result === undefined || background > 0 ? [] : [{ type: 'ended', ...result, turns }]
}

function noticed(heard: Heard, event: EventObject): readonly ProgramEvent[] {
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
      heard.background = listAt(event, 'tasks').length
      return resultOf(heard)
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

/** The first that speaks against it counts. */
function endOfResult(event: EventObject): AgentEnd {
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

function textOfResult(event: EventObject): string {
  const said = textAt(event, 'result')
  if (said !== undefined) return said
  return listAt(event, 'errors')
    .map((error) => briefly(error))
    .join('\n')
}

function conclude(result: Result | undefined, exit: ProgramExit): Omit<Conclusion, 'turns'> {
  if (result === undefined) return { end: endOfExit(exit, 'no-result'), text: whyItEnded(exit) }
  if (result.end !== 'claimed' || exit.exitCode === 0) return result
  const text = [whyItEnded(exit), result.text].join('\n').trim()
  return { end: endOfExit(exit, 'crashed'), text }
}
