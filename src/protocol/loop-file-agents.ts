/**
 * How the agent of a loop file is written. One form for each kind, told apart by the key that it must
 * have; the name of a program alone is the short form of one.
 */

import { z } from 'zod'
import { defined } from '../loop/index.ts'
import {
  type AgentSettings,
  acpPermissions,
  agentNames,
  agentPrograms,
  type ScriptTurn,
} from './loop-file.ts'
import { unknownName } from './loop-file-issues.ts'
import {
  dollars,
  duration,
  environmentName,
  environmentNames,
  expects,
  form,
  key,
  keys,
  list,
  program,
  table,
  text,
  told,
  toolName,
  webAddress,
  whole,
} from './loop-file-values.ts'
import { json } from './values.ts'

const timeLimit = () =>
  key(duration().prefault('30m'), 'How long the agent may work in one iteration.', '1h')

const subscription = () =>
  key(
    z.boolean().prefault(false),
    'True: it uses a login of its own, so it runs outside the sandbox and the gateway. Only where somebody watches; what it spends is not counted.',
  )

const commandAgent = keys({
  command: key(
    program(),
    'An agent that is a command line: the program and its arguments; relative paths begin in the workspace. The prompt comes on its standard input, its report is what it prints.',
    ['my-agent', '--headless'],
  ),
  env: environmentNames('the agent'),
  timeout: timeLimit(),
  subscription: subscription(),
})

const programSettings = () => ({
  model: key(
    form(
      /^[A-Za-z0-9@][!-~]{0,199}$/,
      'the name of a model, such as claude-sonnet-5',
    ).exactOptional(),
    'The model that it is to use; the usual one of the program unless told.',
    'claude-sonnet-5',
  ),
  args: key(
    list(z.string({ error: expects('text (put it in quotes)') }), 'a list of arguments', {
      max: 200,
    }).prefault([]),
    'Further arguments for the program, behind those that it is given anyway.',
  ),
  env: environmentNames('the agent'),
  timeout: timeLimit(),
  idle: key(
    duration().prefault('5m'),
    'How long it may be silent while no model works for it. Then it is ended.',
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
    'An agent program that is known: it is found on the PATH or among those that loopctl agents add has fetched, started without a person, and kept from what the repository would configure.',
    'claude',
  ),
  turns: key(
    whole(1, 1000).exactOptional(),
    'How many turns it may take in one iteration, where the program can be told.',
  ),
  ...programSettings(),
})

const acpAgent = keys({
  acp: key(
    z.union([programName(), program()], {
      error: ({ input }) =>
        input === undefined ? expects('the name of an agent, or a program')({ input }) : undefined,
    }),
    'An agent that speaks the Agent Client Protocol: the name of one that is known, or a program and its arguments.',
    'gemini',
    ['my-agent', '--acp'],
  ),
  permissions: key(
    z.enum(acpPermissions).prefault('all'),
    'What it is allowed when it asks: all, edits (no commands, no network), reads, or none. The walls of the sandbox hold whatever it is allowed.',
  ),
  auth: key(
    form(/^[!-~]{1,100}$/, 'the id of a way to authenticate, such as api-key').exactOptional(),
    'Which of the ways to authenticate that it offers it is told to use, where it works only then. One that is known needs none.',
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
    form(/^[a-z0-9][a-z0-9-]*\/\S{1,200}$/, 'provider/model, such as anthropic/claude-sonnet-5'),
    'An agent that is a model with the tools below, as provider/model.',
    'anthropic/claude-sonnet-5',
    'openai/gpt-5',
  ),
  system: key(text().exactOptional(), 'What the model is told before the prompt.'),
  turns: key(whole(1, 1000).prefault(50), 'How many turns it may take in one iteration.'),
  maxOutputTokens: key(
    whole(1, 1_000_000).prefault(16_384),
    'How many tokens one answer may have.',
  ),
  temperature: key(
    z
      .number({ error: expects('a number from 0 to 2') })
      .min(0, { error: expects('a number from 0 to 2') })
      .max(2, { error: expects('a number from 0 to 2') })
      .exactOptional(),
    'How much chance is in the answers: 0 is least.',
  ),
  baseUrl: key(
    webAddress().exactOptional(),
    'The address of a provider that speaks the OpenAI wire format, or of a proxy.',
    'http://127.0.0.1:11434/v1',
  ),
  apiKeyEnv: key(
    environmentName().exactOptional(),
    'The environment variable that holds the key; the usual one of the provider unless told.',
    'ANTHROPIC_API_KEY',
  ),
})

const usage = () =>
  key(
    keys({
      tokens: key(whole(0, 1_000_000_000).exactOptional(), 'Tokens, in and out.'),
      cost: key(dollars().exactOptional(), 'Dollars.'),
    })
      .transform(({ tokens, cost }) => defined({ tokens, costMicros: cost }))
      .exactOptional(),
    'What the turn is taken to have spent; nothing unless told.',
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
    say: key(z.string(), 'What the agent says. The last one is its report.', 'done'),
    usage: usage(),
  }),
])

const scriptAgent = keys({
  script: key(
    list(list(turn, 'a list of turns', { max: 200 }), 'a list with the turns of each iteration', {
      min: 1,
    }),
    'An agent that does what is written here, for trying a loop out without a model: one list of turns for each iteration; the last is used again.',
    [[{ call: 'write', args: { path: 'a.txt', content: 'hi' } }, { say: 'done' }]],
  ),
})

const repairAgent = keys({
  repair: key(
    keys({
      seed: key(
        whole(0, 2_147_483_647).prefault(1),
        'Decides which tests are held back from the search.',
      ),
      edits: key(
        whole(1, 1_000_000).prefault(3000),
        'How many edits it tries in one iteration at most.',
      ),
      time: key(duration().prefault('60s'), 'How long it searches in one iteration at most.', '2m'),
      heldBack: key(
        share().prefault(0.3),
        'How much of the tests the search never sees, from 0 to 0.9.',
      ),
    }),
    'An agent that needs no model: it tries small edits of JavaScript or TypeScript until the checks pass.',
    {},
    { time: '2m' },
  ),
})

/** The short form is the long one with nothing but its name. */
const namedAgent = z
  .enum(agentNames, {
    error: ({ input }) =>
      typeof input === 'string'
        ? unknownName('agent', input, agentNames)
        : expects('the name of an agent')({ input }),
  })
  .transform((name) => (name === 'repair' ? { repair: {} } : { program: name }))
  .pipe(z.union([programAgent, repairAgent]))

/** Told apart by the key that each must have. */
export const agentSchema: z.ZodType<AgentSettings> = z
  .union([namedAgent, programAgent, acpAgent, commandAgent, modelAgent, repairAgent, scriptAgent], {
    error: ({ input }) =>
      input === undefined ? expects('the name of an agent, or its settings')({ input }) : undefined,
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

told.add(agentSchema, {
  id: 'Agent',
  description:
    'Who works: an agent program by its name, repair, which needs no model, any command line, an ACP agent, a model, or a script.',
})
