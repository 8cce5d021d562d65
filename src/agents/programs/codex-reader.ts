/**
 * What Codex prints with `exec --json`, and what is to be made of its end.
 *
 * It ends with code 0 also when it was refused what it wanted; and an item of type `error` is a warning,
 * while an event of that type is a failure that it may still get over.
 */

import type { AgentEnd } from '../../loop/index.ts'
import type { Conclusion, LineReader, ProgramEvent, ProgramExit } from './agent-program.ts'
import { endOfExit, whyItEnded } from './end-of-exit.ts'
import { at, briefly, type EventObject, listAt, readEvent, textAt } from './event-line.ts'

/** What it says last is its report; more of it than anybody reads is not kept. */
const textCharsMax = 64 * 1024

/** What is kept of its lines. */
interface Heard {
  end: AgentEnd | undefined
  text: string
  error: string
  /** The first thing that it was not allowed. */
  refused: string | undefined
  isAnswering: boolean
  turns: number
}

export function codexReader(): LineReader {
  const heard: Heard = {
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
      return event === undefined ? [] : (readers.get(textAt(event, 'type'))?.(heard, event) ?? [])
    },
    conclude: (exit) => ({ ...conclude(heard, exit), turns: heard.turns }),
  }
}

type Read = (heard: Heard, event: EventObject) => readonly ProgramEvent[]

const readers: ReadonlyMap<string | undefined, Read> = new Map([
  ['thread.started', (_heard, event) => begun(event)],
  ['item.started', (heard, event) => started(heard, at(event, 'item'))],
  ['item.completed', (heard, event) => completed(heard, at(event, 'item'))],
  ['turn.completed', ended],
  ['turn.failed', failed],
  ['error', troubled],
])

function begun(event: EventObject): readonly ProgramEvent[] {
  const id = textAt(event, 'thread_id')
  return id === undefined ? [] : [{ type: 'session', id }]
}

function started(heard: Heard, item: unknown): readonly ProgramEvent[] {
  const call = callOf(item)
  if (call === undefined) return []
  answer(heard)
  return [{ type: 'tool-called', ...call }]
}

function completed(heard: Heard, item: unknown): readonly ProgramEvent[] {
  const type = textAt(item, 'type')
  if (type === 'agent_message') {
    answer(heard)
    heard.text = (textAt(item, 'text') ?? '').slice(-textCharsMax)
    return [{ type: 'said', text: heard.text }]
  }
  if (type === 'error') return [{ type: 'warned', message: messageOf(item) }]
  const call = callOf(item)
  if (call === undefined) return []
  const { tool } = call
  if (wasRefused(item)) heard.refused ??= `${tool} ${call.args}`
  const ok = textAt(item, 'status') === 'completed'
  const output = textAt(item, 'aggregated_output') ?? textAt(item, 'error', 'message') ?? ''
  return [...endTurn(heard), { type: 'tool-ended', tool, ok, text: output.slice(-500) }]
}

/** Its lines do not say where an answer of its model ends: one does when something of it was done. */
function answer(heard: Heard): void {
  // Whatever it said before, it goes on.
  heard.end = undefined
  if (!heard.isAnswering) heard.turns++
  heard.isAnswering = true
}

function endTurn(heard: Heard): readonly ProgramEvent[] {
  if (!heard.isAnswering) return []
  heard.isAnswering = false
  return [{ type: 'turn-ended' }]
}

function ended(heard: Heard): readonly ProgramEvent[] {
  const { refused, turns } = heard
  // One that asked no model has done nothing.
  const end = turns === 0 ? 'no-result' : refused === undefined ? 'claimed' : 'refused'
  if (refused !== undefined) heard.text = `It was not allowed: ${refused}\n${heard.text}`
  heard.end = end
  return [...endTurn(heard), { type: 'ended', end, text: heard.text, turns }]
}

function failed(heard: Heard, event: EventObject): readonly ProgramEvent[] {
  heard.end = 'provider'
  heard.error = textAt(event, 'error', 'message') ?? heard.error
  return [...endTurn(heard), { type: 'ended', end: 'provider', text: heard.error }]
}

function troubled(heard: Heard, event: EventObject): readonly ProgramEvent[] {
  const message = messageOf(event)
  heard.error = message.slice(0, textCharsMax)
  return [{ type: message.startsWith('Reconnecting') ? 'retrying' : 'warned', message }]
}

const messageOf = (value: unknown): string => textAt(value, 'message') ?? 'Something went wrong.'

function conclude(
  { end, text, error }: Heard,
  exit: ProgramExit,
): Pick<Conclusion, 'end' | 'text'> {
  if (end === undefined) {
    const why = [whyItEnded(exit), error].filter((part) => part !== '').join('\n')
    return { end: endOfExit(exit, 'no-result'), text: why }
  }
  if (end === 'provider') return { end, text: error }
  if (exit.exitCode === 0) return { end, text }
  const why = [whyItEnded(exit), text].join('\n').trim()
  return { end: end === 'claimed' ? endOfExit(exit, 'crashed') : end, text: why }
}

/** What of its items is a call of a tool. Those that it does not name are not shown. */
function callOf(item: unknown): { readonly tool: string; readonly args: string } | undefined {
  switch (textAt(item, 'type')) {
    case 'command_execution':
      return { tool: 'command', args: briefly(textAt(item, 'command') ?? '') }
    case 'file_change': {
      const paths = listAt(item, 'changes').flatMap((change) => textAt(change, 'path') ?? [])
      return { tool: 'edit', args: briefly(paths.join(' ')) }
    }
    case 'mcp_tool_call': {
      const tool = [textAt(item, 'server'), textAt(item, 'tool')].join('.')
      return { tool, args: briefly(at(item, 'arguments')) }
    }
    case 'web_search':
      return { tool: 'search', args: briefly(textAt(item, 'query') ?? '') }
    default:
      return undefined
  }
}

/**
 * A command that was not run has no exit code, or its own sandbox complains; one that ran and failed is
 * part of the work.
 */
function wasRefused(item: unknown): boolean {
  const status = textAt(item, 'status')
  if (status === 'declined') return true
  if (textAt(item, 'type') !== 'command_execution' || status !== 'failed') return false
  const exitCode = at(item, 'exit_code')
  const isOwnSandbox = textAt(item, 'aggregated_output')?.startsWith('bwrap: ') === true
  return typeof exitCode !== 'number' || exitCode < 0 || isOwnSandbox
}
