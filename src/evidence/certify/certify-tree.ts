/** The way from a tree to its certificate, a question, or the reasons why not. */

import type { Certification } from '../../engine/index.ts'
import { defined, LoopError, type Refusal, type TreeId } from '../../loop/index.ts'
import type { CertifyingPlace } from '../parts.ts'
import { RefusedError } from '../refused-error.ts'
import { type ClassifiedChange, classifyChanges } from '../scope/index.ts'
import { type Approval, type Asked, askApproval, keyOf, refused } from './ask-approval.ts'
import { certifiedFrom } from './certified-from.ts'
import type { Certifying } from './certifier.ts'
import { scopeIn } from './classify-work.ts'
import { dependencyConcerns, earlierApprovals, lacksConcern } from './dependency-concerns.ts'
import { type Examined, examine } from './examine.ts'
import { type Concern, isAside } from './seen.ts'
import { reaches } from './strength.ts'

export async function certifyTree(certifying: Certifying): Promise<Certification> {
  const { memory, tree } = certifying
  const before = memory.refused.get(tree)
  if (before !== undefined) return refused(before)
  try {
    const found = await goThrough(certifying)
    if (found.type === 'refused' && found.refusals.every(isOfTheFiles)) {
      memory.refused.set(tree, found.refusals)
    }
    return found
  } catch (error) {
    if (error instanceof RefusedError) return refused([error.refusal])
    throw error
  }
}

const unreachable = 'registry-unreachable'

/** E8. Others may be gone the next time: a slow machine, a tool that crashed, a consultant with more to say. */
const isOfTheFiles = ({ code }: Refusal): boolean =>
  ![
    'timeout',
    'check-error',
    'unclear',
    'concerns',
    'rejected',
    'tree-changed',
    unreachable,
  ].includes(code)

async function goThrough(certifying: Certifying): Promise<Certification> {
  const { parts, memory, subject, tree, base } = certifying
  const changed = await dependencyChanges(certifying)
  const approvals: Approval[] = []
  const lockfileOf = changed.length > 0 ? tree : base
  // Nothing is installed before it was approved.
  const asked = await askForDependencies(certifying, changed, lockfileOf)
  if (asked.type !== 'approved') return asked
  approvals.push(...asked.approvals)
  const approved = new Set(changed.map(({ path }) => path))
  let key = `${tree} ${approvals.length}`
  let examined =
    memory.examined?.key === key
      ? memory.examined.examined
      : await examineAnew(certifying, approved, lockfileOf)
  const lacks = lacksConcern(examined)
  if (lacks !== undefined) {
    const more = await ask(certifying, [lacks.concern], [])
    if (more.type === 'asks') memory.examined = { key, examined }
    if (more.type === 'refused') return refused([...examined.concerns, ...more.refusals])
    if (more.type !== 'approved') return more
    await parts.dependencies?.approve(lacks.items, more.approval.by)
    approvals.push(more.approval)
    key = `${tree} ${approvals.length}`
    examined = await examineAnew(certifying, approved, lockfileOf)
  }
  if (examined.concerns.length > 0) {
    const more = await ask(certifying, examined.concerns, firstOf(examined))
    if (more.type === 'asks') memory.examined = { key, examined }
    if (more.type !== 'approved') return more
    approvals.unshift(more.approval)
  } else {
    const { level, required } = examined.strength
    if (!reaches(level, required)) return refused([tooWeak(examined)])
  }
  delete memory.examined
  // A run that was stopped gets no certificate.
  certifying.context.signal.throwIfAborted()
  const certificate = await parts.issue({
    ...certifiedFrom(subject, examined, approved),
    approvals: [...approvals, ...earlierApprovals(examined.layer, approvals)],
  })
  return { type: 'certified', certificate }
}

const tooWeak = ({ strength: { level, required, statements } }: Examined): Concern => ({
  code: 'too-weak',
  message: `The loop file requires ${required} (certify.require), and this reaches ${level}. ${statements.join(' ')} Add a test that fails without the work, or require less.`,
  mayBeApproved: false,
})

/** Lockfiles and dependency keys, which are known before any check has run. */
async function dependencyChanges(certifying: Certifying): Promise<readonly ClassifiedChange[]> {
  const { parts, base, tree } = certifying
  const { reader, seals } = parts
  if (base === tree) return []
  const nothing = new Set<string>()
  const changes = await classifyChanges({
    reader,
    base,
    tree,
    scope: await scopeIn(certifying),
    seals,
    testsOfBase: nothing,
    testsOfTree: nothing,
    readOnBase: undefined,
    readOnTree: undefined,
    onlyAddsTests: () => false,
    inlineTestsUnchanged: () => true,
  })
  return changes.filter((change) => change.class === 'dependencies')
}

/** Changed files that need an approval. */
const firstOf = ({ changes }: Examined): readonly string[] =>
  changes.filter(isAside).flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))

/** One question: which dependencies the work changes, and which of them need an approval of their own. */
async function askForDependencies(
  certifying: Certifying,
  changed: readonly ClassifiedChange[],
  lockfileOf: TreeId,
): Promise<
  | { readonly type: 'approved'; readonly approvals: readonly Approval[] }
  | Exclude<Asked, { type: 'approved' }>
> {
  const { parts, base, context } = certifying
  const needed = (await parts.dependencies?.needed(lockfileOf, context.signal)) ?? []
  const concerns = dependencyConcerns(changed, needed)
  if (concerns.length === 0) return { type: 'approved', approvals: [] }
  const paths = changed.map(({ path }) => path)
  const asked = await ask(certifying, concerns, paths)
  if (asked.type === 'refused' && lockfileOf === base) {
    const [refusal] = asked.refusals
    throw refusal === undefined
      ? new Error('Refused without a reason.')
      : notOfTheWork(new RefusedError({ ...refusal, code: 'dependencies' }))
  }
  if (asked.type !== 'approved') return asked
  await parts.dependencies?.approve(needed, asked.approval.by)
  return { type: 'approved', approvals: [asked.approval] }
}

/** What a person said no to is not asked again. */
async function ask(
  { parts, memory, subject, base, tree }: Certifying,
  concerns: readonly Concern[],
  first: readonly string[],
): Promise<Asked> {
  const { changes, deadlineMs, reader } = parts
  const review = { base, tree, first }
  const request = { subject, concerns, reader, review, changes, deadlineMs }
  const key = keyOf(request)
  if (memory.declined.has(key)) return refused(concerns)
  const asked = await askApproval(request)
  if (asked.type === 'refused') memory.declined.set(key, subject.name)
  return asked
}

async function examineAnew(
  certifying: Certifying,
  approved: ReadonlySet<string>,
  lockfileOf: TreeId,
): Promise<Examined> {
  const { parts, subject, tree, base, context } = certifying
  const request = {
    tree,
    lockfileOf,
    signal: context.signal,
    ...defined({ commit: subject.commit }),
  }
  const open = async (): Promise<CertifyingPlace> =>
    allowing(await parts.open(request), subject.allows)
  const place = await open().catch((error: unknown) => {
    throw lockfileOf === base ? notOfTheWork(error) : error
  })
  try {
    const openAgain = open
    return await examine({ ...certifying, openAgain }, place, approved)
  } finally {
    await place.close()
  }
}

/** With the checks that a person lets fail as they did before the run began. */
const allowing = (place: CertifyingPlace, allows: readonly string[] = []): CertifyingPlace => ({
  ...place,
  checks: place.checks.map((check) =>
    allows.includes(check.name) ? { ...check, existing: 'allow' } : check,
  ),
})

/** What the base's own lockfile asks for cannot be installed: another iteration could not mend that. */
export function notOfTheWork(error: unknown): unknown {
  if (!(error instanceof RefusedError) || error.refusal.code === 'tree-changed') return error
  const { code, message } = error.refusal
  // A registry that cannot be reached may be reached later; anything else stays as it is.
  const isPassing = code === unreachable
  return new LoopError(isPassing ? 'workspace-failed' : 'dependencies-failed', message, {
    cause: error,
  })
}
