#!/usr/bin/env node
/** loopctl: looks at runs and talks to them. What it needs is loaded when a command asks for it. */

import { CommanderError } from 'commander'
import { errorTable, LoopError } from '../loop/index.ts'
import { createProgram } from './program.ts'

async function main(): Promise<void> {
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version have been printed and are no errors; the rest is a wrong use.
      if (error.exitCode !== 0) report('bad-request', undefined)
    } else if (error instanceof LoopError) report(error.code, error.message)
    else throw error
  }
}

function report(code: LoopError['code'], message: string | undefined): void {
  process.exitCode = errorTable[code].exitCode
  if (process.argv.includes('--json')) {
    const text = message ?? 'wrong use; see loopctl help'
    process.stderr.write(`${JSON.stringify({ error: { code, message: text } })}\n`)
  } else if (message !== undefined) process.stderr.write(`loopctl: ${message}\n`)
}

await main()
