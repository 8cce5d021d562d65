/**
 * One question to a model outside of any run, through the gateway: this code sees no key, the worst case is reserved
 * before the request (E4), and there is a time limit (E9).
 */

import { describeModel } from '../agents/index.ts'
import { type AgentContext, type Amount, type StepId } from '../loop/index.ts'
import { meteredAgent } from './agents/metered-agent.ts'
import { requireKey } from './agents/require-key.ts'
import { createJudgeBudget } from './calibrate/money.ts'
import type { SharedGateway } from './shared-gateway.ts'

export interface ModelQuestion {
  /** `provider/model`. */
  readonly model: string
  readonly system: string
  readonly prompt: string
  readonly outputTokensMax: number
  readonly costMicrosMax: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface ModelAnswer {
  readonly text: string
  readonly spent: Amount
}

/** The variable from which our own client reads the token of its session. */
const tokenVariable = 'LOOPWRIGHT_SESSION'

export async function askModel(
  models: SharedGateway,
  question: ModelQuestion,
): Promise<ModelAnswer> {
  const { model: id, system, prompt, outputTokensMax, timeoutMs } = question
  const { provider, keyVariables } = describeModel(id)
  await requireKey({ model: id }, { models, environment: process.env })
  const agent = meteredAgent({
    gateway: () => models.gateway(),
    keyVariable: () => keyVariables[0] ?? `the key of ${provider}`,
    async make(session) {
      const { modelAgent } = await import('../agents/model-agent.ts')
      const { resolveModel } = await import('../agents/index.ts')
      const model = await resolveModel(id, {
        baseUrl: `${session.url}${provider === 'google' ? '/v1beta' : '/v1'}`,
        apiKeyEnv: tokenVariable,
        env: { [tokenVariable]: session.token },
      })
      const limits = { turnsMax: 1, maxOutputTokens: outputTokensMax, callTimeoutMs: timeoutMs }
      return modelAgent({ ...model, ...limits, system, spending: 'gateway' })
    },
  })
  const late = AbortSignal.timeout(timeoutMs)
  const signal = question.signal === undefined ? late : AbortSignal.any([late, question.signal])
  const report = await agent.work({ prompt }, contextFor(question, signal))
  if (report.status === 'failed') throw new Error(report.text)
  return { text: report.text, spent: report.usage }
}

const tokensLeft = 10_000_000

function contextFor(
  { costMicrosMax, timeoutMs }: ModelQuestion,
  signal: AbortSignal,
): AgentContext {
  const money = createJudgeBudget(costMicrosMax)
  return {
    signal,
    attempt: 1,
    spend: money.spend,
    reserve: money.reserve,
    iteration: 0,
    workspace: undefined,
    step: 'ask#1' as StepId,
    remaining: () => ({
      iterations: 1,
      timeMs: timeoutMs,
      tokens: tokensLeft,
      costMicros: money.remainingMicros(),
    }),
    tools: async () => [],
    callTool: async () => ({
      ok: false,
      output: 'There are no tools here.',
      error: 'unknown-tool',
    }),
    note: () => undefined,
  }
}
