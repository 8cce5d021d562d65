/** The way from a tree to its certificate, a question, or the reasons why not. */

import type { Certification } from '../../engine/index.ts'
import { LoopError, type Refusal, type TreeId } from '../../loop/index.ts'
import { RefusedError } from '../refused-error.ts'
import type { SealedChanges } from '../seals/sealed-change.ts'
import { sealedChanges } from '../seals/sealed-changes.ts'
import { type Approval, type Asked, askApproval, keyOf, refused } from './ask-approval.ts'
import type { Certifying } from './certifier.ts'
import type { Concern } from './concerns.ts'
import { dependencyConcerns, earlierApprovals, lacksConcern } from './dependency-concerns.ts'
import { type Looked, look } from './look.ts'

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

/** E8. Others may be gone the next time: a slow machine, a tool that crashed, somebody who has more to say. */
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
  const changed = await sealedChanges(parts.reader, base, tree, parts.seals)
  const approvals: Approval[] = []
  const isChanged = changed.changes.some(({ kind }) => kind === 'dependencies')
  const lockfileOf = isChanged ? tree : base
  // Nothing is installed that nobody has approved of.
  const asked = await askForDependencies(certifying, changed, lockfileOf)
  if (asked.type !== 'approved') return asked
  approvals.push(...asked.approvals)
  let key = `${tree} ${approvals.length}`
  let looked =
    memory.looked?.key === key
      ? memory.looked.looked
      : await lookAnew(certifying, changed, lockfileOf)
  const lacks = lacksConcern(looked)
  if (lacks !== undefined) {
    const more = await ask(certifying, [lacks.concern], [])
    if (more.type === 'asks') memory.looked = { key, looked }
    if (more.type === 'refused') return refused([...looked.concerns, ...more.refusals])
    if (more.type !== 'approved') return more
    await parts.dependencies?.approve(lacks.items, more.approval.by)
    approvals.push(more.approval)
    key = `${tree} ${approvals.length}`
    looked = await lookAnew(certifying, changed, lockfileOf)
  }
  if (looked.concerns.length > 0) {
    const more = await ask(certifying, looked.concerns, changed.paths)
    if (more.type === 'asks') memory.looked = { key, looked }
    if (more.type !== 'approved') return more
    approvals.unshift(more.approval)
  }
  delete memory.looked
  const { concerns: _concerns, ...found } = looked
  // Whoever stopped it gets no certificate that nobody knows of.
  certifying.context.signal.throwIfAborted()
  const certificate = await parts.issue({
    ...found,
    subject,
    sealedChanges: changed.changes,
    approvals: [...approvals, ...earlierApprovals(looked.layer, approvals)],
  })
  return { type: 'certified', certificate }
}

/** One question: which dependencies the work changes, and what of them takes an approval by itself. */
async function askForDependencies(
  certifying: Certifying,
  changed: SealedChanges,
  lockfileOf: TreeId,
): Promise<
  | { readonly type: 'approved'; readonly approvals: readonly Approval[] }
  | Exclude<Asked, { type: 'approved' }>
> {
  const { parts, base, context } = certifying
  const needed = (await parts.dependencies?.needed(lockfileOf, context.signal)) ?? []
  const concerns = dependencyConcerns(changed, needed)
  if (concerns.length === 0) return { type: 'approved', approvals: [] }
  const asked = await ask(certifying, concerns, changed.paths)
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

async function lookAnew(
  certifying: Certifying,
  changed: SealedChanges,
  lockfileOf: TreeId,
): Promise<Looked> {
  const { parts, subject, tree, base, context } = certifying
  const request = {
    tree,
    lockfileOf,
    signal: context.signal,
    ...(subject.commit === undefined ? {} : { commit: subject.commit }),
  }
  const place = await parts.open(request).catch((error: unknown) => {
    throw lockfileOf === base ? notOfTheWork(error) : error
  })
  try {
    return await look(certifying, place, changed, lockfileOf !== base)
  } finally {
    await place.close()
  }
}

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
