/** Concerns about dependencies, which only a person can decide. Pure. */

import type { DependencyItem, DependencyLayer } from '../parts.ts'
import type { ClassifiedChange } from '../scope/index.ts'
import type { Approval, Examination } from './certification.ts'
import { sha256 } from './digest.ts'
import { type Concern, isAcceptable, list } from './observations.ts'

/** For the time before anything is installed. `changed`: lockfiles and dependency keys of manifests. */
export function dependencyConcerns(
  changed: readonly ClassifiedChange[],
  needed: readonly DependencyItem[],
): readonly Concern[] {
  const isChanged = changed.length > 0
  const unapproved = needed.filter(({ approved }) => approved === undefined)
  // The question about a change stays the same after its answer was stored.
  const sources = isChanged ? needed : unapproved
  return [
    ...(isChanged ? [dependenciesChanged(changed)] : []),
    ...(sources.length === 0 ? [] : [unapprovedSources(sources)]),
  ]
}

function dependenciesChanged(changed: readonly ClassifiedChange[]): Concern {
  const listed = list(
    changed.map(({ path, what, keys = [] }) => `${path} (${[what, ...keys].join(', ')})`),
  )
  return {
    code: 'sealed-changed',
    message: `The work changes the dependencies that its checks run with. They are installed only after a person approves them. Restore them, or have a person approve these changes:\n${listed}`,
    mayBeApproved: true,
  }
}

function unapprovedSources(items: readonly DependencyItem[]): Concern {
  return {
    code: 'dependency-source',
    message: `The lockfile has packages from git or from addresses outside your registries. They are installed, in the sandbox, only after a person approves exactly these (at a terminal, in loopctl inbox, or with loopctl certify --approve '<item>'):\n${listOf(items)}`,
    mayBeApproved: true,
  }
}

const listOf = (items: readonly DependencyItem[]): string =>
  items.map(({ text }) => `- ${text}`).join('\n')

export interface MissingDependencies {
  readonly items: readonly DependencyItem[]
  readonly concern: Concern
}

/** Undefined: the checks pass although dependencies are missing. */
export function findMissingDependencies({
  own,
  layer,
}: Examination): MissingDependencies | undefined {
  const failed = own.filter((ran) => !isAcceptable(ran))
  if (failed.length === 0) return undefined
  const printed = failed.map(({ result }) => result.output.toLowerCase()).join('\n')
  const items = (layer.lacks ?? []).filter(
    ({ mentions }) => mentions === undefined || printed.includes(mentions.toLowerCase()),
  )
  const [first] = items
  if (first === undefined) return undefined
  const names = failed.map(({ check }) => check.name).join(', ')
  const what =
    first.kind === 'resolve-dependencies'
      ? 'No dependencies are installed: there is no lockfile, and your checkout has none. They can be resolved once from your registries, in the sandbox'
      : 'The install scripts of these packages were not run. They can run in the sandbox, with access to your registries only'
  return {
    items,
    concern: {
      code: first.kind,
      message: `These checks fail: ${names}. ${what}; then the checks run again. Approve it (at a terminal, in loopctl inbox, or with loopctl certify ${first.kind === 'resolve-dependencies' ? '--dependencies resolve' : "--approve '<item>'"}):\n${listOf(items)}`,
      mayBeApproved: true,
    },
  }
}

/** Earlier approvals that this dependency layer depends on. */
export function earlierApprovals(
  layer: DependencyLayer,
  asked: readonly Approval[],
): readonly Approval[] {
  const named = new Set(asked.flatMap(({ codes }) => codes))
  const kept = (layer.approved ?? []).filter(
    ({ kind, approved }) => approved !== undefined && !named.has(kind),
  )
  return kept.map(({ kind, id, approved }) => ({
    codes: [kind],
    by: approved?.by ?? '',
    ...(approved === undefined ? {} : { atMs: approved.atMs }),
    diffDigest: sha256(id),
  }))
}
