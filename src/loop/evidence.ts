/** The results of checks, bound to the tree that was checked. */

import type { ErrorRates } from './error-rates.ts'
import type { TreeId } from './ids.ts'

export type CheckStatus = 'met' | 'not-met' | 'error' | 'timeout' | 'skipped'

/** How to treat a failure that existed before the run. */
export const existingFailures = ['ask', 'fix', 'allow'] as const
export type ExistingFailure = (typeof existingFailures)[number]

/** What performs the check: a command, a tool, an agent that judges, or code of the loop. */
export const checkKinds = ['command', 'tool', 'judge', 'code'] as const
export type CheckKind = (typeof checkKinds)[number]

/** Exit conditions that need no command: each kind of project has a usual one. */
export const standardConditions = [
  'all_tests_pass',
  'build_succeeds',
  'linting_clean',
  'security_scan_clean',
] as const
export type StandardCondition = (typeof standardConditions)[number]

/** What a check is, independent of its name. */
export interface CheckDescription {
  readonly check: string
  readonly kind: CheckKind
  /** The standard condition that its commands implement. Absent: the loop names its commands. */
  readonly condition?: StandardCondition
}

/** What a check returns. */
export interface CheckResult {
  readonly check: string
  readonly status: CheckStatus
  readonly exitCode?: number
  /** The start and the end of its output. */
  readonly output: string
  readonly durationMs: number
  /** Absent if the run has no workspace. */
  readonly tree?: TreeId
  /** Absent: a command. */
  readonly kind?: CheckKind
  /** It was not run: its result on exactly these files is known from this run. */
  readonly reused?: true
  /** It also failed before the run. */
  readonly existing?: true
  /** It fails exactly as it did before the run, and the loop does not say whether that is allowed. */
  readonly asBefore?: true
  /** It failed before the run, and the loop file or a person's answer allows that. */
  readonly allowed?: true
  /** It gave different results on the same files. */
  readonly flaky?: true
  /** Why it could not run at all, and what to do. There is no result then. */
  readonly cannotRun?: string
  /** What the test runner reports about its tests, if it does. */
  readonly counts?: TestCounts
  /** The ids of the tests that fail, if its runner reports ids and they are at most `failingMax`. */
  readonly failing?: readonly string[]
  /** What a judge found. */
  readonly findings?: readonly Finding[]
  /** How often it is wrong, if that was measured. */
  readonly calibration?: ErrorRates
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  /** Not run: skipped, todo, ignored. */
  readonly skipped: number
}

/** With more failing tests than this, only their number is kept (E9). */
export const failingMax = 200

/** One finding, and where it is. */
export interface Finding {
  readonly text: string
  readonly file?: string
  readonly line?: number
}

/** Why work was not certified: input for the next iteration. */
export interface Refusal {
  /** A stable key: `sealed-changed`, `fails-clean`, `flaky`, `judge-alone`, `toothless`… */
  readonly code: string
  readonly message: string
  readonly check?: string
  readonly findings?: readonly Finding[]
}

/** What the engine found after an iteration. */
export interface Findings {
  /** The result of every check on the files at the end of the iteration; empty if there are no checks. */
  readonly checks: readonly CheckResult[]
  /** The loop's condition was met, but the work was not certified. */
  readonly refusals: readonly Refusal[]
}

/** The part that the state keeps: enough to tell whether a check passed on the current tree. */
export interface Evidence {
  readonly status: CheckStatus
  readonly iteration: number
  readonly tree?: TreeId
  /** Identifies what the check does. Absent: unknown. */
  readonly fingerprint?: string
  /** It was not run: its result on exactly these files is known. */
  readonly reused?: true
  /** It failed before the run, and the owner of the loop allows that. */
  readonly allowed?: true
  /** It gave two different results on one tree of this run. */
  readonly flaky?: true
}

/** One result of a check as the state keeps it: its subject, and where it is in the journal. */
export interface EvidenceKept extends Evidence {
  readonly tree: TreeId
  readonly seq: number
}

/** For how many iterations the state keeps the last result of each check. */
const keptMax = 8

/** Appends a result. Only the last one of each iteration is kept, and only results about a tree. */
export function keepEvidence(
  kept: readonly EvidenceKept[] | undefined,
  { tree, ...found }: Evidence,
  seq: number,
): readonly EvidenceKept[] {
  if (tree === undefined) return kept ?? []
  const others = (kept ?? []).filter(({ iteration }) => iteration !== found.iteration)
  return [...others, { ...found, tree, seq }].slice(-keptMax)
}

/**
 * The result of a check on these files before this iteration. It stays the same throughout the
 * iteration, however often the check runs in it.
 */
export const answerBefore = (
  kept: readonly EvidenceKept[] | undefined,
  tree: TreeId | undefined,
  iteration: number,
): EvidenceKept | undefined =>
  kept
    ?.filter((one) => one.iteration < iteration)
    .slice(1 - keptMax)
    .findLast((one) => one.tree === tree)

/** A check that did not finish has no result; it may have one the next time. */
export const isAnswer = ({ status }: Pick<Evidence, 'status'>): boolean =>
  status !== 'error' && status !== 'timeout'

/** Whether a result contradicts an earlier one of the same check on the same tree. */
export const contradicts = (
  kept: readonly EvidenceKept[] | undefined,
  { status, tree, fingerprint }: Evidence,
): boolean =>
  isAnswer({ status }) &&
  (kept ?? []).some(
    (one) =>
      one.tree === tree &&
      one.fingerprint === fingerprint &&
      isAnswer(one) &&
      one.status !== status,
  )

/**
 * The core of E5: every named check is met on this tree or allowed to fail, and at least one is met.
 * An empty list never counts as "all met".
 */
export function checksPass(
  names: readonly string[],
  evidence: { readonly [check: string]: Evidence },
  tree: TreeId | undefined,
): boolean {
  const found = names.map((name) => (Object.hasOwn(evidence, name) ? evidence[name] : undefined))
  const isMet = (one: Evidence | undefined): boolean => one?.status === 'met'
  return (
    found.some(isMet) &&
    found.every((one) => one?.tree === tree && (isMet(one) || one?.allowed === true))
  )
}
