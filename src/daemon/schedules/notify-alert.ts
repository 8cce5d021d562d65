/**
 * Runs the command of the user that a schedule has for alerts. It comes from the command line of the user, never from a
 * repository, and gets the text on its standard input.
 */

import { runProgram } from '../../workspace/index.ts'
import type { Entry } from './book.ts'

const timeoutMs = 30_000
const outputBytesMax = 64 * 1024

export async function notifyAlert(
  { name, definition: { notify } }: Entry,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const [program, ...args] = notify ?? []
  if (program === undefined) return
  const given = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  const env = { ...Object.fromEntries(given), LOOPWRIGHT_SCHEDULE: name }
  const input = Buffer.from(`Schedule "${name}": ${text}\n`)
  await runProgram(
    { name: program, program, args, env },
    { input, timeoutMs, outputBytesMax, signal },
  )
}
