/** Takes a tree to its certificate, a question, or the reasons for a refusal. */

import type { Certification } from '../../engine/index.ts'
import { defined, LoopError, type Refusal, type TreeId } from '../../loop/index.ts'
import type { CertificationCheckout } from '../parts.ts'
import { RefusedError } from '../refused-error.ts'
import { type ClassifiedChange, classifyChanges } from '../scope/index.ts'
import { type ApprovalOutcome, askApproval, createApprovalKey, refused } from './ask-approval.ts'
import type { Approval, CertificationContext, Examination } from './certification.ts'
import { findScope } from './classify-work.ts'
import {
  dependencyConcerns,
  earlierApprovals,
  findMissingDependencies,
} from './dependency-concerns.ts'
import { examine } from './examine.ts'
import { type Concern, isOutsideWork } from './observations.ts'
import { reaches } from './strength.ts'
import { toCertified } from './to-certified.ts'

export async function certifyTree(certifying: CertificationContext): Promise<Certification> {
  const { memory, tree } = certifying
  const before = memory.refused.get(tree)
  if (before !== undefined) return refused(before)
  try {
    const found = await runCertification(certifying)
    if (found.type === 'refused' && found.refusals.every(dependsOnFiles)) {
      memory.refused.set(tree, found.refusals)
    }
    return found
  } catch (error) {
    if (error instanceof RefusedError) return refused([error.refusal])
    throw error
  }
}

const registryUnreachable = 'registry-unreachable'

/** E8. Whether the same files are always refused for this reason. A slow machine or a crashed tool may recover. */
const dependsOnFiles = ({ code }: Refusal): boolean =>
  ![
    'timeout',
    'check-error',
    'unclear',
    'concerns',
    'rejected',
    'tree-changed',
    registryUnreachable,
  ].includes(code)

async function runCertification(certifying: CertificationContext): Promise<Certification> {
  const { parts, memory, subject, tree, base } = certifying
  const changed = await findDependencyChanges(certifying)
  const approvals: Approval[] = []
  const lockfileTree = changed.length > 0 ? tree : base
  // Nothing is installed before it is approved.
  const asked = await askForDependencies(certifying, changed, lockfileTree)
  if (asked.type !== 'approved') return asked
  approvals.push(...asked.approvals)
  const approved = new Set(changed.map(({ path }) => path))
  let key = `${tree} ${approvals.length}`
  let examined =
    memory.examined?.key === key
      ? memory.examined.examined
      : await runExamination(certifying, approved, lockfileTree)
  const missing = findMissingDependencies(examined)
  if (missing !== undefined) {
    const more = await ask(certifying, [missing.concern], [])
    if (more.type === 'asks') memory.examined = { key, examined }
    if (more.type === 'refused') return refused([...examined.concerns, ...more.refusals])
    if (more.type !== 'approved') return more
    await parts.dependencies?.approve(missing.items, more.approval.by)
    approvals.push(more.approval)
    key = `${tree} ${approvals.length}`
    examined = await runExamination(certifying, approved, lockfileTree)
  }
  if (examined.concerns.length > 0) {
    const more = await ask(certifying, examined.concerns, listPathsToApprove(examined))
    if (more.type === 'asks') memory.examined = { key, examined }
    if (more.type !== 'approved') return more
    approvals.unshift(more.approval)
  } else {
    const { level, required } = examined.strength
    if (!reaches(level, required)) return refused([tooWeak(examined)])
  }
  delete memory.examined
  // A stopped run gets no certificate.
  certifying.context.signal.throwIfAborted()
  const certificate = await parts.issue({
    ...toCertified(subject, examined, approved),
    approvals: [...approvals, ...earlierApprovals(examined.layer, approvals)],
  })
  return { type: 'certified', certificate }
}

const tooWeak = ({ strength: { level, required, statements } }: Examination): Concern => ({
  code: 'too-weak',
  message: `The loop file requires ${required} (certify.require), but this reaches only ${level}. ${statements.join(' ')} Add a test that fails without the work, or require less.`,
  mayBeApproved: false,
})

/** Changes of lockfiles and dependency keys, which are known before any check runs. */
async function findDependencyChanges(
  certifying: CertificationContext,
): Promise<readonly ClassifiedChange[]> {
  const { parts, base, tree } = certifying
  const { reader, seals } = parts
  if (base === tree) return []
  const noTests = new Set<string>()
  const changes = await classifyChanges({
    reader,
    base,
    tree,
    scope: await findScope(certifying),
    seals,
    testsOfBase: noTests,
    testsOfTree: noTests,
    readOnBase: undefined,
    readOnTree: undefined,
    onlyAddsTests: () => false,
  })
  return changes.filter((change) => change.class === 'dependencies')
}

/** Changed files that need an approval. */
const listPathsToApprove = ({ changes }: Examination): readonly string[] =>
  changes
    .filter(isOutsideWork)
    .flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))

/** One question: which dependencies the work changes, and which of them need a separate approval. */
async function askForDependencies(
  certifying: CertificationContext,
  changed: readonly ClassifiedChange[],
  lockfileTree: TreeId,
): Promise<
  | { readonly type: 'approved'; readonly approvals: readonly Approval[] }
  | Exclude<ApprovalOutcome, { type: 'approved' }>
> {
  const { parts, base, context } = certifying
  const needed = (await parts.dependencies?.needed(lockfileTree, context.signal)) ?? []
  const concerns = dependencyConcerns(changed, needed)
  if (concerns.length === 0) return { type: 'approved', approvals: [] }
  const paths = changed.map(({ path }) => path)
  const asked = await ask(certifying, concerns, paths)
  if (asked.type === 'refused' && lockfileTree === base) {
    const [refusal] = asked.refusals
    throw refusal === undefined
      ? new Error('Refused without a reason.')
      : asInfrastructureError(new RefusedError({ ...refusal, code: 'dependencies' }))
  }
  if (asked.type !== 'approved') return asked
  await parts.dependencies?.approve(needed, asked.approval.by)
  return { type: 'approved', approvals: [asked.approval] }
}

/** Does not repeat a question that was declined. */
async function ask(
  { parts, memory, subject, base, tree }: CertificationContext,
  concerns: readonly Concern[],
  first: readonly string[],
): Promise<ApprovalOutcome> {
  const { changes, deadlineMs, reader } = parts
  const review = { base, tree, first }
  const request = { subject, concerns, reader, review, changes, deadlineMs }
  const key = createApprovalKey(request)
  if (memory.declined.has(key)) return refused(concerns)
  const asked = await askApproval(request)
  if (asked.type === 'refused') memory.declined.set(key, subject.name)
  return asked
}

async function runExamination(
  certifying: CertificationContext,
  approved: ReadonlySet<string>,
  lockfileTree: TreeId,
): Promise<Examination> {
  const { parts, subject, tree, base, context } = certifying
  const request = {
    tree,
    lockfileTree,
    signal: context.signal,
    ...defined({ commit: subject.commit }),
  }
  const open = async (): Promise<CertificationCheckout> =>
    allowFailures(await parts.open(request), subject.allows)
  const checkout = await open().catch((error: unknown) => {
    throw lockfileTree === base ? asInfrastructureError(error) : error
  })
  // Opened while the checks run on the candidate.
  const second = base === tree || parts.quick ? undefined : openAhead(open)
  try {
    const openAgain = second?.take ?? open
    return await examine({ ...certifying, openAgain }, checkout, approved)
  } finally {
    await checkout.close()
    await second?.discard()
  }
}

interface OpenedAhead {
  /** The caller closes it. */
  take(): Promise<CertificationCheckout>
  /** Closes it if it was not taken. */
  discard(): Promise<void>
}

function openAhead(open: () => Promise<CertificationCheckout>): OpenedAhead {
  const opening = open()
  // Reported when it is taken.
  opening.catch(() => undefined)
  let isTaken = false
  return {
    async take() {
      isTaken = true
      return opening
    },
    async discard() {
      if (isTaken) return
      const checkout = await opening.catch(() => undefined)
      await checkout?.close()
    },
  }
}

/** Marks the checks that a person allows to fail as they did before the run. */
const allowFailures = (
  checkout: CertificationCheckout,
  allows: readonly string[] = [],
): CertificationCheckout => ({
  ...checkout,
  checks: checkout.checks.map((check) =>
    allows.includes(check.name) ? { ...check, existing: 'allow' } : check,
  ),
})

/** The dependencies of the base itself cannot be installed, which another iteration could not fix. */
export function asInfrastructureError(error: unknown): unknown {
  if (!(error instanceof RefusedError) || error.refusal.code === 'tree-changed') return error
  const { code, message } = error.refusal
  // An unreachable registry may come back; anything else stays as it is.
  const isTransient = code === registryUnreachable
  return new LoopError(isTransient ? 'workspace-failed' : 'dependencies-failed', message, {
    cause: error,
  })
}
