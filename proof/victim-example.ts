/** The victim's loop in the form of the examples, for proofs that do not watch its calls. */

import { mkdirSync } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { createPlainCommands } from 'loopwright'
import type { Example } from '../examples/index.ts'
import { createCounter } from './failpoints.ts'
import { victimFiles, victimLimits, victimLoop } from './victim-loop.ts'
import { gate, placesIn, wholeCheck, worldActions } from './victim-world.ts'

const rounds = 2

export function victimExample(base: string): Example {
  const { work, flags, world } = placesIn(base)
  mkdirSync(flags, { recursive: true })
  const commands = createPlainCommands()
  const tools = { files: nodeFiles, commands, work, flags, paid: () => undefined }
  return {
    loop: victimLoop(tools, rounds),
    input: null,
    limits: victimLimits,
    files: victimFiles,
    parts: () => ({
      checks: { whole: wholeCheck(commands) },
      actions: worldActions(world, createCounter(), { reach: () => undefined }),
      gate,
    }),
  }
}
