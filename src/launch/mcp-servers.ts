/** The MCP servers of a loop file, with their environment variables. */

import { isSecretName } from '../agents/index.ts'
import { LoopError } from '../loop/index.ts'
import type { McpServer } from '../protocol/index.ts'
import type { Environment } from '../system/environment.ts'
import type { connectMcp } from '../tools/index.ts'
import { pickVariables } from './agents/pick-variables.ts'

/** Secrets that are passed to the servers, which may repeat them. */
export function secretsOf(
  servers: Readonly<Record<string, McpServer>>,
  environment: Environment,
): readonly string[] {
  const names = Object.values(servers).flatMap((server) =>
    server.type === 'http'
      ? Object.entries(server.headers).flatMap(([header, text]) =>
          [...text.matchAll(variablePattern)]
            .map(([, variable = '']) => variable)
            .filter((variable) => isSecretName(variable) || isSecretName(header)),
        )
      : server.env.filter(isSecretName),
  )
  return names.flatMap((name) => environment[name] ?? [])
}

export function serversOf(
  servers: Readonly<Record<string, McpServer>>,
  environment: Environment,
  problems: string[],
  isReplay: boolean,
): Parameters<typeof connectMcp>[0] {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (server.type === 'http') {
        if (isReplay) throw notReplayed(name)
        return [name, { url: server.url, headers: fillHeaders(name, server.headers, environment) }]
      }
      const env = pickVariables(`the MCP server ${name}`, server.env, environment, problems)
      return [name, { command: server.command, env }]
    }),
  )
}

/** Its tools may have side effects, and their results are not recorded. */
const notReplayed = (name: string): LoopError =>
  new LoopError(
    'bad-request',
    `The MCP server "${name}" is called over HTTP, so a run that uses it cannot be replayed. Fork it instead.`,
  )

const variablePattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

function fillHeaders(
  server: string,
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): Record<string, string> {
  const fill = (header: string, text: string): string =>
    text.replaceAll(variablePattern, (_whole, variable: string) => {
      const value = environment[variable]
      if (value !== undefined) return value
      throw new LoopError(
        'not-configured',
        `The header "${header}" of the MCP server "${server}" needs ${variable}. Set it, and run the same command again.`,
      )
    })
  return Object.fromEntries(
    Object.entries(headers).map(([header, text]) => [header, fill(header, text)]),
  )
}
