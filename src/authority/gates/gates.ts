/**
 * The built-in gates. A gate allows an action, asks a person, or denies it.
 *
 * 1. A gate never allows what it does not know: an unknown scope counts as a change outside of it.
 * 2. What it sees comes from the engine. The only input from an agent are the paths that it changed.
 */

import picomatch from 'picomatch'
import type { Gate, StepPlace, Verdict } from '../../engine/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import type { Action, ActionFacts } from '../../loop/index.ts'

/** The default: a person decides about every action. */
export const alwaysEscalate: Gate = {
  judge: async () => ({
    type: 'ask',
    reason: 'report-only / human review required',
    rule: 'always-escalate',
  }),
}

/**
 * Allows actions at level 3. The policy has already been asked, so an action that reaches this gate is permitted by its
 * rules.
 */
export const policyGate: Gate = {
  async judge(_action, _at, { level, policy }) {
    const ask = (reason: string): Verdict => ({ type: 'ask', reason, rule: 'policy' })
    if (level !== 3) return ask('the policy gate allows actions only at level 3')
    return policy === undefined
      ? ask('no policy applies to this run')
      : { type: 'allow', rule: 'policy' }
  },
}

/** Certified work may be merged into one branch, from level 2. Everything else is up to another gate. */
export const mergeGate = (branch: string, otherwise: Gate): Gate => ({
  async judge(action, at, facts) {
    const { into } = (action.details ?? {}) as { readonly into?: unknown }
    const isOwn = action.kind === 'merge' && into === branch
    return isOwn && facts.verified && facts.level >= 2
      ? { type: 'allow', rule: 'merge-when-certified' }
      : otherwise.judge(action, at, facts)
  },
})

/** The user chose in the loop file when this action happens, from level 2. Everything else is up to another gate. */
export const chosenGate = (kind: string, otherwise: Gate): Gate => ({
  async judge(action, at, facts) {
    return action.kind === kind && facts.level >= 2
      ? { type: 'allow', rule: 'chosen-in-file' }
      : otherwise.judge(action, at, facts)
  },
})

/** Code decides. An error is a denial. */
export const callbackGate = (
  decide: (action: Action, facts: ActionFacts, at: StepPlace) => Verdict | Promise<Verdict>,
): Gate => ({
  async judge(action, at, facts) {
    try {
      const verdict = await decide(action, facts, at)
      return { ...verdict, rule: verdict.rule ?? 'callback' }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { type: 'deny', reason: `the gate failed: ${message}`, rule: 'callback' }
    }
  },
})

export interface AllowListRules {
  /** Kinds of actions that need no person. */
  readonly allow: readonly string[]
  /** Globs of paths: a change to one of them always needs a person. */
  readonly deny?: readonly string[]
  /** More changed files than this need a person. Default: 10. */
  readonly maxFiles?: number
  /** More spent than this, in micro-dollars, needs a person. */
  readonly maxCostMicros?: number
}

export const maxFilesDefault = 10

/** Allows the listed kinds for verified work at L3, within its rules. Asks otherwise. */
export function allowListGate(rules: AllowListRules): Gate {
  const isDenied = createMatcher(rules.deny ?? [])
  return {
    judge: async ({ kind }, _at, facts) => {
      const reason = findReason(rules, isDenied, kind, facts)
      return reason === undefined
        ? { type: 'allow', rule: 'allow-list' }
        : { type: 'ask', reason, rule: 'allow-list' }
    },
  }
}

/** Why a person has to decide. The order is fixed. Undefined: no person has to. */
function findReason(
  { allow, maxFiles = maxFilesDefault, maxCostMicros }: AllowListRules,
  isDenied: (path: string) => boolean,
  kind: string,
  { level, verified, files, spent, outsideScope }: ActionFacts,
): string | undefined {
  if (level !== 3) return 'allowlist gate only auto-proceeds at L3'
  if (!verified) return 'checker did not verify the work'
  if (!allow.includes(kind)) return `action kind \`${kind}\` is not allowlisted`
  const denied = files.filter(isDenied)
  if (denied.length > 0) return `changes a denied path: ${list(denied)}`
  if (files.length > maxFiles)
    return `changes ${plural(files.length, 'file')}, more than ${maxFiles}`
  if (maxCostMicros !== undefined && spent.costMicros > maxCostMicros) {
    return `the run cost ${spent.costMicros} micro-dollars, more than ${maxCostMicros}`
  }
  if (files.length === 0) return undefined
  if (outsideScope === undefined) return 'the scope of the work is unknown'
  return outsideScope.length === 0 ? undefined : `changes outside the scope: ${list(outsideScope)}`
}

const shownMax = 5

const list = (paths: readonly string[]): string =>
  paths.length <= shownMax
    ? paths.join(', ')
    : `${paths.slice(0, shownMax).join(', ')} and ${paths.length - shownMax} more`

/** Case-insensitive, because some file systems are: `.GITHUB/` must not bypass a rule about `.github/`. */
function createMatcher(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => picomatch(glob, { dot: true, nonegate: true, nocase: true }))
  return (path) => matchers.some((matches) => matches(path))
}
