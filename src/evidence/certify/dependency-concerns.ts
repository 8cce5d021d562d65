/** What of the dependencies only a person can decide. Pure. */

import type { DependencyItem, Layer } from '../parts.ts'
import { describeSealed } from '../seals/describe-sealed.ts'
import type { SealedChanges } from '../seals/sealed-change.ts'
import type { Approval } from './ask-approval.ts'
import { type Concern, isGood } from './concerns.ts'
import { digestOf } from './digest.ts'
import type { Looked } from './look.ts'

/** Before anything is installed. With the dependencies everything else that is sealed: it is one question. */
export function dependencyConcerns(
  changed: SealedChanges,
  needed: readonly DependencyItem[],
): readonly Concern[] {
  const isChanged = changed.changes.some(({ kind }) => kind === 'dependencies')
  const unapproved = needed.filter(({ approved }) => approved === undefined)
  // The question of a change stays the same after its answer was remembered.
  const sources = isChanged ? needed : unapproved
  return [
    ...(isChanged ? [dependenciesChanged(changed)] : []),
    ...(sources.length === 0 ? [] : [unapprovedSources(sources)]),
  ]
}

function dependenciesChanged(changed: SealedChanges): Concern {
  const listed = describeSealed(changed.changes).join('\n')
  return {
    code: 'sealed-changed',
    message: `The work changes which dependencies it is judged with, and they are installed only once a person has approved of them; the checks are run with them then. Put them back, or a person approves of these changes:\n${listed}`,
    mayBeApproved: true,
  }
}

function unapprovedSources(items: readonly DependencyItem[]): Concern {
  return {
    code: 'dependency-source',
    message: `The lockfile takes packages from git or from addresses that are not a registry of yours. They are fetched as data, and installed in the sandbox only once a person has approved exactly these (at a terminal, in loopctl inbox, or with loopctl certify --approve '<item>'):\n${listOf(items)}`,
    mayBeApproved: true,
  }
}

const listOf = (items: readonly DependencyItem[]): string =>
  items.map(({ text }) => `- ${text}`).join('\n')

export interface Lacking {
  readonly items: readonly DependencyItem[]
  readonly concern: Concern
}

/** Undefined: the checks do without whatever the layer lacks. */
export function lacksConcern({ own, layer }: Looked): Lacking | undefined {
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
      ? 'Dependencies are not installed: there is no lockfile, and the checkout has none. Their versions can be chosen now, once, from your registries, in the sandbox'
      : 'Install scripts of these packages were not run. They can be run in the sandbox, with no network but your registries'
  return {
    items,
    concern: {
      code: first.kind,
      message: `A check fails without it (${names}). ${what}; the checks are run again then. Approve it (at a terminal, in loopctl inbox, or with loopctl certify ${first.kind === 'resolve-dependencies' ? '--dependencies resolve' : "--approve '<item>'"}):\n${listOf(items)}`,
      mayBeApproved: true,
    },
  }
}

/** Approvals of an earlier day that this layer rests on. */
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
