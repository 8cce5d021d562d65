/** The options that set or change the limits of a run. */

import { type Command, InvalidArgumentError } from 'commander'
import { type AgentLimits, defined, type Limits } from '../loop/index.ts'
import { dollars, duration, positive } from './run-options.ts'
import { wholeNumber } from './session.ts'

export interface LimitOptions {
  readonly iterations?: number
  readonly tokens?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cost?: number
  readonly time?: number
  readonly iterationTime?: number
  readonly iterationTokens?: number
  readonly iterationCost?: number
  readonly agentLimit?: NonNullable<Limits['agents']>
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--iterations <n>', 'maximum number of iterations', positive)
    .option('--tokens <n>', 'maximum number of tokens', wholeNumber)
    .option('--input-tokens <n>', 'maximum number of input tokens', wholeNumber)
    .option('--output-tokens <n>', 'maximum number of output tokens', wholeNumber)
    .option('--cost <dollars>', 'maximum cost', dollars)
    .option('--time <duration>', 'maximum working time, such as 90s, 10m or 2h', duration)
    .option('--iteration-time <duration>', 'maximum working time of one iteration', duration)
    .option('--iteration-tokens <n>', 'maximum number of tokens of one iteration', wholeNumber)
    .option('--iteration-cost <dollars>', 'maximum cost of one iteration', dollars)
    .option(
      '--agent-limit <role.limit=value>',
      'limit of one agent, such as maker.cost=2; repeatable',
      agentLimit,
    )
}

/** Only the limits that were given. */
export function limitsFrom(options: LimitOptions): Partial<Limits> {
  const { iterations, tokens, inputTokens, outputTokens, cost, time, agentLimit: agents } = options
  const iteration = defined({
    timeMs: options.iterationTime,
    tokens: options.iterationTokens,
    costMicros: options.iterationCost,
  })
  return {
    ...defined({ iterations, tokens, inputTokens, outputTokens, agents }),
    ...defined({ costMicros: cost, timeMs: time }),
    ...(Object.keys(iteration).length === 0 ? {} : { iteration }),
  }
}

const agentLimits: Readonly<
  Record<string, readonly [keyof AgentLimits, (text: string) => number]>
> = {
  calls: ['calls', positive],
  tokens: ['tokens', wholeNumber],
  'input-tokens': ['inputTokens', wholeNumber],
  'output-tokens': ['outputTokens', wholeNumber],
  cost: ['costMicros', dollars],
}

/** `maker.output-tokens=5000`. A role may contain dots. */
function agentLimit(
  text: string,
  before: NonNullable<Limits['agents']> = {},
): NonNullable<Limits['agents']> {
  const [, role = '', name = '', value = ''] = /^(.+)\.([a-z-]+)=(.*)$/.exec(text) ?? []
  const known = Object.hasOwn(agentLimits, name) ? agentLimits[name] : undefined
  if (known === undefined) {
    const names = Object.keys(agentLimits).join(', ')
    throw new InvalidArgumentError(`It must be role.limit=value, with one of the limits ${names}.`)
  }
  const [limit, parse] = known
  const own = Object.hasOwn(before, role) ? before[role] : undefined
  return { ...before, [role]: { ...own, [limit]: parse(value) } }
}
