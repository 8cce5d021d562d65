#!/usr/bin/env node
/** loopctl: looks at runs and talks to them. What it needs is loaded when a command asks for it. */

import { errorTable, LoopError } from '../loop/index.ts'
import { createProgram } from './program.ts'

async function main(): Promise<void> {
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (!(error instanceof LoopError)) throw error
    const json = process.argv.includes('--json')
    const text = json
      ? JSON.stringify({ error: { code: error.code, message: error.message } })
      : `loopctl: ${error.message}`
    process.stderr.write(`${text}\n`)
    process.exitCode = errorTable[error.code].exitCode
  }
}

await main()
