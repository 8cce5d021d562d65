/** What `loopd` is told: flags, then the environment, then what is built in. */

import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { packageVersion } from '../host/daemon/index.ts'
import { stateFolder } from '../host/index.ts'
import type { QueuePolicy } from '../protocol/api/index.ts'
import type { LogLevel } from './log.ts'
import type { DaemonSettings } from './parts.ts'

export interface Told {
  readonly settings: DaemonSettings
  readonly token?: string
  readonly logLevel: LogLevel
  /** Log lines are shown too. */
  readonly foreground: boolean
}

export const defaultPort = 7700
export const defaultHostname = '127.0.0.1'

interface Flags {
  readonly state?: string
  readonly host?: string
  readonly port?: number
  readonly publicName?: readonly string[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly maxConcurrentRuns: number
  readonly maxRunsPerWorkspace: number
  readonly queuePolicy: QueuePolicy
  readonly logLevel: LogLevel
  readonly foreground?: boolean
}

/** Commander says itself what is wrong, prints help and version, and throws a CommanderError. */
export function readSettings(argv: readonly string[], env: NodeJS.ProcessEnv): Told {
  const flags = createCommand()
    .parse([...argv], { from: 'user' })
    .opts<Flags>()
  const { tlsCert: cert, tlsKey: key, port, publicName: publicNames } = flags
  if ((cert === undefined) !== (key === undefined)) {
    throw new InvalidArgumentError('--tls-cert and --tls-key go together: give both.')
  }
  const token = env['LOOPD_AUTH_TOKEN']
  return {
    settings: {
      folder: resolve(flags.state ?? stateFolder(env)),
      hostname: flags.host ?? defaultHostname,
      port: port ?? defaultPort,
      orAnyPort: port === undefined,
      ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
      ...(publicNames === undefined ? {} : { publicNames }),
      maxConcurrentRuns: flags.maxConcurrentRuns,
      maxRunsPerWorkspace: flags.maxRunsPerWorkspace,
      queuePolicy: flags.queuePolicy,
    },
    ...(token === undefined || token === '' ? {} : { token }),
    logLevel: flags.logLevel,
    foreground: flags.foreground === true,
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
      `where it listens; others than this machine need TLS (${defaultHostname})`,
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
    .option('--max-concurrent-runs <number>', 'how many runs work at once', count, 3)
    .option('--max-runs-per-workspace <number>', 'how many of them in one workspace', count, 1)
    .addOption(
      new Option('--queue-policy <policy>', 'who goes first').choices(policies).default('fifo'),
    )
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
