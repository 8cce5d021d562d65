#!/usr/bin/env node
/** loopctl: runs loops, looks at runs and talks to them. What it needs is loaded when it is asked for. */

import { version } from './version.ts'

const [, , first, ...rest] = process.argv

// People and scripts ask for it often; it should not wait for the rest.
if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${version()}\n`)
} else if (first === 'complete' && rest[0] === '--') {
  // What shells ask while somebody types: no command of people.
  const { complete } = await import('./complete.ts')
  await complete(rest.slice(1))
} else {
  const { main } = await import('./main.ts')
  await main()
}
