/**
 * Estimates the cost of a run before it starts. Known amounts are numbers; unknowns are listed as text, such as how often
 * an agent calls its model and how long the responses are.
 */

import { agentProgram } from '../../agents/index.ts'
import {
  isLocalHostname,
  noUsage,
  openPrices,
  type Price,
  publicProviders,
} from '../../gateway/index.ts'
import { defined, estimateTokens, isLoopError, type Limits } from '../../loop/index.ts'
import type { CostEstimate } from '../../protocol/api/index.ts'
import { type AgentSettings, type LoopFile, makerRole } from '../../protocol/index.ts'
import { toProgramModel } from '../agents/program-model.ts'
import { agentName } from '../checks/agent-name.ts'

/** The limit of the gateway for responses, if the file has none. */
const outputTokensDefault = 16_384

type CostLimits = Pick<Limits, 'iterations' | 'tokens' | 'costMicros'>

/** Estimates the maker. Agents of other roles count towards the same limits. */
export async function estimateCost(
  agents: LoopFile['agents'],
  prompt: string | undefined,
  limits: CostLimits,
  past?: CostEstimate['past'],
): Promise<CostEstimate> {
  const agent = agents[makerRole] ?? Object.values(agents)[0]
  if (agent === undefined) return { billing: 'nothing', most: pickLimits(limits), unknown: [] }
  const found = await estimateAgent(agent, prompt, limits, past)
  const others = Object.entries(agents).filter(([, one]) => one !== agent)
  return {
    ...found,
    unknown: [
      ...found.unknown,
      ...others.map(([role, one]) => `the cost of the agent for ${role} (${agentName(one)})`),
    ],
  }
}

const pickLimits = ({ iterations, tokens, costMicros }: CostLimits): CostLimits => ({
  iterations,
  tokens,
  costMicros,
})

async function estimateAgent(
  agent: AgentSettings,
  prompt: string | undefined,
  limits: CostLimits,
  past?: CostEstimate['past'],
): Promise<CostEstimate> {
  const seen = {
    ...(prompt === undefined ? {} : { promptTokens: estimateTokens(prompt) }),
    ...defined({ past }),
  }
  const { tokens, costMicros } = limits
  const most = pickLimits(limits)
  const model = modelOf(agent)
  if (model === undefined) return { ...withoutModel(agent), ...seen, most }
  if ('subscription' in agent && agent.subscription) {
    const unknown = ['it is paid by a subscription: how much of it a run uses is unknown']
    return { billing: 'subscription', model, ...seen, most, unknown }
  }
  const price = await priceOf(agent, model)
  const unknown = [
    'how often the agent calls its model in an iteration; each call sends the conversation so far',
    'how much it reads and how long its responses are',
    ...(prompt === undefined ? ['the prompt: known only when the loop runs'] : []),
    ...(price?.isEstimated === true
      ? [`the price of ${model}: that of ${price.priceModel} is used`]
      : []),
    ...(price === undefined ? [`the price of ${model}: not in the price table`] : []),
  ]
  if (price === undefined) return { billing: 'unknown', model, ...seen, most, unknown }
  const input = seen.promptTokens ?? 0
  const output = agent.type === 'model' ? agent.maxOutputTokens : outputTokensDefault
  const tokenCostMax = price.costMicros({ ...noUsage, output: tokens })
  return {
    billing: price.isFree ? 'nothing' : 'tokens',
    model,
    ...seen,
    price: { model: price.priceModel, isEstimated: price.isEstimated },
    iterationCostMicrosMin: price.costMicros({ ...noUsage, input }),
    callCostMicrosMax: price.costMicros({ ...noUsage, input, output }),
    most: { ...most, costMicros: Math.min(costMicros, tokenCostMax) },
    unknown,
  }
}

function withoutModel(agent: AgentSettings): Pick<CostEstimate, 'billing' | 'unknown'> {
  if (agent.type === 'repair' || agent.type === 'script') return { billing: 'nothing', unknown: [] }
  const name = agent.type === 'command' ? agent.command[0] : 'the command'
  return {
    billing: 'unknown',
    unknown: [`which models ${name} calls; calls through the gateway are counted and limited`],
  }
}

/** `provider/model`. */
function modelOf(agent: AgentSettings): string | undefined {
  if (agent.type === 'model') return agent.model
  const name =
    agent.type === 'program' ? agent.program : agent.type === 'acp' ? agent.acp : undefined
  if (typeof name !== 'string' || (agent.type !== 'program' && agent.type !== 'acp'))
    return undefined
  const program = agentProgram(name)
  const model = toProgramModel(program, agent.model)
  return model.includes('/') ? model : `${program.provider}/${model}`
}

async function priceOf(agent: AgentSettings, model: string): Promise<Price | undefined> {
  const slash = model.indexOf('/')
  const provider = model.slice(0, Math.max(0, slash))
  const settings = publicProviders[provider]
  const baseUrl = agent.type === 'model' ? agent.baseUrl : undefined
  if (baseUrl === undefined && settings === undefined) return undefined
  // Like the gateway: a known provider has its price even if it is reached at a local address.
  const source =
    settings === undefined
      ? { baseUrl: baseUrl ?? '', isFree: isLocalHostname(hostnameOf(baseUrl ?? '')) }
      : { isFree: false, ...settings, ...defined({ baseUrl }) }
  try {
    const find = await openPrices()
    return find(source, settings === undefined ? model : model.slice(slash + 1))
  } catch (error) {
    if (isLoopError(error)) throw error
    return undefined
  }
}

const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')
