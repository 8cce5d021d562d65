/** The daemon's log: JSON lines without secrets, in a file and, in the foreground, on the terminal. */

import { type Level, pino } from 'pino'
import { isSecretName } from '../agents/index.ts'
import { createSecrets } from '../gateway/index.ts'
import type { Log } from './parts.ts'
import { openRotatingFile } from './rotating-file.ts'

export type LogLevel = Level | 'silent'

export interface DaemonLog extends Log {
  fatal(fields: object, text: string): void
  /** Values to mask, in addition to environment variables with secret names. */
  hide(secrets: () => readonly string[]): void
  close(): void
}

export interface LogOptions {
  readonly path: string
  readonly level: LogLevel
  /** Also called with every line. */
  readonly echo?: (line: string) => void
}

const bytesMax = 10 * 1024 * 1024
const filesMax = 3

export function openLog({ path, level, echo }: LogOptions): DaemonLog {
  const file = openRotatingFile(path, { bytesMax, filesMax })
  const ofEnvironment = Object.entries(process.env).flatMap(([name, value]) =>
    isSecretName(name) && value !== undefined ? [value] : [],
  )
  let known: () => readonly string[] = () => []
  let masking = createSecrets([], ofEnvironment)
  const write = (line: string): void => {
    const now = known()
    if (!isSame(now, masking.keys)) masking = createSecrets(now, ofEnvironment)
    const clean = masking.maskText(line)
    file.write(clean)
    echo?.(clean)
  }
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      redact: { paths: secretPaths, censor: '[secret]' },
      serializers: { error: pino.stdSerializers.err },
    },
    { write },
  )
  return {
    info: (fields, text) => log.info(fields, text),
    warn: (fields, text) => log.warn(fields, text),
    error: (fields, text) => log.error(fields, text),
    fatal: (fields, text) => log.fatal(fields, text),
    hide(secrets) {
      known = secrets
    },
    close: () => file.close(),
  }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])

const secretNames = [
  'authorization',
  'Authorization',
  'token',
  'apiKey',
  'key',
  'password',
  'cookie',
]
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
