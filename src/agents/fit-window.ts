/**
 * Keeps a conversation within the model's context window. What is least missed goes first:
 *   1. tool results, oldest first, which can be obtained again; those of the last turn stay
 *   2. whole turns, oldest first; the last one stays
 *   3. the middle of the last turn's tool results
 *   4. the middle of the prompt
 * It cuts more than it must, so that the start then stays the same for many turns and providers'
 * caches work.
 */

import type { Message } from './conversation.ts'

export interface FitResult {
  readonly messages: readonly Message[]
  /** How many tokens, by estimate, were removed. 0: everything fits. */
  readonly cutTokens: number
  readonly what: string
}

/** The share of the room that is filled after a cut. */
const fillAfterCut = 0.7
/** Shorter results are not worth cutting. */
const shortChars = 200
const omittedNotice = '[Earlier turns were left out to make room.]'

export function fitWindow(
  messages: readonly Message[],
  roomTokens: number,
  countTokens: (message: Message) => number,
): FitResult {
  const sum = (list: readonly Message[]): number =>
    list.reduce((total, message) => total + countTokens(message), 0)
  const before = sum(messages)
  if (before <= roomTokens) return { messages, cutTokens: 0, what: '' }
  const target = Math.floor(roomTokens * fillAfterCut)
  const what: string[] = []
  let remaining = messages
  for (const stage of stages) {
    if (sum(remaining) <= target) break
    const cut = stage.cut(remaining, target, sum)
    if (cut.count > 0) what.push(`${cut.count} ${stage.what}`)
    remaining = cut.messages
  }
  return {
    messages: remaining,
    cutTokens: Math.max(0, before - sum(remaining)),
    what: what.join(', '),
  }
}

interface Cut {
  readonly messages: readonly Message[]
  readonly count: number
}

type Sum = (messages: readonly Message[]) => number

interface Stage {
  readonly what: string
  cut(messages: readonly Message[], target: number, sum: Sum): Cut
}

const stages: readonly Stage[] = [
  { what: 'tool results', cut: cutOldResults },
  { what: 'turns', cut: cutOldTurns },
  { what: 'results of the last turn, in part', cut: (...args) => cutTexts('results', ...args) },
  { what: 'prompt, in part', cut: (...args) => cutTexts('user', ...args) },
]

function cutOldResults(messages: readonly Message[], target: number, sum: Sum): Cut {
  const remaining = [...messages]
  let left = sum(messages)
  let count = 0
  const newest = messages.findLastIndex((message) => message.role === 'results')
  for (const [index, message] of messages.entries()) {
    if (left <= target) break
    if (message.role !== 'results' || index === newest) continue
    const results = message.results.map((result) => {
      if (result.text.length <= shortChars) return result
      count++
      const text = `[cut to make room: ${result.text.length} characters; call ${result.name} again if needed]`
      return { ...result, text }
    })
    const shorter: Message = { role: 'results', results }
    left += sum([shorter]) - sum([message])
    remaining[index] = shorter
  }
  return { messages: remaining, count }
}

/**
 * A turn is an assistant message and everything up to the next one: calls and results stay
 * together.
 */
function cutOldTurns(messages: readonly Message[], target: number, sum: Sum): Cut {
  const starts = messages.flatMap((message, index) => (message.role === 'assistant' ? [index] : []))
  const [first] = starts
  const head = messages.slice(0, first ?? messages.length)
  const mark: Message = { role: 'user', text: omittedNotice }
  let count = 0
  let remaining = messages
  while (count < starts.length - 1 && sum(remaining) > target) {
    count++
    remaining = [...removeNotice(head), mark, ...messages.slice(starts[count])]
  }
  return { messages: remaining, count }
}

const removeNotice = (messages: readonly Message[]): readonly Message[] =>
  messages.filter((message) => message.role !== 'user' || message.text !== omittedNotice)

/** Shortens the longest texts until they fit, from the middle. */
function cutTexts(
  role: 'results' | 'user',
  messages: readonly Message[],
  target: number,
  sum: Sum,
): Cut {
  let remaining = messages
  let count = 0
  for (let charsMax = longestText(messages, role) / 2; charsMax >= shortChars; charsMax /= 2) {
    if (sum(remaining) <= target) break
    const limit = Math.floor(charsMax)
    count = 0
    remaining = messages.map((message) => {
      if (message.role !== role) return message
      if (message.role === 'user') {
        if (message.text.length > limit) count++
        return { ...message, text: cutMiddle(message.text, limit) }
      }
      const results = message.results.map((result) => {
        if (result.text.length > limit) count++
        return { ...result, text: cutMiddle(result.text, limit) }
      })
      return { ...message, results }
    })
  }
  return { messages: remaining, count }
}

function longestText(messages: readonly Message[], role: 'results' | 'user'): number {
  const lengths = messages.flatMap((message) => {
    if (message.role !== role) return []
    return message.role === 'user'
      ? [message.text.length]
      : message.results.map((result) => result.text.length)
  })
  // Not spread: a model may make more calls than a function accepts arguments.
  return lengths.reduce((most, length) => Math.max(most, length), 0)
}

function cutMiddle(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  const cut = text.length - 2 * half
  return `${text.slice(0, half)}\n[${cut} characters were cut to make room]\n${text.slice(-half)}`
}
