/**
 * The schema of `agent` in a loop file. Each kind of agent has one form, recognized by its required
 * key; the bare name of an agent program is a short form.
 */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { json } from '../values.ts'
import { unknownName } from './issue-problems.ts'
import {
  type AgentSettings,
  acpPermissions,
  agentNames,
  agentPrograms,
  type ScriptTurn,
} from './loop-file.ts'
import {
  describedKeys,
  dollars,
  duration,
  environmentName,
  environmentNames,
  expects,
  integer,
  key,
  keys,
  list,
  matching,
  program,
  table,
  text,
  toolName,
  webAddress,
} from './value-schemas.ts'

const timeLimit = () =>
  key(duration().prefault('30m'), 'How long the agent may work in one iteration.', '1h')

const subscription = () =>
  key(
    z.boolean().prefault(false),
    'True: it uses its own login, so it runs outside the sandbox and the gateway. Attended runs only; its spending is not counted.',
  )

const commandAgent = keys({
  command: key(
    program(),
    'An agent that is any command: the program and its arguments; relative paths start at the workspace. It reads the prompt from standard input and prints its report.',
    ['my-agent', '--headless'],
  ),
  env: environmentNames('the agent'),
  timeout: timeLimit(),
  subscription: subscription(),
})

const programSettings = () => ({
  model: key(
    matching(
      /^[A-Za-z0-9@][!-~]{0,199}$/,
      'the name of a model, such as claude-sonnet-5',
    ).exactOptional(),
    "The model to use. Default: the program's own default.",
    'claude-sonnet-5',
  ),
  args: key(
    list(z.string({ error: expects('text (put it in quotes)') }), 'a list of arguments', {
      max: 200,
    }).prefault([]),
    'Extra arguments, appended to the ones that Loopwright passes.',
  ),
  env: environmentNames('the agent'),
  timeout: timeLimit(),
  idle: key(
    duration().prefault('5m'),
    'How long it may print nothing while no model call is running. Then it is stopped.',
    '2m',
  ),
  subscription: subscription(),
})

const programName = () =>
  z.enum(agentPrograms, {
    error: ({ input }) =>
      typeof input === 'string'
        ? unknownName('agent program', input, agentPrograms)
        : expects(`one of ${agentPrograms.join(', ')}`)({ input }),
  })

const programAgent = keys({
  program: key(
    programName(),
    'A known agent program. It is found on the PATH or among those that "loopctl agents add" installed, runs without prompting, and ignores configuration in the repository.',
    'claude',
  ),
  turns: key(
    integer(1, 1000).exactOptional(),
    'The most turns in one iteration, if the program supports a limit.',
  ),
  ...programSettings(),
})

const acpAgent = keys({
  acp: key(
    z.union([programName(), program()], {
      error: ({ input }) =>
        input === undefined ? expects('an agent name, or a program')({ input }) : undefined,
    }),
    'An agent that speaks the Agent Client Protocol: a known name, or a program and its arguments.',
    'gemini',
    ['my-agent', '--acp'],
  ),
  permissions: key(
    z.enum(acpPermissions).prefault('all'),
    'What to allow when it asks for permission: all, edits (no commands, no network), reads, or none. The sandbox applies in any case.',
  ),
  auth: key(
    matching(
      /^[!-~]{1,100}$/,
      'the id of an authentication method, such as api-key',
    ).exactOptional(),
    'Which of its authentication methods to use, if it requires one. Known programs need none.',
    'api-key',
  ),
  ...programSettings(),
})

const share = () =>
  z
    .number({ error: expects('a number from 0 to 0.9') })
    .min(0, { error: expects('a number from 0 to 0.9') })
    .max(0.9, { error: expects('a number from 0 to 0.9') })

const modelAgent = keys({
  model: key(
    matching(
      /^[a-z0-9][a-z0-9-]*\/\S{1,200}$/,
      'provider/model, such as anthropic/claude-sonnet-5',
    ),
    'An agent that is a model with the tools listed under tools, as provider/model.',
    'anthropic/claude-sonnet-5',
    'openai/gpt-5',
  ),
  system: key(text().exactOptional(), 'The system prompt.'),
  turns: key(integer(1, 1000).prefault(50), 'The most turns in one iteration.'),
  maxOutputTokens: key(integer(1, 1_000_000).prefault(16_384), 'The most tokens in one response.'),
  temperature: key(
    z
      .number({ error: expects('a number from 0 to 2') })
      .min(0, { error: expects('a number from 0 to 2') })
      .max(2, { error: expects('a number from 0 to 2') })
      .exactOptional(),
    'The sampling temperature. 0: least random.',
  ),
  baseUrl: key(
    webAddress().exactOptional(),
    'The address of a proxy, or of a provider that speaks the OpenAI wire format.',
    'http://127.0.0.1:11434/v1',
  ),
  apiKeyEnv: key(
    environmentName().exactOptional(),
    "The environment variable that holds the key. Default: the provider's usual one.",
    'ANTHROPIC_API_KEY',
  ),
})

const usage = () =>
  key(
    keys({
      tokens: key(integer(0, 1_000_000_000).exactOptional(), 'Tokens, in and out.'),
      cost: key(dollars().exactOptional(), 'Dollars.'),
    })
      .transform(({ tokens, cost }) => defined({ tokens, costMicros: cost }))
      .exactOptional(),
    'What the turn is counted as having spent. Default: nothing.',
    { tokens: 1000, cost: 0.01 },
  )

const turn: z.ZodType<ScriptTurn> = z.union([
  keys({
    say: key(z.string().exactOptional(), 'What the agent says with the call.'),
    usage: usage(),
    call: key(toolName(), 'A tool to call.', 'write'),
    args: key(
      table(z.string(), json, 'names and values', 1000).prefault({}),
      'The arguments of the call.',
      { path: 'a.txt', content: 'hi' },
    ),
  }),
  keys({
    say: key(z.string(), 'What the agent says. The last text is its report.', 'done'),
    usage: usage(),
  }),
])

const scriptAgent = keys({
  script: key(
    list(list(turn, 'a list of turns', { max: 200 }), 'a list with the turns of each iteration', {
      min: 1,
    }),
    'An agent that plays a script, to try a loop out without a model: a list of turns per iteration; the last list repeats.',
    [[{ call: 'write', args: { path: 'a.txt', content: 'hi' } }, { say: 'done' }]],
  ),
})

const repairAgent = keys({
  repair: key(
    keys({
      seed: key(
        integer(0, 2_147_483_647).prefault(1),
        'Decides which tests are hidden from the search.',
      ),
      edits: key(
        integer(1, 1_000_000).prefault(3000),
        'The most edits that it tries in one iteration.',
      ),
      time: key(duration().prefault('60s'), 'The longest search in one iteration.', '2m'),
      heldBack: key(
        share().prefault(0.3),
        'The share of tests that the search never sees, from 0 to 0.9.',
      ),
    }),
    'An agent that needs no model: it tries small edits of JavaScript or TypeScript until the checks pass.',
    {},
    { time: '2m' },
  ),
})

/** The short form equals the long form with only the name. */
const namedAgent = z
  .enum(agentNames, {
    error: ({ input }) =>
      typeof input === 'string'
        ? unknownName('agent', input, agentNames)
        : expects('an agent name')({ input }),
  })
  .transform((name) => (name === 'repair' ? { repair: {} } : { program: name }))
  .pipe(z.union([programAgent, repairAgent]))

/** Each form is recognized by its required key. */
export const agentSchema: z.ZodType<AgentSettings> = z
  .union([namedAgent, programAgent, acpAgent, commandAgent, modelAgent, repairAgent, scriptAgent], {
    error: ({ input }) =>
      input === undefined ? expects('an agent name, or settings')({ input }) : undefined,
  })
  .transform((agent): AgentSettings => {
    if ('command' in agent) {
      const { timeout, ...rest } = agent
      return { type: 'command', ...rest, timeoutMs: timeout }
    }
    if ('program' in agent) {
      const { timeout, idle, turns, ...rest } = agent
      const turnsMax = defined({ turnsMax: turns })
      return { type: 'program', ...rest, ...turnsMax, timeoutMs: timeout, idleMs: idle }
    }
    if ('acp' in agent) {
      const { timeout, idle, ...rest } = agent
      return { type: 'acp', ...rest, timeoutMs: timeout, idleMs: idle }
    }
    if ('repair' in agent) {
      const { seed, edits, time, heldBack } = agent.repair
      return { type: 'repair', seed, candidatesMax: edits, timeMs: time, heldBackShare: heldBack }
    }
    if ('script' in agent) return { type: 'script', script: agent.script }
    const { turns, ...rest } = agent
    return { type: 'model', ...rest, turnsMax: turns }
  })

describedKeys.add(agentSchema, {
  id: 'Agent',
  description:
    'The agent: the name of an agent program, repair (needs no model), any command, an ACP agent, a model, or a script.',
})
