/**
 * The tool loop: asks a chat model, makes its tool calls through the engine, returns the results, and asks
 * again until it replies without a call.
 *
 *   ask ─▶ calls? ─▶ one after the other, in order ─▶ results, remaining budget ─▶ ask …
 *            └ none ─▶ report
 *
 * 1. It ends: after `turnsMax` turns at the latest, the last of them without tools so that there is a
 *    report; after three consecutive replies that were cut off or empty; after six equal calls.
 * 2. Whatever a chat model replies is data: calls of unknown tools and unreadable arguments get an error
 *    result and are never thrown.
 * 3. When the signal aborts it ends at once, whatever it was waiting for.
 */

import {
  type AgentContext,
  type AgentReport,
  type AgentTask,
  type Amount,
  add,
  defined,
  describeGuidance,
  type ToolDescription,
  type ToolResult,
  tooManyFiles,
  zero,
} from '../loop/index.ts'
import { abortable } from './abortable.ts'
import { budgetLine } from './budget-line.ts'
import type { CallResult, ChatModel, Message, Reply, ToolCall } from './conversation.ts'
import { readStatus, reportConvention } from './report-status.ts'
import { createStuckWatch, nudgeAt, type StuckWatch, stopAt } from './stuck-watch.ts'
import { callTodo, todoTool, withTodoTool } from './todo-tool.ts'

export interface ToolLoopOptions {
  readonly chatModel: ChatModel
  /** Precedes the report convention in the system text. */
  readonly system?: string
  readonly turnsMax?: number
}

export const defaultTurnsMax = 50
/** Consecutive replies that were cut off or empty. */
const unfinishedMax = 3
const callsPerTurnMax = 64
/** Tools shorten their own output long before; this is for those that do not. */
const resultCharsMax = 200_000
const reportCharsMax = 100_000
const saidCharsMax = 500

interface Conversation {
  readonly context: AgentContext
  readonly tools: readonly ToolDescription[]
  readonly watch: StuckWatch
  readonly turnsMax: number
  readonly system: string
  messages: Message[]
  turn: number
  usage: Amount
  unfinished: number
  /** Pieces of a reply that was cut off. */
  said: string
  /** Why it was stopped: a person is asked first. */
  stopped: string | undefined
}

export async function runToolLoop(
  options: ToolLoopOptions,
  task: AgentTask,
  context: AgentContext,
): Promise<AgentReport> {
  const conversation = await begin(options, task, context)
  for (;;) {
    conversation.turn++
    const reply = await ask(options.chatModel, conversation)
    const end =
      reply.calls.length > 0
        ? await handleCalls(conversation, reply)
        : handleText(conversation, reply)
    if (end !== undefined && !isSteered(conversation, end)) return end
  }
}

async function begin(
  options: ToolLoopOptions,
  task: AgentTask,
  context: AgentContext,
): Promise<Conversation> {
  const tools = withTodoTool(await abortable(context.signal, () => context.tools()))
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
    stopped: undefined,
  }
}

async function ask(chatModel: ChatModel, conversation: Conversation): Promise<Reply> {
  const { context, tools, turn, turnsMax, system } = conversation
  const turnsLeft = turnsMax - turn + 1
  const mayCall = turnsLeft > 1
  const hasStatus = conversation.messages.length > 1 || !mayCall
  const status = hasStatus ? { status: budgetLine(context.remaining(), turnsLeft) } : {}
  context.signal.throwIfAborted()
  await addGuidance(conversation)
  const question = { system, messages: conversation.messages, tools, mayCall, turn, ...status }
  const reply = await chatModel.answer(question, context)
  context.signal.throwIfAborted()
  if (reply.messages !== undefined) conversation.messages = [...reply.messages]
  conversation.usage = add(conversation.usage, reply.usage)
  const { text, calls, usage, raw } = reply
  conversation.messages.push({
    role: 'assistant',
    text,
    calls,
    ...defined({ raw }),
  })
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

/** What people said since the last turn comes before the next one. */
async function addGuidance({ context, messages }: Conversation): Promise<void> {
  const { guidance } = context
  if (guidance === undefined || guidance.waiting === 0) return
  const told = await abortable(context.signal, () => guidance.take())
  if (told.length > 0) messages.push({ role: 'user', text: describeGuidance(told) })
}

/** It wants to report, but a person has just told it something that it can still act on. */
function isSteered(conversation: Conversation, { status }: AgentReport): boolean {
  const { context, turn, turnsMax } = conversation
  const isWaiting = (context.guidance?.waiting ?? 0) > 0 && conversation.stopped === undefined
  if (!isWaiting || status === 'failed' || turn >= turnsMax) return false
  conversation.said = ''
  return true
}

const describeCall = ({ name, args }: ToolCall): string =>
  `${name} ${JSON.stringify(args) ?? ''}`.slice(0, saidCharsMax)

/** The report, or undefined if the chat model is asked to continue a reply that was cut off. */
function handleText(conversation: Conversation, reply: Reply): AgentReport | undefined {
  const { text, stop } = reply
  if (stop === 'refused') return reportFailed(conversation, `The model refused to answer. ${text}`)
  if (stop === 'failed')
    return reportFailed(conversation, `The model ended its answer with an error. ${text}`)
  const isEmpty = text.trim() === ''
  conversation.said += text
  if (stop !== 'length' && !isEmpty) return reportDone(conversation, conversation.said)
  if (conversation.turn >= conversation.turnsMax) return reportOutOfTurns(conversation)
  if (++conversation.unfinished >= unfinishedMax) {
    const what = stop === 'length' ? 'cut off at its length limit' : 'empty'
    return reportFailed(
      conversation,
      `Its answer was ${what} ${unfinishedMax} times in a row. ${conversation.said}`,
    )
  }
  // Providers refuse empty messages.
  if (isEmpty) conversation.messages.pop()
  const request =
    stop === 'length'
      ? 'Your answer was cut off at its length limit. Continue exactly where it ended.'
      : 'Your answer was empty. Go on with the task, or say what you did.'
  conversation.messages.push({ role: 'user', text: request })
  return undefined
}

async function handleCalls(
  conversation: Conversation,
  reply: Reply,
): Promise<AgentReport | undefined> {
  const { context, watch } = conversation
  conversation.unfinished = 0
  conversation.said = ''
  if (conversation.turn >= conversation.turnsMax) {
    conversation.said = reply.text
    return reportOutOfTurns(conversation)
  }
  const results: CallResult[] = []
  const nudges = new Set<string>()
  for (const [index, call] of reply.calls.entries()) {
    const result =
      index < callsPerTurnMax ? await makeCall(conversation, call) : createTooManyCallsResult(call)
    results.push(result)
    if (conversation.stopped !== undefined) return reportStopped(conversation, reply.text)
    const times = watch.record(call, result)
    if (times >= stopAt) return reportFailed(conversation, describeStuck(call, times, reply.text))
    if (times !== nudgeAt) continue
    context.note({ type: 'nudged', tool: call.name, times })
    nudges.add(describeNudge(call, times))
  }
  conversation.messages.push({ role: 'results', results })
  for (const text of nudges) conversation.messages.push({ role: 'user', text })
  return undefined
}

async function makeCall(conversation: Conversation, call: ToolCall): Promise<CallResult> {
  const { context } = conversation
  const { id, name, args, problem } = call
  if (problem !== undefined) {
    return { id, name, ok: false, text: `error (bad-arguments): ${problem}` }
  }
  const result =
    name === todoTool.name && conversation.tools.includes(todoTool)
      ? callTodo(args, context)
      : await abortable(context.signal, () => context.callTool(name, args))
  if (result.error === tooManyFiles) conversation.stopped = resultText(result)
  return { id, name, ok: result.ok, text: resultText(result) }
}

function resultText(result: ToolResult): string {
  const { output, ok, error } = result
  const body = typeof output === 'string' ? output : JSON.stringify(output)
  const text = ok ? body : `error (${error ?? 'tool-failed'}): ${body}`
  if (text.length <= resultCharsMax) return text
  return `${text.slice(0, resultCharsMax)}\n[${text.length - resultCharsMax} more characters were cut]`
}

const createTooManyCallsResult = ({ id, name }: ToolCall): CallResult => ({
  id,
  name,
  ok: false,
  text: `error (too-many-calls): At most ${callsPerTurnMax} calls are made in one turn. Make it again.`,
})

const describeNudge = (call: ToolCall, times: number): string =>
  `You have called ${call.name} with the same arguments ${times} times, and nothing new came of it. ` +
  `Do something else, or say what keeps you from going on. At ${stopAt} times you are stopped.`

const describeStuck = (call: ToolCall, times: number, said: string): string =>
  `Stopped: it called ${call.name} with the same arguments ${times} times and nothing new came of it. ${said}`

function reportOutOfTurns(conversation: Conversation): AgentReport {
  const { text, status } = readStatus(conversation.said)
  const limit = `It had not finished after ${conversation.turnsMax} turns.`
  const said = text.trim() === '' ? limit : `${text}\n${limit}`
  return report(conversation, status ?? 'failed', said)
}

function reportDone(conversation: Conversation, said: string): AgentReport {
  const { text, status } = readStatus(said)
  if (conversation.turn < conversation.turnsMax || conversation.turnsMax === 1)
    return report(conversation, status ?? 'done', text)
  // It ended because it had to; whether the work is complete is for its report to say.
  const why = `(This was turn ${conversation.turn}, the last it was allowed.)`
  return report(conversation, status ?? 'done-with-concerns', `${text}\n${why}`)
}

/** The engine asks a person, and the next iteration continues. */
const reportStopped = (conversation: Conversation, said: string): AgentReport => ({
  ...report(conversation, 'done-with-concerns', `${said}\n${conversation.stopped ?? ''}`.trim()),
  ended: 'refused',
})

const reportFailed = (conversation: Conversation, text: string): AgentReport =>
  report(conversation, 'failed', text.trimEnd())

function report(
  conversation: Conversation,
  status: AgentReport['status'],
  text: string,
): AgentReport {
  return {
    status,
    text: text.slice(-reportCharsMax),
    usage: conversation.usage,
    turns: conversation.turn,
  }
}
