/** How the parts of a loop file are written: the prompt and MCP servers. */

import { z } from 'zod'
import { exactly } from './exactly.ts'
import type { McpServer, PromptSection } from './loop-file.ts'
import {
  environmentNames,
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
