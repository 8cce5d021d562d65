/** Certifies the files that a merge would put on a branch, with the checks of the run whose work it is. */

import { createHash } from 'node:crypto'
import { loadRun, type Subject } from '../../engine/index.ts'
import { defined, type RunState, type Signal, type StepContext } from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunParts } from '../../runs/options.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import { createCertifyContext } from '../certify/certify-context.ts'
import { certifyWithAnswers } from '../certify/certify-with-answers.ts'
import type { CertifierWorkspace } from '../certify/create-certifier.ts'
import { openCertifier } from '../certify/open-certifier.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import type { Candidate, Landing, LandingVerdict } from './landing.ts'

/** The run, and where its files are. */
export type CertifiedRun = CertifierWorkspace & Pick<RunPlace, 'id' | 'name'>

/** How a run certifies merged files. */
export type MergedCertifier = (context: CertifySpending) => Pick<Landing, 'checks' | 'certify'>

type CertifySpending = Pick<StepContext, 'spend' | 'reserve'>

export const createMergedCertifier =
  (
    base: HostPorts,
    place: CertifiedRun,
    parts: RunParts,
    certifying: CertifyingParts | undefined,
  ): MergedCertifier =>
  (context) => ({
    checks: identifyChecks(place, parts),
    certify: (candidate, signal) =>
      certify(base, place, parts, { certifying, candidate, context, signal }),
  })

interface MergedFiles {
  readonly certifying: CertifyingParts | undefined
  readonly candidate: Candidate
  readonly context: CertifySpending
  readonly signal: Signal
}

async function certify(
  base: HostPorts,
  place: CertifiedRun,
  parts: RunParts,
  { certifying, candidate, context, signal }: MergedFiles,
): Promise<LandingVerdict> {
  const checks = Object.keys(parts.checks ?? {})
  if (checks.length === 0) {
    return { type: 'refused', reason: 'The run has no checks, so nothing vouches for the files.' }
  }
  const { state } = await loadRun(base.journal, place.id)
  const certifier = openCertifier(base, place, parts, certifying, { baseCommit: candidate.onto })
  const money = { ...context, remainingMicros: () => leftOf(state) }
  const subject = toSubject(place, state, checks, candidate)
  const found = await certifyWithAnswers({}, (answers) =>
    certifier.certify({ ...subject, answers }, createCertifyContext(parts, money, signal)),
  )
  if (found.type === 'certified') return found
  return { type: 'refused', reason: found.refusals.map(({ message }) => message).join(' ') }
}

const leftOf = ({ limits, spent }: RunState): number =>
  Math.max(0, limits.costMicros - spent.costMicros)

function toSubject(
  { id, name }: CertifiedRun,
  state: RunState,
  checks: readonly string[],
  { tree, base, commit }: Candidate,
): Subject {
  const { loop, codeDigest, iteration, evidence, spent, limits, activeMs } = state
  const { source, allows, agent, sandbox } = state
  return {
    run: id,
    name,
    loop,
    codeDigest,
    iteration,
    condition: 'merged',
    checks,
    evidence,
    tree,
    base,
    commit,
    spent,
    limits,
    activeMs,
    answers: [],
    ...defined({ source, allows, agent, sandbox }),
  }
}

/** Checks in code have no fingerprint: they are the same only in the same run. */
function identifyChecks({ id }: CertifiedRun, { checks = {} }: RunParts): string {
  const named = Object.entries(checks).map(([name, { fingerprint = id }]) => [name, fingerprint])
  return createHash('sha256').update(JSON.stringify(named)).digest('hex')
}
