/** Prints long text: through a pager at a terminal, else directly. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Terminal } from './terminal.ts'

/** `$PAGER`, or less, which exits by itself if the text fits on one screen. */
export async function printPaged(
  text: string,
  terminal: Pick<Terminal, 'live'>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const [program, ...args] = (environment['PAGER'] ?? 'less')
    .split(' ')
    .filter((part) => part !== '')
  const isPaged = terminal.live && program !== undefined && program !== 'cat'
  if (!isPaged || !(await page([program, ...args], text, environment))) {
    process.stdout.write(`${text}\n`)
  }
}

/** False: there is no such program. */
async function page(
  [program, ...args]: readonly [string, ...string[]],
  text: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const child = spawn(program, args, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...environment },
  })
  // The user quit the pager before the end.
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${text}\n`)
  const failed = once(child, 'error').then(() => false)
  const ended = once(child, 'close').then(() => true)
  return Promise.race([failed, ended.catch(() => false)])
}
