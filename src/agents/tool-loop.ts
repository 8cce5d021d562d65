/**
 * Our own tool loop: asks a brain, makes the calls it wants through the engine, tells it what came of
 * them, asks again, until it answers without a call.
 *
 *   ask ─▶ calls? ─▶ one after the other, in order ─▶ results, what is left ─▶ ask …
 *            └ none ─▶ report
 *
 * 1. It ends: after `turnsMax` turns at the latest, the last of them without tools so that there is a
 *    report; after three answers in a row that were cut off or empty; after six times the same call.
 * 2. Whatever a brain says is data: calls of unknown tools and arguments that cannot be read are
 *    answered, never thrown.
 * 3. When the signal aborts it ends at once, whatever it was waiting for.
 */

import {
  type AgentContext,
  type AgentReport,
  type AgentTask,
  type Amount,
  add,
  defined,
  type ToolDescription,
  type ToolResult,
  zero,
} from '../loop/index.ts'
import { abortable } from './abortable.ts'
import { budgetLine } from './budget-line.ts'
import type { Brain, CallResult, Message, Reply, ToolCall } from './conversation.ts'
import { readStatus, reportConvention } from './report-status.ts'
import { createStuckWatch, nudgeAt, type StuckWatch, stopAt } from './stuck-watch.ts'

export interface ToolLoopOptions {
  readonly brain: Brain
  /** Said to the model before the convention of reports. */
  readonly system?: string
  readonly turnsMax?: number
}

export const defaultTurnsMax = 50
/** Answers in a row that were cut off or empty. */
const unfinishedMax = 3
const callsPerTurnMax = 64
/** A tool cuts its own output long before; this holds for those that do not. */
const resultCharsMax = 200_000
const reportCharsMax = 100_000
const saidCharsMax = 500

interface Talk {
  readonly context: AgentContext
  readonly tools: readonly ToolDescription[]
  readonly watch: StuckWatch
  readonly turnsMax: number
  readonly system: string
  messages: Message[]
  turn: number
  usage: Amount
  unfinished: number
  /** Pieces of an answer that was cut off. */
  said: string
}

export async function runToolLoop(
  options: ToolLoopOptions,
  task: AgentTask,
  context: AgentContext,
): Promise<AgentReport> {
  const talk = await begin(options, task, context)
  for (;;) {
    talk.turn++
    const reply = await ask(options.brain, talk)
    const end = reply.calls.length > 0 ? await takeCalls(talk, reply) : takeText(talk, reply)
    if (end !== undefined) return end
  }
}

async function begin(
  options: ToolLoopOptions,
  task: AgentTask,
  context: AgentContext,
): Promise<Talk> {
  const tools = await abortable(context.signal, () => context.tools())
  const turnsMax = Math.max(1, Math.floor(options.turnsMax ?? defaultTurnsMax))
  return {
    context,
    tools,
    watch: createStuckWatch(),
    turnsMax,
    system:
      options.system === undefined ? reportConvention : `${options.system}\n\n${reportConvention}`,
    messages: [{ role: 'user', text: task.prompt }],
    turn: 0,
    usage: zero,
    unfinished: 0,
    said: '',
  }
}

async function ask(brain: Brain, talk: Talk): Promise<Reply> {
  const { context, tools, turn, turnsMax, system } = talk
  const turnsLeft = turnsMax - turn + 1
  const mayCall = turnsLeft > 1
  const hasStatus = talk.messages.length > 1 || !mayCall
  const status = hasStatus ? { status: budgetLine(context.remaining(), turnsLeft) } : {}
  context.signal.throwIfAborted()
  const question = { system, messages: talk.messages, tools, mayCall, turn, ...status }
  const reply = await brain.answer(question, context)
  context.signal.throwIfAborted()
  if (reply.messages !== undefined) talk.messages = [...reply.messages]
  talk.usage = add(talk.usage, reply.usage)
  const { text, calls, usage, raw } = reply
  talk.messages.push({ role: 'assistant', text, calls, ...defined({ raw }) })
  const shown = text.slice(0, saidCharsMax)
  context.note({
    type: 'turn-ended',
    turn,
    text: shown,
    calls: calls.length,
    ...(calls[0] === undefined ? {} : { calling: describeCall(calls[0]) }),
    usage,
  })
  return reply
}

const describeCall = ({ name, args }: ToolCall): string =>
  `${name} ${JSON.stringify(args) ?? ''}`.slice(0, saidCharsMax)

/** The end, or a piece of an answer that the brain is asked to go on with. */
function takeText(talk: Talk, reply: Reply): AgentReport | undefined {
  const { text, stop } = reply
  if (stop === 'refused') return failed(talk, `The model refused to answer. ${text}`)
  if (stop === 'failed') return failed(talk, `The model ended its answer with an error. ${text}`)
  const isEmpty = text.trim() === ''
  talk.said += text
  if (stop !== 'length' && !isEmpty) return reported(talk, talk.said)
  if (talk.turn >= talk.turnsMax) return outOfTurns(talk)
  if (++talk.unfinished >= unfinishedMax) {
    const what = stop === 'length' ? 'cut off at its length limit' : 'empty'
    return failed(talk, `Its answer was ${what} ${unfinishedMax} times in a row. ${talk.said}`)
  }
  // Nobody takes an empty message back.
  if (isEmpty) talk.messages.pop()
  const request =
    stop === 'length'
      ? 'Your answer was cut off at its length limit. Continue exactly where it ended.'
      : 'Your answer was empty. Go on with the task, or say what you did.'
  talk.messages.push({ role: 'user', text: request })
  return undefined
}

async function takeCalls(talk: Talk, reply: Reply): Promise<AgentReport | undefined> {
  const { context, watch } = talk
  talk.unfinished = 0
  talk.said = ''
  if (talk.turn >= talk.turnsMax) {
    talk.said = reply.text
    return outOfTurns(talk)
  }
  const results: CallResult[] = []
  const nudges = new Set<string>()
  for (const [index, call] of reply.calls.entries()) {
    const result = index < callsPerTurnMax ? await makeCall(talk, call) : tooMany(call)
    results.push(result)
    const times = watch.saw(call, result)
    if (times >= stopAt) return failed(talk, stuck(call, times, reply.text))
    if (times !== nudgeAt) continue
    context.note({ type: 'nudged', tool: call.name, times })
    nudges.add(nudge(call, times))
  }
  talk.messages.push({ role: 'results', results })
  for (const text of nudges) talk.messages.push({ role: 'user', text })
  return undefined
}

async function makeCall(talk: Talk, call: ToolCall): Promise<CallResult> {
  const { context } = talk
  const { id, name, args, problem } = call
  if (problem !== undefined) {
    return { id, name, ok: false, text: `error (bad-arguments): ${problem}` }
  }
  const result = await abortable(context.signal, () => context.callTool(name, args))
  return { id, name, ok: result.ok, text: resultText(result) }
}

function resultText(result: ToolResult): string {
  const { output, ok, error } = result
  const body = typeof output === 'string' ? output : JSON.stringify(output)
  const text = ok ? body : `error (${error ?? 'tool-failed'}): ${body}`
  if (text.length <= resultCharsMax) return text
  return `${text.slice(0, resultCharsMax)}\n[${text.length - resultCharsMax} more characters were cut]`
}

const tooMany = ({ id, name }: ToolCall): CallResult => ({
  id,
  name,
  ok: false,
  text: `error (too-many-calls): At most ${callsPerTurnMax} calls are made in one turn. Make it again.`,
})

const nudge = (call: ToolCall, times: number): string =>
  `You have called ${call.name} with the same arguments ${times} times, and nothing new came of it. ` +
  `Do something else, or say what keeps you from going on. At ${stopAt} times you are stopped.`

const stuck = (call: ToolCall, times: number, said: string): string =>
  `Stopped: it called ${call.name} with the same arguments ${times} times and nothing new came of it. ${said}`

function outOfTurns(talk: Talk): AgentReport {
  const { text, status } = readStatus(talk.said)
  const limit = `It had not finished after ${talk.turnsMax} turns.`
  const said = text.trim() === '' ? limit : `${text}\n${limit}`
  return report(talk, status ?? 'failed', said)
}

function reported(talk: Talk, said: string): AgentReport {
  const { text, status } = readStatus(said)
  if (talk.turn < talk.turnsMax || talk.turnsMax === 1) return report(talk, status ?? 'done', text)
  // It ended because it had to; whether its work did is for it to say.
  const why = `(This was turn ${talk.turn}, the last it was allowed.)`
  return report(talk, status ?? 'done-with-concerns', `${text}\n${why}`)
}

const failed = (talk: Talk, text: string): AgentReport => report(talk, 'failed', text.trimEnd())

function report(talk: Talk, status: AgentReport['status'], text: string): AgentReport {
  return { status, text: text.slice(-reportCharsMax), usage: talk.usage, turns: talk.turn }
}
