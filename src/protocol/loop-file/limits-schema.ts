/** The limits of a loop file: of the run, of one iteration and of each agent. */

import type { z } from 'zod'
import {
  type AgentLimits,
  defaultLimits,
  defaultWarnAt,
  defined,
  type Limits,
} from '../../loop/index.ts'
import {
  dollars,
  duration,
  integer,
  key,
  keys,
  matching,
  moment,
  share,
  table,
} from './value-schemas.ts'

const countMax = 1_000_000
const spendingMax = 1_000_000_000_000

const tokens = (): z.ZodType<number, number> => integer(0, spendingMax)

const iterationSchema = keys({
  time: key(
    duration(365).exactOptional(),
    'The longest working time of one iteration. Time spent waiting for a person does not count.',
    '30m',
  ),
  tokens: key(tokens().exactOptional(), 'The most tokens that one iteration may use.', 50_000),
  cost: key(dollars().exactOptional(), 'The most that one iteration may cost, in dollars.', 0.5),
}).transform(({ time, cost, ...rest }) => ({
  ...rest,
  ...defined({ timeMs: time, costMicros: cost }),
}))

const agentSchema = keys({
  calls: key(integer(1, countMax).exactOptional(), 'How often the loop may call the agent.', 20),
  tokens: key(tokens().exactOptional(), 'The most tokens that the agent may use, in and out.'),
  inputTokens: key(tokens().exactOptional(), 'The most input tokens, cached ones included.'),
  outputTokens: key(tokens().exactOptional(), 'The most tokens that its models may write.', 20_000),
  cost: key(dollars().exactOptional(), 'The most that the agent may cost, in dollars.', 1),
}).transform(({ cost, ...rest }): AgentLimits => ({ ...rest, ...defined({ costMicros: cost }) }))

const role = (): z.ZodType<string, string> =>
  matching(
    /^(?:(?:judge|consult):)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'a role, such as maker, judge:<check> or consult:<name>',
  )

export const limitsSchema: z.ZodType<Limits> = keys({
  iterations: key(
    integer(1, countMax).prefault(defaultLimits.iterations),
    'The most iterations.',
    20,
  ),
  tokens: key(
    tokens().prefault(defaultLimits.tokens),
    'The most tokens that the run may use, in and out.',
    200_000,
  ),
  inputTokens: key(
    tokens().exactOptional(),
    'The most input tokens of the run, cached ones included. Default: only `tokens` applies.',
    150_000,
  ),
  outputTokens: key(
    tokens().exactOptional(),
    'The most tokens that models may write for the run. Default: only `tokens` applies.',
    50_000,
  ),
  cost: key(
    dollars().prefault(defaultLimits.costMicros / 1_000_000),
    'The most that the run may cost, in dollars.',
    1.5,
  ),
  time: key(
    duration(365).prefault(`${defaultLimits.timeMs / 3_600_000}h`),
    'The longest working time of the run. Time spent waiting for a person does not count.',
    '2h',
  ),
  deadline: key(
    moment().exactOptional(),
    'A time after which nothing new starts and work in progress is interrupted.',
    '2027-01-01T00:00:00Z',
  ),
  sameErrors: key(
    integer(1, countMax).prefault(defaultLimits.sameErrors),
    'The same error this many times in a row ends the run.',
    3,
  ),
  iteration: key(
    iterationSchema.exactOptional(),
    'Limits of each iteration. Reaching one ends the iteration, and the next one starts.',
    { time: '30m', cost: 0.5 },
  ),
  agents: key(
    table(role(), agentSchema, 'roles, each with limits', 100).exactOptional(),
    'Limits of each agent over the whole run, by role. Reaching one ends the run.',
    { maker: { cost: 1 } },
  ),
  warnAt: key(
    share(0.5, 0.95).exactOptional(),
    `The share of a limit at which the run warns. Default: ${defaultWarnAt}.`,
    defaultWarnAt,
  ),
}).transform(({ cost, time, deadline, ...rest }) => ({
  ...rest,
  costMicros: cost,
  timeMs: time,
  ...defined({ deadlineAtMs: deadline }),
}))
