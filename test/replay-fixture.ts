/** A loop from a function, and a replay compared with its original. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exchange, writeExchange } from '../src/gateway/index.ts'
import {
  type Agents,
  FaultError,
  type Host,
  type Iteration,
  type LoopType,
  type Replay,
  type ReplayResult,
  type RunParts,
} from '../src/host/index.ts'
import { describeDifference } from '../src/launch/replay/find-difference.ts'

export type Work = LoopType<unknown, unknown, unknown, unknown>

export const loopOf = (iterate: (it: Iteration) => Promise<unknown>): Work => ({
  name: 'work',
  createContext: () => null,
  iterate: (_context, it) => iterate(it),
  extractProgress: (result) => result ?? null,
})

export const append = (it: Iteration, line: string): Promise<unknown> =>
  it.step(`append ${it.number}`, () => {
    const file = join(it.workspace?.path ?? '', 'log.txt')
    writeFileSync(file, `${existsSync(file) ? readFileSync(file, 'utf8') : ''}${line}\n`)
  })

export interface Replayed extends ReplayResult {
  readonly run: string
  readonly workspace: string | undefined
}

export async function replay(
  host: Host,
  run: string,
  loop: Work,
  parts: RunParts = {},
): Promise<Replayed> {
  const again = await host.replay(run)
  const handle = await again.start(loop, parts)
  await handle.done
  const result = await again.result(handle.id)
  return { ...result, run: handle.id, workspace: again.workspace }
}

export const words = ({ difference }: ReplayResult): string =>
  difference === undefined ? 'same' : describeDifference(difference)

/**
 * Two exchanges in each attempt, of 10 tokens each in the first, which fails, and 20 in the second.
 */
export const recordingAgent = (): Agents => ({
  async work(_role, _task, context) {
    const { attempt } = context
    const spent = { tokens: 10 * attempt, costMicros: 0 }
    for (const ordinal of [1, 2]) {
      await (await context.reserve({ tokens: 100, costMicros: 0 })).settle(spent)
      const exchange = exchangeOf(ordinal, `of attempt ${attempt}`, spent)
      const content = await writeExchange(exchange)
      const { provider, model, ended, isEstimated, durationMs } = exchange
      const seen = { ordinal, provider, model, ended, spent, isEstimated, durationMs }
      await context.keepExchange?.({ ...seen, content })
    }
    if (attempt > 1) return reportOf(['of attempt 2', 'of attempt 2'])
    throw new FaultError({ code: 'shaky', message: 'once', retryable: true })
  },
})

/** Like the gateway: it gets the recorded exchange, and charges it. */
export const replayingAgent = ({ answers }: Pick<Replay, 'answers'>): Agents => ({
  async work(_role, _task, context) {
    const { iteration, step } = context
    const { exchanges = [] } = answers({ iteration, step }) ?? {}
    for (const { spent } of exchanges) {
      await (await context.reserve({ tokens: 0, costMicros: 0 })).settle(spent)
    }
    return reportOf(exchanges.map(({ answer }) => answer.body.text))
  },
})

const reportOf = (texts: readonly string[]): Awaited<ReturnType<Agents['work']>> => ({
  status: 'done',
  text: texts.join(', '),
  usage: { tokens: 0, costMicros: 0 },
  turns: 1,
})

const exchangeOf = (ordinal: number, text: string, spent: Exchange['spent']): Exchange => ({
  version: 1,
  step: 'agent:maker#1',
  ordinal,
  format: 'chat',
  provider: 'openai',
  model: 'm',
  atMs: 0,
  durationMs: 1,
  request: { path: '/v1/chat/completions', body: { encoding: 'utf8', text: '{}' } },
  answer: { status: 200, headers: {}, body: { encoding: 'utf8', text }, isTruncated: false },
  ended: 'complete',
  attempts: 1,
  usage: { input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0, webSearches: 0 },
  spent,
  isEstimated: false,
})
