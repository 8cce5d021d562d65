/** What an exit code says where a program's lines say nothing: they never make a success of it. */

import type { AgentEnd } from '../../loop/index.ts'
import type { ProgramExit } from './agent-program.ts'

/** As shells count: hung up, interrupted, killed, asked to end. */
const signalCodes: ReadonlySet<number> = new Set([129, 130, 137, 143])

export function endOfExit({ exitCode }: ProgramExit, orderly: AgentEnd): AgentEnd {
  if (exitCode === 0) return orderly
  return exitCode === undefined || signalCodes.has(exitCode) ? 'interrupted' : 'crashed'
}

/** Nothing of one that was ended: whoever ended it knows why. */
export function whyItEnded({ exitCode, stderr }: ProgramExit): string {
  const code =
    exitCode === 0 ? 'It ended without a result.' : `It ended with exit code ${exitCode}.`
  const how = exitCode === undefined ? '' : code
  return [how, stderr.trim()].filter((part) => part !== '').join('\n')
}
