#!/usr/bin/env node
/** loopctl: starts, inspects and controls runs. Modules are loaded when a command needs them. */

import { version } from './version.ts'

const [, , first, ...rest] = process.argv

// Called often by people and scripts, so it loads nothing else.
if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${version()}\n`)
} else if (first === 'complete' && rest[0] === '--') {
  // Called by shells for completion; not a command for users.
  const { complete } = await import('./complete.ts')
  await complete(rest.slice(1))
} else {
  const { main } = await import('./main.ts')
  await main()
}
