/**
 * Reports an agent's work while it is in progress: its text, tool calls and plan.
 *
 * All of this is untrusted: it is shortened, limited in number, and dropped if unreadable. What the
 * agent reports about tokens and cost is ignored; the gateway knows.
 */

import { createRecentMap } from '../../system/recent-map.ts'
import type { ProgramEvent } from '../programs/agent-program.ts'
import { at, listAt, textAt } from '../programs/event-line.ts'
import { readTodoItems } from '../todo-items.ts'
import { createStreamedText } from './streamed-text.ts'

export interface SessionUpdates {
  /** The parameters of one `session/update`. */
  update(params: unknown): void
  /** A tool call was not allowed. */
  refused(toolCallId: string): void
  /** It requests permission for a tool call. Returns the kind of tool, if declared. */
  asked(toolCall: unknown): string | undefined
  /** No more updates follow: reports what is still pending. */
  end(): void
  /** Its last message. */
  text(): string
  readonly turns: number
  /** A request was refused, and no call succeeded after that. */
  readonly isRefused: boolean
  /** A tool call is in progress. */
  readonly isCalling: boolean
}

type Emit = (event: ProgramEvent) => void

export function createSessionUpdates(emit: Emit): SessionUpdates {
  const output = createStreamedText((text) => emit({ type: 'said', text }))
  const say = (text: string): void => {
    output.flush()
    emit({ type: 'said', text })
  }
  let turns = 0
  let isInTurn = false
  const startTurn = (): void => {
    if (!isInTurn) turns += 1
    isInTurn = true
  }
  const endTurn = (): void => {
    output.flush()
    if (isInTurn) emit({ type: 'turn-ended' })
    isInTurn = false
  }
  const calls = createCalls({
    onStarted({ kind, title }) {
      startTurn()
      output.flush()
      output.next()
      emit({ type: 'tool-called', tool: kind, args: title })
    },
    onEnded({ kind, title }, ok) {
      endTurn()
      emit({ type: 'tool-ended', tool: kind, ok, text: title })
    },
  })
  return {
    get turns() {
      return turns
    },
    get isRefused() {
      return calls.isRefused
    },
    get isCalling() {
      return calls.isCalling
    },
    asked(toolCall) {
      calls.update(toolCall)
      return calls.find(textAt(toolCall, 'toolCallId') ?? '')?.kind
    },
    refused(toolCallId) {
      calls.refused()
      say(`not allowed: ${calls.find(toolCallId)?.title ?? toolCallId}`)
    },
    end: endTurn,
    text: output.last,
    update(params) {
      const update = at(params, 'update')
      const type = textAt(update, 'sessionUpdate')
      if (type === 'agent_message_chunk') {
        const text = textAt(update, 'content', 'text') ?? ''
        if (text !== '') startTurn()
        output.add(text)
      } else if (type === 'tool_call' || type === 'tool_call_update') calls.update(update)
      else if (type === 'plan') {
        const entries = listAt(update, 'entries')
        if (entries.length > 0) emit({ type: 'todo', items: readTodoItems(entries) })
      }
    },
  }
}

interface Call {
  readonly title: string
  readonly kind: string
  readonly isOver: boolean
  /** How many refusals there had been when this call started. */
  readonly refusals: number
}

interface Calls {
  update(change: unknown): void
  refused(): void
  find(id: string): Call | undefined
  readonly isRefused: boolean
  readonly isCalling: boolean
}

const titleCharsMax = 200
/** Beyond that the oldest are forgotten. */
const callsMax = 1000

function createCalls(handlers: {
  onStarted(call: Call): void
  onEnded(call: Call, ok: boolean): void
}): Calls {
  const calls = createRecentMap<string, Call>(callsMax)
  let refusals = 0
  let isRefused = false
  return {
    get isRefused() {
      return isRefused
    },
    get isCalling() {
      return [...calls.values()].some(({ isOver }) => !isOver)
    },
    find: (id) => calls.get(id),
    refused() {
      refusals += 1
      isRefused = true
    },
    update(change) {
      const id = textAt(change, 'toolCallId')
      if (id === undefined || id.length > titleCharsMax) return
      const known = calls.get(id)
      const status = textAt(change, 'status')
      const call = {
        title: shortTextAt(change, 'title') ?? known?.title ?? '',
        kind: shortTextAt(change, 'kind') ?? known?.kind ?? 'other',
        isOver: known?.isOver === true || status === 'completed' || status === 'failed',
        refusals: known?.refusals ?? refusals,
      }
      if (known === undefined) handlers.onStarted(call)
      if (call.isOver && known?.isOver !== true) {
        const ok = status === 'completed'
        if (ok && call.refusals === refusals) isRefused = false
        handlers.onEnded(call, ok)
      }
      calls.set(id, call)
    },
  }
}

function shortTextAt(value: unknown, name: string): string | undefined {
  const text = textAt(value, name)?.slice(0, titleCharsMax)
  return text === '' ? undefined : text
}
