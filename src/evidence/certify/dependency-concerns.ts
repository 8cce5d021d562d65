/** Questions about dependencies that only a person can decide. Pure. */

import type { DependencyItem, Layer } from '../parts.ts'
import type { ClassifiedChange } from '../scope/index.ts'
import type { Approval } from './ask-approval.ts'
import { digestOf } from './digest.ts'
import type { Examined } from './examine.ts'
import { type Concern, isGood, list } from './seen.ts'

/** Asked before anything is installed. `changed`: lockfiles and dependency keys of manifests. */
export function dependencyConcerns(
  changed: readonly ClassifiedChange[],
  needed: readonly DependencyItem[],
): readonly Concern[] {
  const isChanged = changed.length > 0
  const unapproved = needed.filter(({ approved }) => approved === undefined)
  // The question about a change stays the same after its answer was remembered.
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
    message: `The lockfile has packages from git or from addresses that are not one of your registries. They are installed, in the sandbox, only after a person approves exactly these (at a terminal, in loopctl inbox, or with loopctl certify --approve '<item>'):\n${listOf(items)}`,
    mayBeApproved: true,
  }
}

const listOf = (items: readonly DependencyItem[]): string =>
  items.map(({ text }) => `- ${text}`).join('\n')

export interface Lacking {
  readonly items: readonly DependencyItem[]
  readonly concern: Concern
}

/** Undefined: the checks pass without what the layer lacks. */
export function lacksConcern({ own, layer }: Examined): Lacking | undefined {
  const failed = own.filter((ran) => !isGood(ran))
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
      ? 'Dependencies are not installed: there is no lockfile, and your checkout has none installed. Their versions can be chosen now, once, from your registries, in the sandbox'
      : 'The install scripts of these packages were not run. They can run in the sandbox, with no network but your registries'
  return {
    items,
    concern: {
      code: first.kind,
      message: `These checks fail: ${names}. ${what}; then the checks run again. Approve it (at a terminal, in loopctl inbox, or with loopctl certify ${first.kind === 'resolve-dependencies' ? '--dependencies resolve' : "--approve '<item>'"}):\n${listOf(items)}`,
      mayBeApproved: true,
    },
  }
}

/** Earlier approvals that this layer depends on. */
export function earlierApprovals(layer: Layer, asked: readonly Approval[]): readonly Approval[] {
  const named = new Set(asked.flatMap(({ codes }) => codes))
  const kept = (layer.approved ?? []).filter(
    ({ kind, approved }) => approved !== undefined && !named.has(kind),
  )
  return kept.map(({ kind, id, approved }) => ({
    codes: [kind],
    by: approved?.by ?? '',
    ...(approved === undefined ? {} : { atMs: approved.atMs }),
    diffDigest: digestOf(id),
  }))
}
