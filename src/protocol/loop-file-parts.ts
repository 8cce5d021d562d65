/** How the parts of a loop file are written: the prompt, the agent, MCP servers and checks. */

import { z } from 'zod'
import { exactly } from './exactly.ts'
import type {
  AgentSettings,
  CheckCommand,
  McpServer,
  PromptSection,
  ScriptTurn,
} from './loop-file.ts'
import {
  dollars,
  duration,
  environmentName,
  expects,
  form,
  key,
  keys,
  list,
  program,
  table,
  text,
  toolName,
  webAddress,
  whole,
} from './loop-file-values.ts'
import { json } from './values.ts'

const sectionDefaults = { priority: 100, stable: false, keep: 'start', required: false } as const

const fileName = () =>
  key(
    text(1000),
    'A file with the template, in the folder of the loop file or below it.',
    'prompt.md',
  )

const sectionSettings = () => ({
  name: key(
    form(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'the name of a section, such as task'),
    'The name of the section, unlike that of any other.',
    'task',
  ),
  priority: key(
    whole(0, 1000).prefault(sectionDefaults.priority),
    'Sections of a lower priority are cut first when the prompt is too long.',
  ),
  stable: key(
    z.boolean().prefault(sectionDefaults.stable),
    'True: it is the same in every iteration. Such sections come first, so that prompt caches hit.',
  ),
  keep: key(
    z.enum(['start', 'end']).prefault(sectionDefaults.keep),
    'Which end stays when the section is cut.',
  ),
  required: key(
    z.boolean().prefault(sectionDefaults.required),
    'True: it is never cut. A prompt whose required sections do not fit is an error.',
  ),
})

const section = z.union([
  keys({
    ...sectionSettings(),
    text: key(text(), 'The Liquid template of the section.', '{{ input.goal }}'),
  }),
  keys({ ...sectionSettings(), file: fileName() }),
])

/** A text, a file or sections; always a list of sections afterwards. */
export const promptSchema: z.ZodType<readonly PromptSection[]> = exactly<
  readonly PromptSection[]
>()(
  z
    .union([text(), keys({ file: fileName() }), list(section, 'sections', { min: 1, max: 50 })])
    .transform((prompt): readonly PromptSection[] => {
      if (typeof prompt === 'string') return [{ name: 'prompt', text: prompt, ...sectionDefaults }]
      return 'file' in prompt ? [{ name: 'prompt', ...prompt, ...sectionDefaults }] : prompt
    }),
)

const environmentNames = (whose: string) =>
  key(
    list(environmentName(), 'a list of names of environment variables', { max: 100 }).prefault([]),
    `Names of environment variables that ${whose} is given. It sees no others but the usual ones, such as PATH.`,
    ['ANTHROPIC_API_KEY'],
  )

const commandAgent = keys({
  command: key(
    program(),
    'An agent that is a command line: the program and its arguments; relative paths begin in the workspace. The prompt comes on its standard input, its report is what it prints.',
    ['claude', '-p'],
  ),
  env: environmentNames('the agent'),
  timeout: key(duration().prefault('30m'), 'How long the agent may work in one iteration.', '1h'),
  subscription: key(
    z.boolean().prefault(false),
    'True: it uses a login of its own, so it runs outside the sandbox and the gateway. Only where somebody watches; what it spends is not counted.',
  ),
})

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
      .transform(({ tokens, cost }) => ({
        ...(tokens === undefined ? {} : { tokens }),
        ...(cost === undefined ? {} : { costMicros: cost }),
      }))
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

/** Told apart by the key that each must have. */
export const agentSchema: z.ZodType<AgentSettings> = z
  .union([commandAgent, modelAgent, scriptAgent])
  .transform((agent): AgentSettings => {
    if ('command' in agent) {
      const { timeout, ...rest } = agent
      return { type: 'command', ...rest, timeoutMs: timeout }
    }
    if ('script' in agent) return { type: 'script', script: agent.script }
    const { turns, ...rest } = agent
    return { type: 'model', ...rest, turnsMax: turns }
  })

const headerForm = /^(?:[^$\r\n]|\$(?!\{)|\$\{[A-Za-z_][A-Za-z0-9_]*\})*$/

const mcpServer: z.ZodType<McpServer> = z
  .union([
    keys({
      command: key(
        program(),
        'A server that is started as a process of its own: the program and its arguments.',
        ['mcp-server-filesystem', '.'],
      ),
      env: environmentNames('the server'),
    }),
    keys({
      url: key(webAddress(), 'A server that is reached over HTTP.', 'http://127.0.0.1:3000/mcp'),
      headers: key(
        table(
          form(
            /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/,
            'the name of a header, such as Authorization',
          ),
          form(headerForm, 'one line of text, with environment variables as ${NAME}'),
          'names and texts of headers',
          50,
        ).prefault({}),
        'Headers of each request. ${NAME} stands for an environment variable.',
        { Authorization: 'Bearer ${TOKEN}' },
      ),
    }),
  ])
  .transform(
    (server): McpServer =>
      'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server },
  )

export const mcpSchema: z.ZodType<{ readonly [server: string]: McpServer }> = table(
  form(
    /^(?!.*__)[a-zA-Z][a-zA-Z0-9_-]{0,31}$/,
    'the name of a server: letters, digits, - and single _, at most 32',
  ),
  mcpServer,
  'names of servers, each with a command or a url',
  20,
)

const checkTimeout = '10m'
const checkTimeoutMs = 600_000

const check: z.ZodType<CheckCommand> = z
  .union([
    text(100_000),
    program(),
    keys({
      run: key(
        z.union([text(100_000), program()]),
        'A command. Text is run by /bin/sh -c; a list is run as it is. It passes when it exits with 0.',
        'npm test',
        ['npx', 'biome', 'check'],
      ),
      timeout: key(duration().prefault(checkTimeout), 'How long the check may take.', '2m'),
      env: key(
        table(
          environmentName(),
          z.string({ error: expects('text (put it in quotes)') }),
          'names and values of environment variables',
          100,
        ).prefault({}),
        'Environment variables that the check is given besides the usual ones.',
        { CI: '1' },
      ),
    }),
  ])
  .transform((written): CheckCommand => {
    if (typeof written === 'string' || !('run' in written)) {
      return { command: commandOf(written), timeoutMs: checkTimeoutMs, env: {} }
    }
    const { run, timeout, env } = written
    return { command: commandOf(run), timeoutMs: timeout, env }
  })

const commandOf = (written: string | readonly string[]): readonly string[] =>
  typeof written === 'string' ? ['/bin/sh', '-c', written] : written

export const checksSchema: z.ZodType<{ readonly [name: string]: CheckCommand }> = table(
  form(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'the name of a check: letters, digits, ".", "-" and "_", at most 64',
  ),
  check,
  'names of checks, each with a command',
  50,
)
