/** Runs work that a signal can end, and prints what that means. */

import { interruptedExitCode } from './exit-codes.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

export async function interruptible(
  meaning: string,
  work: (stop: AbortController) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort(new Error('interrupted'))
  for (const name of signals) process.on(name, interrupt)
  try {
    await work(stop)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.stderr.write(`Interrupted: ${meaning}\n`)
    process.exitCode = interruptedExitCode
  } finally {
    for (const name of signals) process.off(name, interrupt)
  }
}
