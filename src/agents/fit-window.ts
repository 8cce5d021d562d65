/**
 * Keeps a conversation within the model's window. What goes first is what is least missed:
 *   1. results of tools, oldest first, which can be had again; those of the last turn stay
 *   2. whole turns, oldest first; the last one stays
 *   3. the middle of what the last turn's tools returned
 *   4. the middle of the prompt
 * It cuts further than it must, so that the beginning then stays the same for many turns and
 * providers' caches work.
 */

import type { Message } from './conversation.ts'

export interface Fitted {
  readonly messages: readonly Message[]
  /** How many tokens, by estimate, were taken out. 0: all of it fitted. */
  readonly cutTokens: number
  readonly what: string
}

/** The share of the room that is filled after a cut. */
const fillAfterCut = 0.7
/** Results no longer than this are not worth cutting. */
const shortChars = 200
const leftOut = '[Earlier turns were left out to make room.]'

export function fitWindow(
  messages: readonly Message[],
  roomTokens: number,
  tokensOf: (message: Message) => number,
): Fitted {
  const sum = (list: readonly Message[]): number =>
    list.reduce((total, message) => total + tokensOf(message), 0)
  const before = sum(messages)
  if (before <= roomTokens) return { messages, cutTokens: 0, what: '' }
  const target = Math.floor(roomTokens * fillAfterCut)
  const what: string[] = []
  let kept = messages
  for (const stage of stages) {
    if (sum(kept) <= target) break
    const cut = stage.cut(kept, target, sum)
    if (cut.count > 0) what.push(`${cut.count} ${stage.what}`)
    kept = cut.messages
  }
  return { messages: kept, cutTokens: Math.max(0, before - sum(kept)), what: what.join(', ') }
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
  const kept = [...messages]
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
    kept[index] = shorter
  }
  return { messages: kept, count }
}

/** A turn is an assistant's message and all up to the next one: calls and results stay together. */
function cutOldTurns(messages: readonly Message[], target: number, sum: Sum): Cut {
  const starts = messages.flatMap((message, index) => (message.role === 'assistant' ? [index] : []))
  const [first] = starts
  const head = messages.slice(0, first ?? messages.length)
  const mark: Message = { role: 'user', text: leftOut }
  let count = 0
  let kept = messages
  while (count < starts.length - 1 && sum(kept) > target) {
    count++
    kept = [...withoutMark(head), mark, ...messages.slice(starts[count])]
  }
  return { messages: kept, count }
}

const withoutMark = (messages: readonly Message[]): readonly Message[] =>
  messages.filter((message) => message.role !== 'user' || message.text !== leftOut)

/** Shortens what is longest until it fits, the middle first. */
function cutTexts(
  role: 'results' | 'user',
  messages: readonly Message[],
  target: number,
  sum: Sum,
): Cut {
  let kept = messages
  let count = 0
  for (let charsMax = longest(messages, role) / 2; charsMax >= shortChars; charsMax /= 2) {
    if (sum(kept) <= target) break
    const limit = Math.floor(charsMax)
    count = 0
    kept = messages.map((message) => {
      if (message.role !== role) return message
      if (message.role === 'user') {
        if (message.text.length > limit) count++
        return { ...message, text: withoutMiddle(message.text, limit) }
      }
      const results = message.results.map((result) => {
        if (result.text.length > limit) count++
        return { ...result, text: withoutMiddle(result.text, limit) }
      })
      return { ...message, results }
    })
  }
  return { messages: kept, count }
}

function longest(messages: readonly Message[], role: 'results' | 'user'): number {
  const lengths = messages.flatMap((message) => {
    if (message.role !== role) return []
    return message.role === 'user'
      ? [message.text.length]
      : message.results.map((result) => result.text.length)
  })
  // Not spread: a model may make more calls than a function takes arguments.
  return lengths.reduce((most, length) => Math.max(most, length), 0)
}

function withoutMiddle(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  const cut = text.length - 2 * half
  return `${text.slice(0, half)}\n[${cut} characters were cut to make room]\n${text.slice(-half)}`
}
