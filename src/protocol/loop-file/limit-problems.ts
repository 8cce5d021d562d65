/** Whether the limits of a loop file fit its other parts. Pure. */

import { unknownName } from './issue-problems.ts'
import type { FileProblem, LoopFile } from './loop-file.ts'

type File = Pick<LoopFile, 'limits' | 'agents' | 'checks' | 'certify'>

/** A limit for a role that no agent has would have no effect. */
export function agentLimitProblems({ limits, agents, checks, certify }: File): FileProblem[] {
  const judges = Object.keys(checks).filter((name) => checks[name]?.type === 'judge')
  const roles = [
    ...Object.keys(agents),
    ...judges.map((name) => `judge:${name}`),
    ...certify.consult.map(({ name }) => `consult:${name}`),
  ]
  return Object.keys(limits.agents ?? {})
    .filter((role) => !roles.includes(role))
    .map((role) => ({
      path: ['limits', 'agents', role],
      reason: unknownName('agent', role, roles),
    }))
}
