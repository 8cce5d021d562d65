/** What an exit code means if the output reports nothing: it never counts as a success. */

import type { AgentEnd } from '../../loop/index.ts'
import type { ProgramExit } from './agent-program.ts'

/** Shell conventions: SIGHUP, SIGINT, SIGKILL, SIGTERM. */
const signalCodes: ReadonlySet<number> = new Set([129, 130, 137, 143])

export function classifyExit({ exitCode }: ProgramExit, orderly: AgentEnd): AgentEnd {
  if (exitCode === 0) return orderly
  return exitCode === undefined || signalCodes.has(exitCode) ? 'interrupted' : 'crashed'
}

/** No exit code if it was ended from outside: that reason is reported elsewhere. */
export function describeExit({ exitCode, stderr }: ProgramExit): string {
  const code =
    exitCode === 0 ? 'It ended without a result.' : `It ended with exit code ${exitCode}.`
  const how = exitCode === undefined ? '' : code
  return [how, stderr.trim()].filter((part) => part !== '').join('\n')
}
