#!/usr/bin/env node
/**
 * loopd: the daemon as a program. It stays in the foreground; `loopctl daemon start` starts it in the
 * background. SIGTERM, SIGINT and SIGHUP shut it down, a second signal without waiting.
 *
 * The lock is taken before the rest is loaded: a second daemon is refused at once.
 */

import { CommanderError } from 'commander'
import { lockDaemon } from '../host/lock-daemon.ts'
import { defined, errorTable, LoopError } from '../loop/index.ts'
import type { Daemon } from './create-daemon.ts'
import { requireOpenFiles } from './open-files.ts'
import { readSettings } from './settings.ts'

const bugExitCode = 70
/** How long a forced shutdown may take. */
const forcedStopMs = 3000

try {
  await main()
} catch (error) {
  process.exit(report(error))
}

async function main(): Promise<void> {
  const started = await readSettings(process.argv.slice(2), process.env)
  // Child processes must not see the token.
  delete process.env['LOOPD_AUTH_TOKEN']
  const { settings, token, logLevel, foreground, notes } = started
  // Agents and checks use the caller's umask; the daemon's own files are for its owner only.
  const umask = process.umask(0o077)
  requireOpenFiles()
  const lock = lockDaemon(settings.folder)
  const { createDaemon } = await import('./create-daemon.ts')
  const daemon = await createDaemon(settings, {
    lock,
    logLevel,
    onLost(message) {
      process.exitCode = errorTable['store-failed'].exitCode
      process.stderr.write(`loopd: ${message}\n`)
    },
    ...defined({ token }),
    ...(foreground ? { echo: (line: string) => void process.stderr.write(line) } : {}),
  })
  process.umask(umask)
  for (const note of notes) daemon.log.warn({}, note)
  shutDownOnSignals(daemon)
  process.stdout.write(`loopd listens on ${daemon.address} (pid ${process.pid})\n`)
  await daemon.ended
  // Exit even if something keeps the event loop alive.
  process.exit(process.exitCode ?? 0)
}

function shutDownOnSignals(daemon: Daemon): void {
  let signals = 0
  const onSignal = (): void => {
    signals += 1
    void daemon.stop({ atOnce: signals > 1 })
    if (signals === 2) setTimeout(() => process.exit(1), forcedStopMs).unref()
    if (signals > 2) process.exit(1)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
  process.on('uncaughtException', (error: Error) => {
    process.exitCode = bugExitCode
    daemon.log.fatal({ error }, 'internal error; shutting down')
    process.stderr.write(`loopd: unexpected: ${error.message}\n`)
    setTimeout(() => process.exit(bugExitCode), forcedStopMs).unref()
    void daemon.stop({ atOnce: true })
  })
  // The terminal that started it may be closed.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

function report(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : errorTable['bad-request'].exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`loopd: ${message}\n`)
  return error instanceof LoopError ? errorTable[error.code].exitCode : bugExitCode
}
