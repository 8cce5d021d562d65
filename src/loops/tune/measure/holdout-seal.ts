/**
 * The seal of the holdout. A sealed case runs only with the permit of this file, which exists only after a proof that said
 * "improved". So no composer, option or edit can be measured on one, whatever their code asks for.
 */

import { type HoldoutDecision, mayOpenHoldout } from '../statistics/holdout.ts'
import type { ProofDecision } from '../statistics/proof.ts'
import type { Case, Workload } from '../workload/workload.ts'

const opened: unique symbol = Symbol('opened')

/** Shows that the proof said "improved". Only `openSeal` makes one. */
export interface OpenSeal {
  readonly [opened]: readonly Case[]
}

/** What the holdout says about the last version. */
export type HoldoutResult =
  /** No case was set aside. */
  | { readonly type: 'none' }
  /** It was not opened, and never will be for this version: nothing was kept, or the proof did not say "improved". */
  | {
      readonly type: 'sealed'
      readonly cases: number
      readonly reason: 'nothing-kept' | 'not-proven'
    }
  /** "improved" means that it generalises. `seen`: the difference of the means, which is no claim. */
  | (HoldoutDecision & { readonly seen?: number })

/** Undefined: it stays sealed. */
export function openSeal({ cases, split }: Workload, proof: ProofDecision): OpenSeal | undefined {
  if (!mayOpenHoldout(proof)) return undefined
  const sealed = new Set(split.holdout)
  return { [opened]: cases.filter(({ id }) => sealed.has(id)) }
}

export const casesOf = (seal: OpenSeal): readonly Case[] => seal[opened]

const sealedIds = new WeakMap<Workload['split'], ReadonlySet<string>>()

/** Throws for a sealed case without a permit. */
export function requireUnsealed({ split }: Workload, one: Case, seal?: OpenSeal): void {
  const sealed = sealedIds.get(split) ?? new Set(split.holdout)
  sealedIds.set(split, sealed)
  const permitted: readonly Case[] | undefined = seal?.[opened]
  if (!sealed.has(one.id) || permitted?.includes(one) === true) return
  throw new Error(`${one.id} is sealed: it must not run before the proof.`)
}
