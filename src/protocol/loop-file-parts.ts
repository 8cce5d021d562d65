/** How the parts of a loop file are written: the prompt, MCP servers and checks. */

import { z } from 'zod'
import { exactly } from './exactly.ts'
import type { CheckCommand, McpServer, PromptSection } from './loop-file.ts'
import {
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
  webAddress,
  whole,
} from './loop-file-values.ts'

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
