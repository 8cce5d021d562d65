/** The schema of `mcp` in a loop file. */

import { z } from 'zod'
import type { McpServer } from './loop-file.ts'
import {
  environmentNames,
  key,
  keys,
  matching,
  program,
  table,
  webAddress,
} from './value-schemas.ts'

const headerForm = /^(?:[^$\r\n]|\$(?!\{)|\$\{[A-Za-z_][A-Za-z0-9_]*\})*$/

const mcpServer: z.ZodType<McpServer> = z
  .union([
    keys({
      command: key(
        program(),
        'A server that runs as a separate process: the program and its arguments.',
        ['mcp-server-filesystem', '.'],
      ),
      env: environmentNames('the server'),
    }),
    keys({
      url: key(webAddress(), 'A server reached over HTTP.', 'http://127.0.0.1:3000/mcp'),
      headers: key(
        table(
          matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'a header name, such as Authorization'),
          matching(headerForm, 'one line of text, with environment variables as ${NAME}'),
          'header names and values',
          50,
        ).prefault({}),
        'Headers of each request. ${NAME} is replaced by an environment variable.',
        { Authorization: 'Bearer ${TOKEN}' },
      ),
    }),
  ])
  .transform(
    (server): McpServer =>
      'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server },
  )

export const mcpSchema: z.ZodType<{ readonly [server: string]: McpServer }> = table(
  matching(
    /^(?!.*__)[a-zA-Z][a-zA-Z0-9_-]{0,31}$/,
    'a server name: letters, digits, - and single _, at most 32',
  ),
  mcpServer,
  'server names, each with a command or a url',
  20,
)
