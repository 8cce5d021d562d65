/** Suggests a command for an unknown word. */

import { findNearestName } from '../loop/index.ts'

/** What other tools call the same thing. */
const otherWords: Readonly<Record<string, string>> = {
  abort: 'cancel',
  apply: 'merge',
  approve: 'inbox',
  check: 'preflight',
  cleanup: 'gc',
  continue: 'resume',
  delete: 'rm',
  exec: 'run',
  get: 'list',
  info: 'inspect',
  kill: 'cancel',
  log: 'tail',
  logs: 'tail',
  ls: 'list',
  new: 'init',
  ps: 'list',
  remove: 'rm',
  runs: 'list',
  setup: 'init',
  start: 'run',
  status: 'list',
  version: '--version',
}

export function suggestCommand(typed: string, commands: readonly string[]): string | undefined {
  return otherWords[typed.toLowerCase()] ?? findNearestName(typed, commands)
}
