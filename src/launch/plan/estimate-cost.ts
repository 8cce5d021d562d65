/**
 * What a run may cost, before it costs anything. What is known is said in numbers, what is not in words:
 * how often an agent asks its model, and how long it answers, nobody knows before.
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

/** Where a file does not say how long an answer may be, the gateway does. */
const outputTokensDefault = 16_384

type Most = Pick<Limits, 'iterations' | 'tokens' | 'costMicros'>

/** That of the maker; what the agents of other roles cost counts towards the same limits. */
export async function estimateCost(
  agents: LoopFile['agents'],
  prompt: string | undefined,
  limits: Most,
  past?: CostEstimate['past'],
): Promise<CostEstimate> {
  const agent = agents[makerRole] ?? Object.values(agents)[0]
  if (agent === undefined) return { billing: 'nothing', most: mostOf(limits), unknown: [] }
  const found = await estimateAgent(agent, prompt, limits, past)
  const others = Object.entries(agents).filter(([, one]) => one !== agent)
  return {
    ...found,
    unknown: [
      ...found.unknown,
      ...others.map(([role, one]) => `what the agent for ${role} (${agentName(one)}) costs`),
    ],
  }
}

const mostOf = ({ iterations, tokens, costMicros }: Most): Most => ({
  iterations,
  tokens,
  costMicros,
})

async function estimateAgent(
  agent: AgentSettings,
  prompt: string | undefined,
  limits: Most,
  past?: CostEstimate['past'],
): Promise<CostEstimate> {
  const seen = {
    ...(prompt === undefined ? {} : { promptTokens: estimateTokens(prompt) }),
    ...defined({ past }),
  }
  const { tokens, costMicros } = limits
  const limited = mostOf(limits)
  const model = modelOf(agent)
  if (model === undefined) return { ...withoutModel(agent), ...seen, most: limited }
  if ('subscription' in agent && agent.subscription) {
    const unknown = ['it is paid by a subscription: what a run takes of that is not known']
    return { billing: 'subscription', model, ...seen, most: limited, unknown }
  }
  const price = await priceOf(agent, model)
  const unknown = [
    'how often the agent asks its model in an iteration; each time it sends what was said so far',
    'how much it reads and how long it answers',
    ...(prompt === undefined ? ['the prompt: only running the loop tells'] : []),
    ...(price?.isEstimated === true
      ? [`the price of ${model}: that of ${price.priceModel} is used`]
      : []),
    ...(price === undefined ? [`the price of ${model}: it is not in the table`] : []),
  ]
  if (price === undefined) return { billing: 'unknown', model, ...seen, most: limited, unknown }
  const input = seen.promptTokens ?? 0
  const output = agent.type === 'model' ? agent.maxOutputTokens : outputTokensDefault
  const dearest = price.costMicros({ ...noUsage, output: tokens })
  return {
    billing: price.isFree ? 'nothing' : 'tokens',
    model,
    ...seen,
    price: { model: price.priceModel, isEstimated: price.isEstimated },
    iterationCostMicrosMin: price.costMicros({ ...noUsage, input }),
    callCostMicrosMax: price.costMicros({ ...noUsage, input, output }),
    most: { ...limited, costMicros: Math.min(costMicros, dearest) },
    unknown,
  }
}

function withoutModel(agent: AgentSettings): Pick<CostEstimate, 'billing' | 'unknown'> {
  if (agent.type === 'repair' || agent.type === 'script') return { billing: 'nothing', unknown: [] }
  const name = agent.type === 'command' ? agent.command[0] : 'the command'
  return {
    billing: 'unknown',
    unknown: [`which models ${name} asks; what goes through the gateway is counted and limited`],
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
  // As the gateway charges: a known provider has its price also behind an address of this machine.
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
