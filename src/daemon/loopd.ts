#!/usr/bin/env node
/**
 * loopd: the daemon as a program. It stays where it is started; `loopctl daemon start` puts it in the
 * background. SIGTERM and SIGINT end it in good order, a second one without waiting.
 */

import { CommanderError } from 'commander'
import { errorTable, LoopError } from '../loop/index.ts'
import { createDaemon, type Daemon } from './create-daemon.ts'
import { readSettings, type Told } from './settings.ts'

const bugExitCode = 70
/** At the end of all patience. */
const hurryMs = 3000

// Whatever is made is for its owner alone.
process.umask(0o077)

try {
  await main(readSettings(process.argv.slice(2), process.env))
} catch (error) {
  process.exitCode = report(error)
}

async function main(told: Told): Promise<void> {
  // Nothing that is started from here may know it.
  delete process.env['LOOPD_AUTH_TOKEN']
  const { settings, token, logLevel, foreground } = told
  const daemon = await createDaemon(settings, {
    logLevel,
    ...(token === undefined ? {} : { token }),
    ...(foreground ? { echo: (line: string) => void process.stderr.write(line) } : {}),
  })
  endInGoodOrder(daemon)
  process.stdout.write(`loopd listens on ${daemon.address} (pid ${process.pid})\n`)
  await daemon.ended
  // Nothing that is left over keeps it alive.
  process.exit(process.exitCode ?? 0)
}

function endInGoodOrder(daemon: Daemon): void {
  let signals = 0
  const onSignal = (): void => {
    signals += 1
    void daemon.stop({ atOnce: signals > 1 })
    if (signals === 2) setTimeout(() => process.exit(1), hurryMs).unref()
    if (signals > 2) process.exit(1)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (error: Error) => {
    process.exitCode = bugExitCode
    daemon.log.fatal({ error }, 'an error of loopd itself; it ends')
    process.stderr.write(`loopd: unexpected: ${error.message}\n`)
    setTimeout(() => process.exit(bugExitCode), hurryMs).unref()
    void daemon.stop({ atOnce: true })
  })
  // Whoever started it may be gone.
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
