/** What `loopd` is told: flags, the environment, the user's configuration, what is built in. */

import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { loadDaemonConfig } from '../definition/config/load-config.ts'
import { defined, LoopError } from '../loop/index.ts'
import type { QueuePolicy } from '../protocol/api/queue.ts'
import type { Config } from '../protocol/config/config.ts'
import { stateFolder } from '../system/index.ts'
import { packageVersion } from '../system/package-version.ts'
import type { LogLevel } from './log.ts'
import type { DaemonSettings } from './parts.ts'

export interface Told {
  readonly settings: DaemonSettings
  readonly token?: string
  readonly logLevel: LogLevel
  /** Log lines are shown too. */
  readonly foreground: boolean
  /** What of the configuration was not used. */
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

/** Commander says itself what is wrong, prints help and version, and throws a CommanderError. */
export async function readSettings(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Told> {
  const flags = createCommand()
    .parse([...argv], { from: 'user' })
    .opts<Flags>()
  const { state, publicName: publicNames, logLevel, foreground } = flags
  const { settings, notes } = await loadDaemonConfig({ environment, flags: toConfig(flags) })
  const { hostname, port, tlsCert: cert, tlsKey: key, ...limits } = settings.daemon
  if ((cert === undefined) !== (key === undefined)) {
    throw new LoopError(
      'bad-request',
      'A certificate needs its key: give --tls-cert and --tls-key.',
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

/** Those that the configuration has too. */
function toConfig(flags: Flags): Config {
  const { host: hostname, port, tlsCert, tlsKey } = flags
  const { maxConcurrentRuns, maxRunsPerWorkspace, queuePolicy } = flags
  const said = {
    hostname,
    port,
    tlsCert,
    tlsKey,
    maxConcurrentRuns,
    maxRunsPerWorkspace,
    queuePolicy,
  }
  return {
    daemon: Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
  }
}

const policies: readonly QueuePolicy[] = ['fifo', 'newest-first', 'priority']
const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

const createCommand = (): Command =>
  new Command('loopd')
    .description('Runs loops in the background and answers for them. loopctl starts it by itself.')
    .version(packageVersion())
    .option('--state <folder>', 'the folder of the record (LOOPWRIGHT_STATE)', oneText)
    .option(
      '--host <address>',
      'where it listens; others than this machine need TLS (127.0.0.1)',
      oneText,
    )
    .option(
      '--port <number>',
      `0: any that is free (${defaultPort}, or any if that is taken)`,
      portNumber,
    )
    .option('--public-name <name...>', 'other names that it is asked by, where it listens with TLS')
    .option('--tls-cert <file>', 'its certificate, in PEM', oneText)
    .option('--tls-key <file>', 'the key of the certificate, in PEM', oneText)
    .option('--max-concurrent-runs <number>', 'how many runs work at once (3)', count)
    .option(
      '--max-runs-per-workspace <number>',
      'how many of them in one repository (default: as many as work at once)',
      count,
    )
    .addOption(new Option('--queue-policy <policy>', 'who goes first (fifo)').choices(policies))
    .addOption(new Option('--log-level <level>', 'what is logged').choices(levels).default('info'))
    .option('--foreground', 'show the log here too')
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
