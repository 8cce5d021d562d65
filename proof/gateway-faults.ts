/**
 * Answers that break off. Cut at every boundary between two events, in each format: each cut is seen as
 * one, and the account is the provider's own log to the token where the provider had said what it
 * used; else it is not below it, and marked. And streams that never end: cut at the idle limit.
 */

import type { ModelAnswer, StreamFault } from 'loopwright/testing'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { formats, outputMax, type Question } from './gateway-questions.ts'
import { type GatewayStage, openStage } from './gateway-stage.ts'

const pieces = 125
const cutsWanted = 500
const speech = {
  text: 'and so on '.repeat(pieces),
  pieces,
  calls: [{ name: 'read', args: { path: 'a' } }, { name: 'list' }],
  usage: { input: 30, output: 2 * pieces },
}
const patient = { idleMs: 30_000, totalMs: 60_000, answerMs: 30_000 }

export const gatewayFaults: Suite = {
  area: 'gateway',
  title: 'answers that break off, and answers that never end',
  share: 0.05,
  async run(options) {
    const { cuts, exact, problems, belowTokens } = await cutEverywhere(options)
    const { hangs, overrunMs } = await measureHangs(options)
    const held = cuts - problems.length
    const detail = problems[0] ?? `${exact} equal to the bill, the others above it and marked`
    return [
      atLeast('gateway.cuts', held, Math.min(cuts, cutsWanted), 'cuts', detail),
      atMost('gateway.cuts-below-the-bill', belowTokens, 0, 'tokens'),
      atMost('gateway.hang-past-limit', overrunMs, 1000, 'ms', `the longest of ${hangs} hangs`),
    ]
  },
}

export interface CutReport {
  readonly cuts: number
  readonly exact: number
  readonly problems: readonly string[]
  /** By how much the account was below the provider's log, at most. */
  readonly belowTokens: number
}

export async function cutEverywhere(
  options: Pick<SuiteOptions, 'scale' | 'note'>,
): Promise<CutReport> {
  let fault: StreamFault | undefined
  await using stage = await openStage(() => (fault ? { ...speech, fault } : speech), patient)
  const every = Math.max(1, Math.round(1 / options.scale))
  const problems: string[] = []
  const totals = { cuts: 0, exact: 0, belowTokens: 0 }
  for (const format of formats) {
    const question = { format, streamed: true }
    fault = undefined
    const events = (await stage.ask(question)).text.split('\n\n').length - 1
    for (let afterEvents = events - 1; afterEvents >= 0; afterEvents -= every) {
      fault = { does: 'cut', afterEvents }
      const found = await cutOnce(stage, question)
      totals.cuts++
      totals.exact += found.isExact ? 1 : 0
      totals.belowTokens = Math.max(totals.belowTokens, found.belowTokens)
      for (const problem of found.problems) {
        problems.push(`${format} cut after ${afterEvents} of ${events}: ${problem}`)
        options.note(`  ${problems.at(-1)}`)
      }
    }
  }
  return { ...totals, problems }
}

interface CutFound {
  readonly isExact: boolean
  readonly belowTokens: number
  readonly problems: readonly string[]
}

async function cutOnce(stage: GatewayStage, question: Question): Promise<CutFound> {
  const before = stage.account.tokens
  const { exchange, status } = await stage.ask(question)
  const charged = stage.account.tokens - before
  const { input = 0, output = 0 } = stage.server.bills.at(-1) ?? {}
  const billed = input + output
  const { ended, isEstimated } = exchange
  const problems = [
    ...(status === 200 && ended === 'cut' ? [] : [`it is seen as ${status} ${ended}`]),
    ...(isEstimated || charged === speech.usage.input + speech.usage.output
      ? []
      : [`${charged} tokens charged, not marked`]),
    ...(charged <= outputMax + 100 ? [] : [`${charged} tokens charged, more than was allowed`]),
    ...(stage.account.open === 0 ? [] : ['a reservation is open']),
  ]
  return { isExact: !isEstimated, belowTokens: Math.max(0, billed - charged), problems }
}

/** Long enough to be more than the noise of a busy machine. */
const idleMs = 400
const hanging: readonly (readonly [string, ModelAnswer])[] = [
  ['silent', { does: 'hang' }],
  ['idle', { ...speech, fault: { does: 'stall', afterEvents: 0 } }],
  ['idle', { ...speech, fault: { does: 'stall', afterEvents: 3 } }],
  ['idle', { ...speech, text: 'x'.repeat(5000), pieces: 1, fault: { does: 'drip', everyMs: 50 } }],
]

export interface HangReport {
  readonly hangs: number
  /** How much longer than the limit the longest took. */
  readonly overrunMs: number
}

export async function measureHangs({ note }: Pick<SuiteOptions, 'note'>): Promise<HangReport> {
  const limits = { idleMs, answerMs: idleMs, totalMs: 60_000 }
  let hangs = 0
  let overrunMs = 0
  for (const [ended, answer] of hanging) {
    await using stage = await openStage([answer], limits)
    for (const format of formats) {
      const beganMs = performance.now()
      const { exchange } = await stage.ask({ format, streamed: true })
      // Events that came before the silence may have come late.
      overrunMs = Math.max(overrunMs, performance.now() - beganMs - idleMs)
      hangs++
      if (exchange.ended !== ended) {
        overrunMs = Number.POSITIVE_INFINITY
        note(`  ${format}: it ended as ${exchange.ended}, not as ${ended}`)
      }
    }
  }
  return { hangs, overrunMs }
}
