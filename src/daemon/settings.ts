/** The settings of `loopd`: flags, environment, user configuration, defaults. */

import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { loadDaemonConfig } from '../definition/config/load-config.ts'
import { defined, LoopError } from '../loop/index.ts'
import type { QueuePolicy } from '../protocol/api/queue.ts'
import type { Config } from '../protocol/config/config.ts'
import { stateFolder } from '../system/index.ts'
import { readPackageVersion } from '../system/package-version.ts'
import type { LogLevel } from './log.ts'
import type { DaemonSettings } from './parts.ts'

export interface DaemonStart {
  readonly settings: DaemonSettings
  readonly token?: string
  readonly logLevel: LogLevel
  /** Also print log lines. */
  readonly foreground: boolean
  /** Ignored parts of the configuration. */
  readonly notes: readonly string[]
}

const defaultPort = 7700

interface Flags {
  readonly state?: string
  readonly host?: string
  readonly port?: number
  readonly publicName?: readonly string[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly maxConcurrentRuns?: number
  readonly maxRunsPerWorkspace?: number
  readonly queuePolicy?: QueuePolicy
  readonly logLevel: LogLevel
  readonly foreground?: boolean
}

/** Commander prints errors, help and version itself, and throws a CommanderError. */
export async function readSettings(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<DaemonStart> {
  const flags = createCommand()
    .parse([...argv], { from: 'user' })
    .opts<Flags>()
  const { state, publicName: publicNames, logLevel, foreground } = flags
  const { settings, notes } = await loadDaemonConfig({ environment, flags: toConfig(flags) })
  const { hostname, port, tlsCert: cert, tlsKey: key, ...limits } = settings.daemon
  if ((cert === undefined) !== (key === undefined)) {
    throw new LoopError(
      'bad-request',
      'TLS needs a certificate and its key: pass both --tls-cert and --tls-key.',
    )
  }
  const token = environment['LOOPD_AUTH_TOKEN']
  return {
    settings: {
      folder: resolve(state ?? stateFolder(environment)),
      hostname,
      port: port ?? defaultPort,
      orAnyPort: port === undefined,
      ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
      ...defined({ publicNames }),
      maxConcurrentRuns: limits.maxConcurrentRuns,
      maxRunsPerWorkspace: limits.maxRunsPerWorkspace ?? limits.maxConcurrentRuns,
      queuePolicy: limits.queuePolicy,
    },
    ...(token === undefined || token === '' ? {} : { token }),
    logLevel,
    foreground: foreground === true,
    notes,
  }
}

/** The flags that are also settings of the configuration. */
function toConfig(flags: Flags): Config {
  const { host: hostname, port, tlsCert, tlsKey } = flags
  const { maxConcurrentRuns, maxRunsPerWorkspace, queuePolicy } = flags
  const daemon = {
    hostname,
    port,
    tlsCert,
    tlsKey,
    maxConcurrentRuns,
    maxRunsPerWorkspace,
    queuePolicy,
  }
  return {
    daemon: Object.fromEntries(Object.entries(daemon).filter(([, value]) => value !== undefined)),
  }
}

const policies: readonly QueuePolicy[] = ['fifo', 'newest-first', 'priority']
const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

const createCommand = (): Command =>
  new Command('loopd')
    .description('Runs loops in the background. loopctl starts it when needed.')
    .version(readPackageVersion())
    .option('--state <folder>', 'state folder (default: $LOOPWRIGHT_STATE, then XDG)', oneText)
    .option(
      '--host <address>',
      'address to listen on; others need TLS (default: 127.0.0.1)',
      oneText,
    )
    .option(
      '--port <number>',
      `port; 0: any free port (default: ${defaultPort}, or any if it is taken)`,
      portNumber,
    )
    .option('--public-name <name...>', 'other host names that clients use, with TLS')
    .option('--tls-cert <file>', 'TLS certificate, PEM', oneText)
    .option('--tls-key <file>', 'key of the TLS certificate, PEM', oneText)
    .option('--max-concurrent-runs <number>', 'maximum runs at a time (default: 3)', count)
    .option(
      '--max-runs-per-workspace <number>',
      'maximum runs at a time in one repository (default: no separate limit)',
      count,
    )
    .addOption(
      new Option('--queue-policy <policy>', 'order of the queue (default: fifo)').choices(policies),
    )
    .addOption(new Option('--log-level <level>', 'log level').choices(levels).default('info'))
    .option('--foreground', 'also print the log')
    .addHelpText('after', '\nThe token is in <state>/daemon/token, or LOOPD_AUTH_TOKEN.')
    .exitOverride()

function oneText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

function portNumber(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

function count(text: string): number {
  const number = Number(text)
  if (/^\d{1,4}$/.test(text) && number >= 1) return number
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.')
}
