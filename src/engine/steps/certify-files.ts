/**
 * Certifies the current files because the loop asks for it, in the middle of an iteration: so that what depends on the
 * certificate, such as a gate, can follow in the same iteration.
 *
 * E5. The same rules as at the end of an iteration. Without checks nothing vouches for the files.
 */

import { type CertifiedFiles, defined } from '../../loop/index.ts'
import { certifyWork } from '../certify-work.ts'
import type { Branch } from '../live-run.ts'
import { keepWork } from '../workspace/keep-work.ts'
import { takeAsFound } from './perform-step.ts'

export async function certifyFiles(
  branch: Branch,
  names: readonly string[] | undefined,
): Promise<CertifiedFiles> {
  const { iteration } = branch
  const { ports, recorder } = iteration.run
  const checks = names ?? Object.keys(ports.checks ?? {})
  if (checks.length === 0) return refuse('no-checks', noChecks)
  if (iteration.waited) await takeAsFound(iteration)
  // An iteration that is continued certifies what it certified before.
  const tree = branch.recorded[branch.asked]?.started.claim?.tree ?? recorder.state.tree
  const kept = await keepWork(iteration, tree)
  if (kept === 'failed') return refuse('not-kept', notKept)
  const met = { condition: 'certify', ends: 'completed', byLoop: 'certified' } as const
  const end = await certifyWork(branch, { met, checks, ...defined({ tree }) }, kept)
  return end.type === 'failed' ? { type: 'refused', refusals: end.refusals } : end
}

const noChecks = 'There are no checks, so nothing vouches for the files. Add a check.'

const notKept = 'The work could not be committed, so there is nothing to certify. See the warning.'

const refuse = (code: string, message: string): CertifiedFiles => ({
  type: 'refused',
  refusals: [{ code, message }],
})
