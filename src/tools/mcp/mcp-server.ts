/** Configured MCP servers: a program on this machine, or a URL. */

import { z } from 'zod'

/** How an MCP server is reached: a command to start, or a URL. */
export type McpServer =
  | {
      /** The program and its arguments. No shell. */
      readonly command: readonly string[]
      /** In addition to PATH, HOME, LANG and TMPDIR. */
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
    }
  | {
      /** http or https, with the path of the MCP endpoint. */
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
    }

/**
 * With such names the tools of two servers cannot collide: the first `__` in a tool's name ends the
 * name of its server.
 */
const serverName = /^[a-zA-Z](?:_?[a-zA-Z0-9-])*$/
const nameCharsMax = 32

const noNul = z.string().regex(/^[^\0]*$/, 'must not contain NUL')
const serverSchema = z.union([
  z.strictObject({
    command: z.array(noNul).min(1, 'must name a program'),
    env: z.record(noNul, noNul).optional(),
    cwd: noNul.optional(),
  }),
  z.strictObject({
    url: z.string(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
])

/** Undefined, or what is wrong with it. */
export function serverProblem(name: string, server: McpServer): string | undefined {
  if (!serverName.test(name) || name.length > nameCharsMax) {
    const rule = 'a letter, then letters, digits, "-" and single "_"; at most 32 characters'
    return `A server's name must be ${rule}. Rename it.`
  }
  const parsed = serverSchema.safeParse(server)
  if (!parsed.success) {
    return 'It needs either "command" (a list of the program and its arguments) or "url". Add one.'
  }
  if ('url' in server) return urlProblem(server.url) ?? headersProblem(server.headers)
  return server.command[0] === '' ? 'The program of "command" has no name. Add it.' : undefined
}

function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'Its "url" is not a URL. Write it as http://host:port/mcp.'
  const { password, protocol, username } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') {
    return `Its "url" begins with ${protocol} Only http: and https: can be used.`
  }
  if (username !== '' || password !== '') {
    return 'Its "url" contains a user or password. Put them in "headers", as Authorization.'
  }
  return undefined
}

/** Values are secrets, so messages do not contain them. */
function headersProblem(headers: Readonly<Record<string, string>> = {}): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    try {
      void new Headers([[name, value]])
    } catch {
      return `Its header ${JSON.stringify(name)} cannot be sent. Check its name and value.`
    }
  }
  return undefined
}

/** Where the server is, without possible secrets. */
export function describeLocation(server: McpServer): string {
  if ('command' in server) return server.command[0] ?? ''
  const { origin, pathname } = new URL(server.url)
  return `${origin}${pathname}`
}
