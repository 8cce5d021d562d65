/**
 * What an agent tells of its work while it works: what it says, its tool calls, its plan.
 *
 * Everything here is a stranger's: it is cut, kept in small numbers, and what cannot be read is left out.
 * What it tells of tokens and money is not listened to; the gateway knows.
 */

import type { ProgramEvent } from '../programs/agent-program.ts'
import { at, listAt, textAt } from '../programs/event-line.ts'
import { createSpeech } from './speech.ts'

export interface SessionUpdates {
  /** The parameters of one `session/update`. */
  update(params: unknown): void
  /** A call of a tool was not allowed. */
  refused(toolCallId: string): void
  /** It asks whether it may call a tool. Returns what kind of tool that is, if it said so. */
  asked(toolCall: unknown): string | undefined
  /** There will be no more: what was not told yet is told. */
  end(): void
  /** What it said last. */
  text(): string
  readonly turns: number
  /** It was refused something, and did nothing after that. */
  readonly isRefused: boolean
}

type Tell = (event: ProgramEvent) => void

export function createSessionUpdates(tell: Tell): SessionUpdates {
  const speech = createSpeech((text) => tell({ type: 'said', text }))
  const say = (text: string): void => {
    speech.tellAll()
    tell({ type: 'said', text })
  }
  let turns = 0
  let isAnswering = false
  const answers = (): void => {
    if (!isAnswering) turns += 1
    isAnswering = true
  }
  const hasAnswered = (): void => {
    speech.tellAll()
    if (isAnswering) tell({ type: 'turn-ended' })
    isAnswering = false
  }
  const calls = createCalls({
    begins({ kind, title }) {
      answers()
      speech.tellAll()
      speech.next()
      tell({ type: 'tool-called', tool: kind, args: title })
    },
    ends({ kind, title }, ok) {
      hasAnswered()
      tell({ type: 'tool-ended', tool: kind, ok, text: title })
    },
  })
  return {
    get turns() {
      return turns
    },
    get isRefused() {
      return calls.isRefused
    },
    asked(toolCall) {
      calls.heard(toolCall)
      return calls.find(textAt(toolCall, 'toolCallId') ?? '')?.kind
    },
    refused(toolCallId) {
      calls.refused()
      say(`not allowed: ${calls.find(toolCallId)?.title ?? toolCallId}`)
    },
    end: hasAnswered,
    text: speech.last,
    update(params) {
      const update = at(params, 'update')
      const type = textAt(update, 'sessionUpdate')
      if (type === 'agent_message_chunk') {
        const text = textAt(update, 'content', 'text') ?? ''
        if (text !== '') answers()
        speech.add(text)
      } else if (type === 'tool_call' || type === 'tool_call_update') calls.heard(update)
      else if (type === 'plan') {
        const plan = planOf(listAt(update, 'entries'))
        if (plan !== undefined) say(plan)
      }
    },
  }
}

interface Call {
  readonly title: string
  readonly kind: string
  readonly isOver: boolean
  /** How often it had been refused something when this began. */
  readonly refusals: number
}

interface Calls {
  heard(update: unknown): void
  refused(): void
  find(id: string): Call | undefined
  readonly isRefused: boolean
}

const titleCharsMax = 200
/** Beyond that the oldest are forgotten. */
const callsMax = 1000

function createCalls(handlers: {
  begins(call: Call): void
  ends(call: Call, ok: boolean): void
}): Calls {
  const calls = new Map<string, Call>()
  let refusals = 0
  let isRefused = false
  return {
    get isRefused() {
      return isRefused
    },
    find: (id) => calls.get(id),
    refused() {
      refusals += 1
      isRefused = true
    },
    heard(update) {
      const id = textAt(update, 'toolCallId')
      if (id === undefined || id.length > titleCharsMax) return
      const known = calls.get(id)
      const status = textAt(update, 'status')
      const call = {
        title: briefAt(update, 'title') ?? known?.title ?? '',
        kind: briefAt(update, 'kind') ?? known?.kind ?? 'other',
        isOver: known?.isOver === true || status === 'completed' || status === 'failed',
        refusals: known?.refusals ?? refusals,
      }
      if (known === undefined) handlers.begins(call)
      if (call.isOver && known?.isOver !== true) {
        const ok = status === 'completed'
        if (ok && call.refusals === refusals) isRefused = false
        handlers.ends(call, ok)
      }
      calls.delete(id)
      calls.set(id, call)
      const [oldest] = calls.keys()
      if (calls.size > callsMax && oldest !== undefined) calls.delete(oldest)
    },
  }
}

function planOf(entries: readonly unknown[]): string | undefined {
  if (entries.length === 0) return undefined
  const isAt = (status: string) => (entry: unknown) => textAt(entry, 'status') === status
  const done = entries.filter(isAt('completed')).length
  const now = briefAt(entries.find(isAt('in_progress')), 'content')
  return `plan: ${done} of ${entries.length} done${now === undefined ? '' : `: ${now}`}`
}

function briefAt(value: unknown, name: string): string | undefined {
  const text = textAt(value, name)?.slice(0, titleCharsMax)
  return text === '' ? undefined : text
}
