/**
 * Loaded into a process before anything else: its clock on the wall is set, by what a file says, whenever it
 * is told by a signal. Timers are not touched, as they are not when a real clock is set.
 */

import { readFileSync } from 'node:fs'

const RealDate = Date
let offsetMs = 0

class SetDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [RealDate.now() + offsetMs] : given) as [number]))
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
}

const file = process.env['PROOF_CLOCK']
if (file !== undefined) {
  globalThis.Date = SetDate as DateConstructor
  process.on('SIGUSR2', () => {
    offsetMs = Number(readFileSync(file, 'utf8'))
  })
}
